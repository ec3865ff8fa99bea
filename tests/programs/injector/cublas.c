// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// A libcublas that computes nothing: success, or the status in CUBLAS_SAYS.
#include <stddef.h>
#include <stdlib.h>

static int status_to_give;

__attribute__((constructor)) static void read_status(void) {
  const char* status = getenv("CUBLAS_SAYS");
  status_to_give = status == NULL ? 0 : atoi(status);
}

static int answer(void) { return status_to_give; }

static int gemm(void* handle, int transa, int transb, int m, int n, int k, const float* alpha,
                const float* A, int lda, const float* B, int ldb, const float* beta, float* C,
                int ldc) {
  if (lda != 101 || ldb != 102 || ldc != 103 || *alpha != 2.0f || *beta != 3.0f) abort();
  return answer();
}
int cublasSgemm_v2(void* handle, int transa, int transb, int m, int n, int k, const float* alpha,
                   const float* A, int lda, const float* B, int ldb, const float* beta, float* C,
                   int ldc) __attribute__((alias("gemm")));
// For who wants it without hooks: dlsym, too, gives them the hook.
int (*cublas_gemm_unhooked)(void*, int, int, int, int, int, const float*, const float*, int,
                            const float*, int, const float*, float*, int) = gemm;

int cublasSgemv_v2(void* handle, int trans, int m, int n, const float* alpha, const float* A,
                   int lda, const float* x, int incx, const float* beta, float* y, int incy) {
  return answer();
}

int cublasGetMathMode(void* handle, int* mode) {
  *mode = 3;  // CUBLAS_TF32_TENSOR_OP_MATH
  return 0;
}
