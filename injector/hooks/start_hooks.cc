// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Where the session begins when CUDA_INJECTION64_PATH names another tool, and the driver therefore
// does not load us: with the first device memory or cuBLAS handle. That is before any model runs,
// so that the first forward already has its modules.

#include <stddef.h>

#include "injector/base/platform.h"
#include "injector/loader/real_function.h"
#include "injector/transport/session_calls.h"
#include "injector/transport/thread_state.h"

namespace flopsprof::injector {
namespace {

constexpr int kCudaNotSupported = 801;   // cudaErrorNotSupported
constexpr int kCublasNotSupported = 15;  // CUBLAS_STATUS_NOT_SUPPORTED

void OnCudaIsUp(int status) {
  if (status != 0) return NoteCudaFailure(status);
  OnCudaCallEnded();
  if (CurrentSessionState() != SessionState::kDormant) return;
  const ThreadState* thread = CurrentThread();
  if (thread != nullptr && !thread->inside_injector) StartSession();
}

}  // namespace
}  // namespace flopsprof::injector

using namespace flopsprof::injector;

FLOPSPROF_EXPORT int cudaMalloc(void** pointer, size_t bytes) {
  static RealFunction real("cudaMalloc", "libcudart.so");
  const void* caller = __builtin_return_address(0);
  auto* const function = reinterpret_cast<int (*)(void**, size_t)>(real.Enter(&caller));
  if (function == nullptr) return kCudaNotSupported;
  const int status = function(pointer, bytes);
  OnCudaIsUp(status);
  return status;
}

FLOPSPROF_EXPORT int cublasCreate_v2(void** handle) {
  static RealFunction real("cublasCreate_v2", "libcublas.so");
  const void* caller = __builtin_return_address(0);
  auto* const function = reinterpret_cast<int (*)(void**)>(real.Enter(&caller));
  if (function == nullptr) return kCublasNotSupported;
  const int status = function(handle);
  if (status == 0) OnCudaIsUp(status);
  return status;
}

// Where most programs learn that CUDA does not work here.
FLOPSPROF_EXPORT int cudaGetDeviceCount(int* count) {
  static RealFunction real("cudaGetDeviceCount", "libcudart.so");
  const void* caller = __builtin_return_address(0);
  auto* const function = reinterpret_cast<int (*)(int*)>(real.Enter(&caller));
  if (function == nullptr) return kCudaNotSupported;
  const int status = function(count);
  if (status != 0) {
    NoteCudaFailure(status);
  } else if (CurrentSessionState() == SessionState::kRecording ||
             CurrentSessionState() == SessionState::kAway) {
    OnCudaCallEnded();  // its first call comes before anything is launched
  }
  return status;
}
