// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Single-precision cuBLAS products for programs that build without the toolkit.

#include <stddef.h>

extern "C" {
int cublasCreate_v2(void** handle);
int cublasDestroy_v2(void* handle);
int cublasSgemm_v2(void* handle, int trans_a, int trans_b, int m, int n, int k, const float* alpha,
                   const float* a, int lda, const float* b, int ldb, const float* beta, float* c,
                   int ldc);
int cudaMalloc(void** memory, size_t bytes);
int cudaDeviceSynchronize();
}

struct Products {
  void* handle = nullptr;
  float* memory = nullptr;
  int failures = 0;

  // False: there is no GPU.
  bool Begin() {
    void* bytes = nullptr;
    if (cudaMalloc(&bytes, 1 << 20) != 0 || cublasCreate_v2(&handle) != 0) return false;
    memory = static_cast<float*>(bytes);
    return true;
  }

  // 2*m*n*k flops.
  void Multiply(int m, int n, int k) {
    const float one = 1, zero = 0;
    failures += cublasSgemm_v2(handle, 0, 0, m, n, k, &one, memory, m, memory, k, &zero, memory, m);
  }
};
