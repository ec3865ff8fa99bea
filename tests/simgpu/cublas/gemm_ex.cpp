// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// The matrix products whose types are arguments (…Ex).
#include "cublas.h"

namespace simgpu {
namespace {

struct Types {
  int a, b, c, compute;
};

GemmShape Shape(cublasOperation_t ta, cublasOperation_t tb, int64_t m, int64_t n, int64_t k,
                int64_t lda, int64_t ldb, int64_t ldc, int64_t batch, const Types& types) {
  GemmShape s;
  s.ta = OperationLetter(ta);
  s.tb = OperationLetter(tb);
  s.m = m;
  s.n = n;
  s.k = k;
  s.lda = lda;
  s.ldb = ldb;
  s.ldc = ldc;
  s.batch = batch;
  s.a_type = types.a;
  s.b_type = types.b;
  s.c_type = types.c;
  s.compute_type = types.compute;
  return s;
}

cublasStatus_t Run(cublasHandle_t handle, const char* stem, const GemmShape& shape,
                   const Operands& operands) {
  char kernel[64];
  snprintf(kernel, sizeof kernel, "%s_t%d_c%d", stem, shape.a_type, shape.compute_type);
  return RunGemm(handle, kernel, shape, operands);
}

}  // namespace
}  // namespace simgpu

using simgpu::Run;
using simgpu::Shape;

#define HEAD(Int) cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, Int m, Int n, Int k

#define GEMM_EX(name, Int)                                                                       \
  API cublasStatus_t name(HEAD(Int), const void*, const void* A, cudaDataType at, Int lda,       \
                          const void* B, cudaDataType bt, Int ldb, const void*, void* C,         \
                          cudaDataType ct, Int ldc, cublasComputeType_t compute,                 \
                          cublasGemmAlgo_t) {                                                    \
    return Run(h, "sim_gemmEx", Shape(ta, tb, m, n, k, lda, ldb, ldc, 1, {at, bt, ct, compute}), \
               {A, B, C});                                                                       \
  }
GEMM_EX(cublasGemmEx, int)
GEMM_EX(cublasGemmEx_64, int64_t)

#define SGEMM_EX(name, Int)                                                                 \
  API cublasStatus_t name(HEAD(Int), const float*, const void* A, cudaDataType at, Int lda, \
                          const void* B, cudaDataType bt, Int ldb, const float*, void* C,   \
                          cudaDataType ct, Int ldc) {                                       \
    return Run(h, "sim_SgemmEx",                                                            \
               Shape(ta, tb, m, n, k, lda, ldb, ldc, 1, {at, bt, ct, CUBLAS_COMPUTE_32F}),  \
               {A, B, C});                                                                  \
  }
SGEMM_EX(cublasSgemmEx, int)
SGEMM_EX(cublasSgemmEx_64, int64_t)

#define GEMM_STRIDED_EX(name, Int)                                                              \
  API cublasStatus_t name(HEAD(Int), const void*, const void* A, cudaDataType at, Int lda,      \
                          long long, const void* B, cudaDataType bt, Int ldb, long long,        \
                          const void*, void* C, cudaDataType ct, Int ldc, long long, Int batch, \
                          cublasComputeType_t compute, cublasGemmAlgo_t) {                      \
    return Run(h, "sim_gemm_sbEx",                                                              \
               Shape(ta, tb, m, n, k, lda, ldb, ldc, batch, {at, bt, ct, compute}), {A, B, C}); \
  }
GEMM_STRIDED_EX(cublasGemmStridedBatchedEx, int)
GEMM_STRIDED_EX(cublasGemmStridedBatchedEx_64, int64_t)

#define GEMM_BATCHED_EX(name, Int)                                                                \
  API cublasStatus_t name(HEAD(Int), const void*, const void* const* A, cudaDataType at, Int lda, \
                          const void* const* B, cudaDataType bt, Int ldb, const void*,            \
                          void* const* C, cudaDataType ct, Int ldc, Int batch,                    \
                          cublasComputeType_t compute, cublasGemmAlgo_t) {                        \
    return Run(h, "sim_gemm_bEx",                                                                 \
               Shape(ta, tb, m, n, k, lda, ldb, ldc, batch, {at, bt, ct, compute}), {A, B, C});   \
  }
GEMM_BATCHED_EX(cublasGemmBatchedEx, int)
GEMM_BATCHED_EX(cublasGemmBatchedEx_64, int64_t)

API cublasStatus_t cublasDotEx(cublasHandle_t h, int n, const void*, cudaDataType type, int,
                               const void*, cudaDataType, int, void*, cudaDataType, cudaDataType) {
  return simgpu::RunOther(h, "sim_dotEx", 1, n, 2.0 * n, simgpu::ElementBits(type) / 8);
}
