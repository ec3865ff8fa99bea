// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// The calls that all of these programs make.
#pragma once

typedef int (*create_function)(void** handle);
typedef int (*gemm_function)(void*, int, int, int, int, int, const float*, const float*, int,
                             const float*, int, const float*, float*, int);

int cublasCreate_v2(void** handle);
int cublasSgemm_v2(void*, int, int, int, int, int, const float*, const float*, int, const float*,
                   int, const float*, float*, int);
int cublasSgemmStridedBatched(void*, int, int, int, int, int, const float*, const float*, int,
                              long long, const float*, int, long long, const float*, float*, int,
                              long long, int);

// One product of m x 2 x 3 by these two functions.
static inline int product_by(create_function create, gemm_function gemm, int m) {
  const float one = 1.0f;
  void* handle = 0;
  create(&handle);
  return gemm(handle, 0, 0, m, 2, 3, &one, 0, m, 0, 3, &one, 0, m);
}
