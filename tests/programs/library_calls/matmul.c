// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Products of cublasLt, whose sizes are in descriptors, and each collective of NCCL on one rank.
#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <nccl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static char memory[1 << 16];

#define MUST(call)                                               \
  do {                                                           \
    const int status = (int)(call);                              \
    if (status != 0) {                                           \
      fprintf(stderr, "matmul: %s: status %d\n", #call, status); \
      exit(1);                                                   \
    }                                                            \
  } while (0)

static cublasLtMatrixLayout_t layout(cudaDataType type, uint64_t rows, uint64_t columns,
                                     int32_t batch) {
  cublasLtMatrixLayout_t made;
  const int64_t stride = (int64_t)(rows * columns);
  MUST(cublasLtMatrixLayoutCreate(&made, type, rows, columns, (int64_t)rows));
  MUST(cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &batch,
                                        sizeof batch));
  MUST(cublasLtMatrixLayoutSetAttribute(made, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &stride,
                                        sizeof stride));
  return made;
}

// C of m x n is A times B over k; both transposed or none.
static void product(cublasLtHandle_t handle, cudaDataType type, cublasComputeType_t compute,
                    cudaDataType scale, int transposed, uint64_t m, uint64_t n, uint64_t k,
                    int32_t batch) {
  const double alpha[] = {1, 0}, beta[] = {0, 0};
  const cublasOperation_t op = transposed ? CUBLAS_OP_T : CUBLAS_OP_N;
  cublasLtMatmulDesc_t desc;
  MUST(cublasLtMatmulDescCreate(&desc, compute, scale));
  MUST(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSA, &op, sizeof op));
  MUST(cublasLtMatmulDescSetAttribute(desc, CUBLASLT_MATMUL_DESC_TRANSB, &op, sizeof op));
  cublasLtMatrixLayout_t a = layout(type, transposed ? k : m, transposed ? m : k, batch);
  cublasLtMatrixLayout_t b = layout(type, transposed ? n : k, transposed ? k : n, batch);
  cublasLtMatrixLayout_t c = layout(type, m, n, batch);
  MUST(cublasLtMatmul(handle, desc, alpha, memory, a, memory, b, beta, memory, c, memory, c, NULL,
                      NULL, 0, NULL));
  cublasLtMatrixLayoutDestroy(a);
  cublasLtMatrixLayoutDestroy(b);
  cublasLtMatrixLayoutDestroy(c);
  cublasLtMatmulDescDestroy(desc);
}

static void products(void) {
  cublasLtHandle_t handle;
  MUST(cublasLtCreate(&handle));
  product(handle, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F, 0, 3, 5, 7, 1);
  product(handle, CUDA_R_16F, CUBLAS_COMPUTE_32F, CUDA_R_32F, 1, 16, 32, 8, 1);
  product(handle, CUDA_R_64F, CUBLAS_COMPUTE_64F, CUDA_R_64F, 0, 3, 5, 7, 4);
  product(handle, CUDA_C_32F, CUBLAS_COMPUTE_32F, CUDA_C_32F, 0, 3, 5, 7, 1);
}

static void collectives(void) {
  const size_t n = 1000;
  ncclUniqueId id;
  ncclComm_t comm;
  void *from, *to;
  MUST(cudaMalloc(&from, 1 << 16));
  MUST(cudaMalloc(&to, 1 << 16));
  MUST(ncclGetUniqueId(&id));
  MUST(ncclCommInitRank(&comm, 1, id, 0));
  MUST(ncclAllReduce(from, to, n, ncclFloat, ncclSum, comm, NULL));
  MUST(ncclAllGather(from, to, n, ncclFloat, comm, NULL));
  MUST(ncclReduceScatter(from, to, n, ncclFloat, ncclSum, comm, NULL));
  MUST(ncclBroadcast(from, to, n, ncclFloat, 0, comm, NULL));
  MUST(ncclBcast(to, n, ncclFloat, 0, comm, NULL));
  MUST(ncclReduce(from, to, n, ncclFloat, ncclSum, 0, comm, NULL));
  MUST(ncclAlltoAll(from, to, n, ncclFloat, comm, NULL));
  MUST(ncclGather(from, to, n, ncclFloat, 0, comm, NULL));
  MUST(ncclScatter(from, to, n, ncclFloat, 0, comm, NULL));
  MUST(ncclGroupStart());
  MUST(ncclSend(from, n, ncclFloat, 0, comm, NULL));
  MUST(ncclRecv(to, n, ncclFloat, 0, comm, NULL));
  MUST(ncclGroupEnd());
}

int main(void) {
  products();
  collectives();
  MUST(cudaDeviceSynchronize());
  printf("done\n");
  return 0;
}
