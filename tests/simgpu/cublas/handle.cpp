// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Handles and settings, and the launch that every cuBLAS call ends in.
#include "cublas.h"

#include <cublasLt.h>

#include <algorithm>

#include "faults.h"

namespace simgpu {

namespace {

extern "C" cublasStatus_t simgpu_lt_matmul(cublasLtMatmulDesc_t operation, const void* A,
                                           cublasLtMatrixLayout_t a_layout, const void* B,
                                           cublasLtMatrixLayout_t b_layout, void* D,
                                           cublasLtMatrixLayout_t d_layout, cudaStream_t stream);

// The product as cublasLt's ("cublas_calls_lt").
cublasStatus_t RunByLt(const CublasHandle& h, const GemmShape& s, const Operands& o) {
  NoteStruck("cublas_calls_lt");
  const auto layout = [&](int type, int64_t rows, int64_t columns, int64_t ld) {
    cublasLtMatrixLayout_t made;
    cublasLtMatrixLayoutCreate(&made, static_cast<cudaDataType>(type), static_cast<uint64_t>(rows),
                               static_cast<uint64_t>(columns), ld);
    const auto batch = static_cast<int32_t>(s.batch);
    cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch,
                                     sizeof batch);
    return made;
  };
  const auto operation = [](char letter) {
    return letter == 'n' ? CUBLAS_OP_N : letter == 't' ? CUBLAS_OP_T : CUBLAS_OP_C;
  };
  const cublasOperation_t ta = operation(s.ta), tb = operation(s.tb);
  cublasLtMatmulDesc_t desc;
  cublasLtMatmulDescCreate(&desc, static_cast<cublasComputeType_t>(s.compute_type), CUDA_R_32F);
  cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, &ta, sizeof ta);
  cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSB, &tb, sizeof tb);
  const bool na = s.ta == 'n', nb = s.tb == 'n';
  cublasLtMatrixLayout_t a = layout(s.a_type, na ? s.m : s.k, na ? s.k : s.m, s.lda);
  cublasLtMatrixLayout_t b = layout(s.b_type, nb ? s.k : s.n, nb ? s.n : s.k, s.ldb);
  cublasLtMatrixLayout_t c = layout(s.c_type, s.m, s.n, s.ldc);
  void* d = const_cast<void*>(o.c);
  static char handle;
  const cublasStatus_t status =
      GetFaults().cublas_calls_lt == InnerCalls::kInternal
          ? simgpu_lt_matmul(desc, o.a, a, o.b, b, d, c, h.stream)
          : cublasLtMatmul(reinterpret_cast<cublasLtHandle_t>(&handle), desc, nullptr, o.a, a, o.b,
                           b, nullptr, d, c, d, c, nullptr, nullptr, 0, h.stream);
  for (cublasLtMatrixLayout_t one : {a, b, c}) cublasLtMatrixLayoutDestroy(one);
  cublasLtMatmulDescDestroy(desc);
  return status;
}

}  // namespace

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
  if (s.m < 0 || s.n < 0 || s.k < 0 || s.batch < 0 ||
      RefusesNull(operands.a, operands.b, operands.c)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  if (s.lda < std::max(kOne, a_rows) || s.ldb < std::max(kOne, b_rows) ||
      s.ldc < std::max(kOne, s.m)) {
    if (!GetFaults().lenient_arguments) return CUBLAS_STATUS_INVALID_VALUE;
    NoteStruck("lenient_arguments");
  }
  const CublasHandle* h = ToHandle(handle);
  s.math_mode = h->math;
  const bool empty = s.m == 0 || s.n == 0 || s.batch == 0;
  const InnerCalls by_lt = empty ? InnerCalls::kNone : GetFaults().cublas_calls_lt;
  if (by_lt == InnerCalls::kThread) {
    cublasStatus_t status;
    OnAnotherThread([&] { status = RunByLt(*h, s, operands); });
    return status;
  }
  if (by_lt != InnerCalls::kNone) return RunByLt(*h, s, operands);
  const uint64_t number = NoteGemm(s, operands.a, operands.b, operands.c, h->stream);
  if (!empty) LaunchGemm(number, kernel, s, h->stream);
  return CUBLAS_STATUS_SUCCESS;
}

// How libcusolver gets here when it does not take the symbol that everybody sees.
extern "C" __attribute__((visibility("default"))) cublasStatus_t simgpu_cublas_product(
    cublasHandle_t handle, int64_t n, const void* operand) {
  GemmShape s;
  s.m = s.n = s.k = s.lda = s.ldb = s.ldc = n;
  s.a_type = s.b_type = s.c_type = CUDA_R_32F;
  s.compute_type = CUBLAS_COMPUTE_32F;
  return RunGemm(handle, "sim_Sgemm_inner", s, {operand, operand, operand});
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
