// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// cublasLtMatmul: sizes from the descriptors, one kernel.
#include <algorithm>

#include "descriptors.h"
#include "gemm.h"

namespace simgpu {
namespace {

// The shape of a product, or false when the layouts do not fit together.
bool ReadShape(const MatmulDescriptor& descriptor, const MatrixLayout& a, const MatrixLayout& b,
               const MatrixLayout& d, GemmShape* s) {
  const bool ta = descriptor.values[CUBLASLT_MATMUL_DESC_TRANSA] != CUBLAS_OP_N;
  const bool tb = descriptor.values[CUBLASLT_MATMUL_DESC_TRANSB] != CUBLAS_OP_N;
  s->ta = ta ? 't' : 'n';
  s->tb = tb ? 't' : 'n';
  s->m = static_cast<int64_t>(d.rows);
  s->n = static_cast<int64_t>(d.cols);
  s->k = static_cast<int64_t>(ta ? a.rows : a.cols);
  s->lda = a.ld;
  s->ldb = b.ld;
  s->ldc = d.ld;
  s->batch = std::max(1, d.batch_count);
  s->a_type = static_cast<int>(a.type);
  s->b_type = static_cast<int>(b.type);
  s->c_type = static_cast<int>(d.type);
  s->compute_type = static_cast<int>(descriptor.values[CUBLASLT_MATMUL_DESC_COMPUTE_TYPE]);
  return static_cast<int64_t>(ta ? a.cols : a.rows) == s->m &&
         static_cast<int64_t>(tb ? b.rows : b.cols) == s->n &&
         static_cast<int64_t>(tb ? b.cols : b.rows) == s->k;
}

}  // namespace
}  // namespace simgpu

API cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t,
                                                  cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                                  cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                                  cublasLtMatmulPreference_t, int requested,
                                                  cublasLtMatmulHeuristicResult_t results[],
                                                  int* returned) {
  if (requested < 1) return CUBLAS_STATUS_INVALID_VALUE;
  memset(results, 0, sizeof *results);
  results->state = CUBLAS_STATUS_SUCCESS;
  *returned = 1;
  return CUBLAS_STATUS_SUCCESS;
}

API cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t operation,
                                  const void*, const void* A, cublasLtMatrixLayout_t a_layout,
                                  const void* B, cublasLtMatrixLayout_t b_layout, const void*,
                                  const void*, cublasLtMatrixLayout_t, void* D,
                                  cublasLtMatrixLayout_t d_layout, const cublasLtMatmulAlgo_t*,
                                  void*, size_t, cudaStream_t stream) {
  if (!handle) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (!operation || !a_layout || !b_layout || !d_layout || simgpu::RefusesNull(A, B, D)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  simgpu::CountMatmul();
  const simgpu::MatmulDescriptor& descriptor = *simgpu::ToDescriptor(operation);
  simgpu::GemmShape s;
  if (!simgpu::ReadShape(descriptor, *simgpu::ToLayout(a_layout), *simgpu::ToLayout(b_layout),
                         *simgpu::ToLayout(d_layout), &s)) {
    return CUBLAS_STATUS_INVALID_VALUE;
  }
  const uint64_t number = simgpu::NoteGemm(s, A, B, D, stream);
  if (s.m == 0 || s.n == 0) return CUBLAS_STATUS_SUCCESS;
  char kernel[128];
  snprintf(kernel, sizeof kernel, "sim_ltmatmul_t%d_c%d_%c%c_epi%d", s.a_type, s.compute_type, s.ta,
           s.tb, static_cast<int>(descriptor.values[CUBLASLT_MATMUL_DESC_EPILOGUE]));
  simgpu::LaunchGemm(number, kernel, s, stream);
  return CUBLAS_STATUS_SUCCESS;
}

// How libcublas gets here when it does not take the symbol that everybody sees.
extern "C" __attribute__((visibility("default"))) cublasStatus_t simgpu_lt_matmul(
    cublasLtMatmulDesc_t operation, const void* A, cublasLtMatrixLayout_t a_layout, const void* B,
    cublasLtMatrixLayout_t b_layout, void* D, cublasLtMatrixLayout_t d_layout,
    cudaStream_t stream) {
  static char handle;
  return cublasLtMatmul(reinterpret_cast<cublasLtHandle_t>(&handle), operation, nullptr, A,
                        a_layout, B, b_layout, nullptr, D, d_layout, D, d_layout, nullptr, nullptr,
                        0, stream);
}
