// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Sparse products, whose sizes are in descriptors, and calls with bad arguments that a library
// could take.
#include <cublas_v2.h>
#include <cusparse.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static char memory[4096];

static void sparse(void) {
  cusparseHandle_t handle;
  cusparseCreate(&handle);
  cusparseSpMatDescr_t a, blocks;
  cusparseDnMatDescr_t b, c;
  cusparseCreateCsr(&a, 6, 8, 11, memory, memory, memory, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                    CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
  cusparseCreateBsr(&blocks, 3, 4, 5, 2, 2, memory, memory, memory, CUSPARSE_INDEX_32I,
                    CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F, CUSPARSE_ORDER_COL);
  cusparseCreateDnMat(&b, 8, 9, 8, memory, CUDA_R_32F, CUSPARSE_ORDER_COL);
  cusparseCreateDnMat(&c, 6, 9, 6, memory, CUDA_R_32F, CUSPARSE_ORDER_COL);
  const float one = 1;
  const cusparseOperation_t n = CUSPARSE_OPERATION_NON_TRANSPOSE;
  const cusparseOperation_t t = CUSPARSE_OPERATION_TRANSPOSE;
  cusparseSpMV(handle, n, &one, a, NULL, &one, NULL, CUDA_R_32F, 0, memory);
  cusparseSpMV(handle, n, &one, a, NULL, &one, NULL, CUDA_C_32F, 0, memory);
  cusparseSpMV(handle, n, &one, blocks, NULL, &one, NULL, CUDA_R_32F, 0, memory);
  cusparseSpMV(handle, n, &one, NULL, NULL, &one, NULL, CUDA_R_32F, 0, memory);
  cusparseSpMM(handle, n, n, &one, a, b, &one, c, CUDA_R_64F, 0, memory);
  cusparseSDDMM(handle, n, n, &one, b, c, &one, a, CUDA_R_32F, 0, memory);
  cusparseSDDMM(handle, t, n, &one, b, c, &one, a, CUDA_R_32F, 0, memory);
  cusparseDnMatSetStridedBatch(c, 3, 54);
  cusparseSpMM(handle, n, n, &one, a, b, &one, c, CUDA_R_64F, 0, memory);
  cusparseSpMM(handle, n, n, &one, a, b, &one, NULL, CUDA_R_64F, 0, memory);
}

static void bad(void) {
  cublasHandle_t handle;
  cublasCreate(&handle);
  const float one = 1;
  const float* x = (const float*)memory;
  float* y = (float*)memory;
  const cublasSideMode_t left = CUBLAS_SIDE_LEFT;
  const cublasFillMode_t lower = CUBLAS_FILL_MODE_LOWER;
  cublasSsymm(handle, left, lower, -3, 5, &one, x, 16, x, 16, &one, y, 16);
  cublasSsymm_64(handle, left, lower, INT64_MAX, 5, &one, x, 16, x, 16, &one, y, 16);
  cublasSsymm_64(handle, left, lower, INT64_MIN, 5, &one, x, 16, x, 16, &one, y, 16);
  cublasSsyrk_64(handle, lower, CUBLAS_OP_N, INT64_C(1) << 37, INT64_C(1) << 37, &one, x, 16, &one,
                 y, 16);
  cublasSaxpy_64(handle, INT64_C(1) << 62, &one, x, 1, y, 1);
  cublasAxpyEx(handle, 5, &one, CUDA_R_32F, x, (cudaDataType)77, 1, y, CUDA_R_32F, 1, CUDA_R_32F);
  cublasSsymm(NULL, left, lower, 3, 5, &one, x, 16, x, 16, &one, y, 16);
  cublasSgemmGroupedBatched(handle, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                            NULL, NULL, NULL, 2, NULL);
  static int ones[9000];  // more groups than are recorded one by one
  for (int j = 0; j < 9000; j++) ones[j] = 1;
  for (int groups = 0; groups <= 9000; groups += 9000) {
    cublasDgemmGroupedBatched(handle, NULL, NULL, ones, ones, ones, NULL, NULL, ones, NULL, ones,
                              NULL, NULL, ones, groups, ones);
  }
}

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "bad") == 0) {
    bad();
  } else {
    sparse();
  }
  printf("done\n");
  return 0;
}
