// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/cupti/refusals.h"

namespace flopsprof::injector {
namespace {

struct Reason {
  int status;
  const char* text;
  const char* mend;
};

constexpr char kRunDoctor[] = "run: flopsprof doctor";
constexpr char kFitsDriver[] =
    "update the driver, or remove a CUDA compatibility package that does not fit it";
constexpr char kCountsStand[] = "nothing here: counts are right; for times run on another GPU";
constexpr char kMpsServer[] = "start the MPS server anew, or run without it";

constexpr Reason kCupti[] = {
    {8, "no GPU memory was left when CUPTI started", "leave it 60 MB a process"},
    {14, "CUPTI does not fit the driver", kFitsDriver},
    {15, "CUPTI found no driver that it can use", kFitsDriver},
    {27, "CUPTI cannot trace on this device (MIG, MPS and virtual GPUs limit it)", kCountsStand},
    {31, "CUPTI cannot trace under MPS", "run without MPS for times"},
    {33, "CUPTI cannot trace on this virtual GPU", kCountsStand},
    {35, "this user may not use CUPTI",
     "set NVreg_RestrictProfilingToAdminUsers=0, or give the container CAP_SYS_ADMIN"},
    {40, "profiling of this virtual GPU is switched off by its host",
     "have the host's administrator switch it on"},
    {41, "confidential computing does not let CUPTI trace", kCountsStand},
    {42, "CUPTI cannot trace on this mining card", kCountsStand},
    {43, "CUPTI cannot trace on a MIG slice with this driver",
     "update the driver, or run on a whole GPU"},
    {45, "CUPTI cannot trace under this WSL", "update Windows' driver and WSL"},
};
constexpr Reason kAnyCupti = {0, "CUPTI refused a call", kRunDoctor};

constexpr Reason kCuda[] = {
    {35, "the driver is older than the job's CUDA toolkit (cudaErrorInsufficientDriver)",
     "update the driver, or install the job's libraries for a CUDA that it has"},
    {46, "the GPUs are busy, exclusive to others, or gone (cudaErrorDevicesUnavailable)",
     "look at nvidia-smi: processes, compute mode, errors"},
    {802, "the system is not ready, as without a running fabric manager (cudaErrorSystemNotReady)",
     "start nvidia-fabricmanager"},
    {803,
     "the libcuda of a CUDA compatibility package does not fit the kernel's driver "
     "(cudaErrorSystemDriverMismatch)",
     kFitsDriver},
    {804,
     "CUDA compatibility packages do not work on this GPU (cudaErrorCompatNotSupportedOnDevice)",
     "remove the package and update the driver"},
    {805, "the MPS server could not be reached (cudaErrorMpsConnectionFailed)", kMpsServer},
    {806, "the MPS server failed (cudaErrorMpsRpcFailure)", kMpsServer},
    {807, "the MPS server is not ready (cudaErrorMpsServerNotReady)", kMpsServer},
    {808, "the MPS server has as many clients as it takes (cudaErrorMpsMaxClientsReached)",
     "use fewer processes a GPU"},
};

template <size_t kCount>
const Reason* Find(const Reason (&reasons)[kCount], int status) {
  for (const Reason& reason : reasons) {
    if (reason.status == status) return &reason;
  }
  return nullptr;
}

}  // namespace

RefusalText WhyNoTimes(const char* extent, const char* function, CuptiResult result) {
  const Reason* known = Find(kCupti, static_cast<int>(result));
  const Reason& reason = known != nullptr ? *known : kAnyCupti;
  RefusalText text;
  text.Add(extent).Add(": ").Add(reason.text).Add(" (").Add(function).Add(": ");
  text.AddNumber(static_cast<uint64_t>(static_cast<uint32_t>(result)));
  return text.Add(")").Add(kToMend).Add(reason.mend);
}

RefusalText WhyCudaFails(int status) {
  const Reason* reason = Find(kCuda, status);
  RefusalText text;
  if (reason == nullptr) return text;
  return text.Add("not usable: ").Add(reason->text).Add(kToMend).Add(reason->mend);
}

}  // namespace flopsprof::injector
