// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// The typed matrix products: S, D, C, Z and H, with 32-bit and 64-bit sizes.
#include "cublas.h"

namespace simgpu {
namespace {

template <typename T>
struct TypeOf;
template <>
struct TypeOf<float> {
  static constexpr int kData = CUDA_R_32F, kCompute = CUBLAS_COMPUTE_32F;
};
template <>
struct TypeOf<double> {
  static constexpr int kData = CUDA_R_64F, kCompute = CUBLAS_COMPUTE_64F;
};
template <>
struct TypeOf<cuComplex> {
  static constexpr int kData = CUDA_C_32F, kCompute = CUBLAS_COMPUTE_32F;
};
template <>
struct TypeOf<cuDoubleComplex> {
  static constexpr int kData = CUDA_C_64F, kCompute = CUBLAS_COMPUTE_64F;
};
template <>
struct TypeOf<__half> {
  static constexpr int kData = CUDA_R_16F, kCompute = CUBLAS_COMPUTE_16F;
};

template <typename T>
GemmShape Shape(cublasOperation_t ta, cublasOperation_t tb, int64_t m, int64_t n, int64_t k,
                int64_t lda, int64_t ldb, int64_t ldc, int64_t batch) {
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
  s.a_type = s.b_type = s.c_type = TypeOf<T>::kData;
  s.compute_type = TypeOf<T>::kCompute;
  return s;
}

template <typename T>
double FlopsPerMac() {
  return IsComplex(TypeOf<T>::kData) ? 8 : 2;
}

}  // namespace
}  // namespace simgpu

using simgpu::RunGemm;
using simgpu::RunOther;
using simgpu::Shape;

#define HEAD(Int) cublasHandle_t h, cublasOperation_t ta, cublasOperation_t tb, Int m, Int n, Int k

#define GEMM(name, kernel, T, Int)                                                                 \
  API cublasStatus_t name(HEAD(Int), const T*, const T* A, Int lda, const T* B, Int ldb, const T*, \
                          T* C, Int ldc) {                                                         \
    return RunGemm(h, kernel, Shape<T>(ta, tb, m, n, k, lda, ldb, ldc, 1), {A, B, C});             \
  }

#define GEMM_STRIDED(name, kernel, T, Int)                                                     \
  API cublasStatus_t name(HEAD(Int), const T*, const T* A, Int lda, long long, const T* B,     \
                          Int ldb, long long, const T*, T* C, Int ldc, long long, Int batch) { \
    return RunGemm(h, kernel, Shape<T>(ta, tb, m, n, k, lda, ldb, ldc, batch), {A, B, C});     \
  }

#define GEMM_BATCHED(name, kernel, T, Int)                                                    \
  API cublasStatus_t name(HEAD(Int), const T*, const T* const* A, Int lda, const T* const* B, \
                          Int ldb, const T*, T* const* C, Int ldc, Int batch) {               \
    return RunGemm(h, kernel, Shape<T>(ta, tb, m, n, k, lda, ldb, ldc, batch), {A, B, C});    \
  }

#define GEMV(name, kernel, T, Int)                                                               \
  API cublasStatus_t name(cublasHandle_t h, cublasOperation_t, Int m, Int n, const T*, const T*, \
                          Int, const T*, Int, const T*, T*, Int) {                               \
    return RunOther(h, kernel, m, n,                                                             \
                    simgpu::FlopsPerMac<T>() * static_cast<double>(m) * static_cast<double>(n),  \
                    sizeof(T));                                                                  \
  }

#define TRSM(name, kernel, T, Int)                                                               \
  API cublasStatus_t name(cublasHandle_t h, cublasSideMode_t side, cublasFillMode_t,             \
                          cublasOperation_t, cublasDiagType_t, Int m, Int n, const T*, const T*, \
                          Int, T*, Int) {                                                        \
    const auto order = static_cast<double>(side == CUBLAS_SIDE_LEFT ? m : n);                    \
    return RunOther(                                                                             \
        h, kernel, m, n,                                                                         \
        simgpu::FlopsPerMac<T>() / 2 * static_cast<double>(m) * static_cast<double>(n) * order,  \
        sizeof(T));                                                                              \
  }

#define FAMILY(L, T)                                                              \
  GEMM(cublas##L##gemm_v2, "sim_" #L "gemm", T, int)                              \
  GEMM(cublas##L##gemm_v2_64, "sim_" #L "gemm", T, int64_t)                       \
  GEMM_STRIDED(cublas##L##gemmStridedBatched, "sim_" #L "gemm_sb", T, int)        \
  GEMM_STRIDED(cublas##L##gemmStridedBatched_64, "sim_" #L "gemm_sb", T, int64_t) \
  GEMM_BATCHED(cublas##L##gemmBatched, "sim_" #L "gemm_b", T, int)                \
  GEMM_BATCHED(cublas##L##gemmBatched_64, "sim_" #L "gemm_b", T, int64_t)         \
  GEMV(cublas##L##gemv_v2, "sim_" #L "gemv", T, int)                              \
  GEMV(cublas##L##gemv_v2_64, "sim_" #L "gemv", T, int64_t)                       \
  TRSM(cublas##L##trsm_v2, "sim_" #L "trsm", T, int)                              \
  TRSM(cublas##L##trsm_v2_64, "sim_" #L "trsm", T, int64_t)

FAMILY(S, float)
FAMILY(D, double)
FAMILY(C, cuComplex)
FAMILY(Z, cuDoubleComplex)

GEMM(cublasHgemm, "sim_Hgemm", __half, int)
GEMM(cublasHgemm_64, "sim_Hgemm", __half, int64_t)
GEMM_STRIDED(cublasHgemmStridedBatched, "sim_Hgemm_sb", __half, int)
GEMM_STRIDED(cublasHgemmStridedBatched_64, "sim_Hgemm_sb", __half, int64_t)
GEMM_BATCHED(cublasHgemmBatched, "sim_Hgemm_b", __half, int)
GEMM_BATCHED(cublasHgemmBatched_64, "sim_Hgemm_b", __half, int64_t)

#define DOT(name, kernel, T, Int)                                                      \
  API cublasStatus_t name(cublasHandle_t h, Int n, const T*, Int, const T*, Int, T*) { \
    return RunOther(h, kernel, 1, n, 2.0 * static_cast<double>(n), sizeof(T));         \
  }
DOT(cublasSdot_v2, "sim_Sdot", float, int)
DOT(cublasSdot_v2_64, "sim_Sdot", float, int64_t)
DOT(cublasDdot_v2, "sim_Ddot", double, int)
DOT(cublasDdot_v2_64, "sim_Ddot", double, int64_t)
