// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// A libcublas of which a process may hold two copies: a handle of the other copy, which the real
// library would crash on, ends the program. COPY is the math mode that its getter gives, so that
// a record tells whose getter was asked.
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

static int own_handle;

static void must_be_ours(const void* handle) {
  if (handle == &own_handle) return;
  fprintf(stderr, "copy %d: a handle of another library\n", COPY);
  abort();
}

int cublasCreate_v2(void** handle) {
  *handle = &own_handle;
  return 0;
}

int cublasSgemm_v2(void* handle, int transa, int transb, int m, int n, int k, const float* alpha,
                   const float* A, int lda, const float* B, int ldb, const float* beta, float* C,
                   int ldc) {
  must_be_ours(handle);
  return m == 13 ? 7 : 0;  // CUBLAS_STATUS_INVALID_VALUE
}

// Calls itself by way of its own name's hook, as one library call within another does.
int cublasSgemmStridedBatched(void* handle, int transa, int transb, int m, int n, int k,
                              const float* alpha, const float* A, int lda, long long strideA,
                              const float* B, int ldb, long long strideB, const float* beta,
                              float* C, int ldc, long long strideC, int batchCount) {
  for (int i = 0; i < batchCount; ++i) {
    cublasSgemm_v2(handle, transa, transb, m, n, k, alpha, A, lda, B, ldb, beta, C, ldc);
  }
  return 0;
}

int cublasGetMathMode(void* handle, int* mode) {
  must_be_ours(handle);
  *mode = COPY;
  return 0;
}
