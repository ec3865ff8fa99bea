// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/cupti/refusals.h"

namespace flopsprof::injector {
namespace {

struct Reason {
  int status;
  const char* text;
};

constexpr Reason kCupti[] = {
    {8, "not recorded: no GPU memory was left when CUPTI started; leave it 60 MB a process"},
    {14,
     "not recorded: CUPTI does not fit the driver; update the driver, or remove a CUDA "
     "compatibility package that does not fit it"},
    {15,
     "not recorded: CUPTI found no driver that it can use; update the driver, or remove a CUDA "
     "compatibility package that does not fit it"},
    {27, "not recorded: CUPTI cannot trace on this device (MIG, MPS and virtual GPUs limit it)"},
    {31, "not recorded: CUPTI cannot trace under MPS"},
    {33, "not recorded: CUPTI cannot trace on this virtual GPU"},
    {35,
     "not recorded: this user may not use CUPTI; set NVreg_RestrictProfilingToAdminUsers=0, or "
     "give the container CAP_SYS_ADMIN"},
    {40, "not recorded: profiling of this virtual GPU is switched off by its host"},
    {41, "not recorded: confidential computing does not let CUPTI trace"},
    {42, "not recorded: CUPTI cannot trace on this mining card"},
    {43, "not recorded: CUPTI cannot trace on a MIG slice with this driver"},
    {45, "not recorded: CUPTI cannot trace under this WSL"},
};

constexpr Reason kCuda[] = {
    {35,
     "not usable: the driver is older than the job's CUDA toolkit (cudaErrorInsufficientDriver)"},
    {46,
     "not usable: the GPUs are busy, exclusive to others, or gone (cudaErrorDevicesUnavailable)"},
    {802,
     "not usable: the system is not ready, as without a running fabric manager "
     "(cudaErrorSystemNotReady)"},
    {803,
     "not usable: the libcuda of a CUDA compatibility package does not fit the kernel's driver "
     "(cudaErrorSystemDriverMismatch)"},
    {804,
     "not usable: CUDA compatibility packages do not work on this GPU "
     "(cudaErrorCompatNotSupportedOnDevice)"},
    {805, "not usable: the MPS server could not be reached (cudaErrorMpsConnectionFailed)"},
    {806, "not usable: the MPS server failed (cudaErrorMpsRpcFailure)"},
    {807, "not usable: the MPS server is not ready (cudaErrorMpsServerNotReady)"},
    {808,
     "not usable: the MPS server has as many clients as it takes "
     "(cudaErrorMpsMaxClientsReached)"},
};

}  // namespace

const char* WhyNoTimes(CuptiResult result) {
  for (const Reason& reason : kCupti) {
    if (reason.status == result) return reason.text;
  }
  return "not recorded: CUPTI refused a call; run: flopsprof doctor";
}

const char* WhyCudaFails(int status) {
  for (const Reason& reason : kCuda) {
    if (reason.status == status) return reason.text;
  }
  return nullptr;
}

}  // namespace flopsprof::injector
