// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Handles and settings, and the launch that every cuBLAS call ends in.
#include "cublas.h"

#include <algorithm>

namespace simgpu {

char OperationLetter(cublasOperation_t operation) {
  switch (operation) {
    case CUBLAS_OP_N:
      return 'n';
    case CUBLAS_OP_T:
      return 't';
    default:
      return 'c';
  }
}

cublasStatus_t RunGemm(cublasHandle_t handle, const char* kernel, GemmShape s,
                       const Operands& operands) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  const int64_t a_rows = s.ta == 'n' ? s.m : s.k, b_rows = s.tb == 'n' ? s.k : s.n;
  constexpr int64_t kOne = 1;
  if (s.m < 0 || s.n < 0 || s.k < 0 || s.batch < 0 || s.lda < std::max(kOne, a_rows) ||
      s.ldb < std::max(kOne, b_rows) || s.ldc < std::max(kOne, s.m)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  const CublasHandle* h = ToHandle(handle);
  s.math_mode = h->math;
  NoteGemm(s, operands.a, operands.b, operands.c, h->stream);
  if (s.m == 0 || s.n == 0 || s.batch == 0) return CUBLAS_STATUS_SUCCESS;
  constexpr int64_t kTile = 128;
  const int64_t tiles = ((s.m + kTile - 1) / kTile) * ((s.n + kTile - 1) / kTile);
  sim_launch_lib(kernel, h->stream, static_cast<unsigned>(tiles), 1, static_cast<unsigned>(s.batch),
                 256, GemmFlops(s), GemmBytes(s), 0);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t RunOther(cublasHandle_t handle, const char* kernel, int64_t m, int64_t n,
                        double flops, int element_bytes) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (m < 0 || n < 0) return CUBLAS_STATUS_INVALID_VALUE;
  const CublasHandle* h = ToHandle(handle);
  char shape[64];
  snprintf(shape, sizeof shape, "m=%ld n=%ld", m, n);
  sim_call_shape(shape);
  sim_log_call("%s %s stream=%u", sim_call_name(), shape, sim_stream_id(h->stream));
  if (m == 0 || n == 0) return CUBLAS_STATUS_SUCCESS;
  const double bytes = static_cast<double>(m) * static_cast<double>(n) * element_bytes;
  sim_launch_lib(kernel, h->stream, static_cast<unsigned>((m + 127) / 128), 1, 1, 256, flops, bytes,
                 0);
  return CUBLAS_STATUS_SUCCESS;
}

}  // namespace simgpu

using simgpu::ToHandle;

API cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  *handle = reinterpret_cast<cublasHandle_t>(new simgpu::CublasHandle{});
  return CUBLAS_STATUS_SUCCESS;
}
API cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  delete ToHandle(handle);
  return CUBLAS_STATUS_SUCCESS;
}
API cublasStatus_t cublasGetVersion_v2(cublasHandle_t, int* version) {
  *version = CUBLAS_VERSION;
  return CUBLAS_STATUS_SUCCESS;
}
API size_t cublasGetCudartVersion(void) { return CUDART_VERSION; }
API cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  ToHandle(handle)->stream = stream;
  return CUBLAS_STATUS_SUCCESS;
}
API cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t* stream) {
  *stream = ToHandle(handle)->stream;
  return CUBLAS_STATUS_SUCCESS;
}
API cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  ToHandle(handle)->math = mode;
  return CUBLAS_STATUS_SUCCESS;
}
API cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
  *mode = ToHandle(handle)->math;
  return CUBLAS_STATUS_SUCCESS;
}
API cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode) {
  ToHandle(handle)->pointer_mode = mode;
  return CUBLAS_STATUS_SUCCESS;
}
API cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t* mode) {
  *mode = ToHandle(handle)->pointer_mode;
  return CUBLAS_STATUS_SUCCESS;
}
API cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode) {
  ToHandle(handle)->atomics = mode;
  return CUBLAS_STATUS_SUCCESS;
}
API cublasStatus_t cublasGetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t* mode) {
  *mode = ToHandle(handle)->atomics;
  return CUBLAS_STATUS_SUCCESS;
}
API const char* cublasGetStatusName(cublasStatus_t status) {
  return status == CUBLAS_STATUS_SUCCESS ? "CUBLAS_STATUS_SUCCESS"
                                         : "CUBLAS_STATUS (stand-in error)";
}
API const char* cublasGetStatusString(cublasStatus_t status) {
  return status == CUBLAS_STATUS_SUCCESS ? "the operation completed successfully"
                                         : "stand-in error";
}
