// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The handle of the stand-in cuBLAS, and what its calls come down to.
#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include "gemm.h"
#include "simcore.h"

namespace simgpu {

struct CublasHandle {
  cudaStream_t stream;
  cublasMath_t math;
  cublasPointerMode_t pointer_mode;
  cublasAtomicsMode_t atomics;
};

inline CublasHandle* ToHandle(cublasHandle_t handle) {
  return reinterpret_cast<CublasHandle*>(handle);
}

char OperationLetter(cublasOperation_t operation);

struct Operands {
  const void *a, *b, *c;
};

// Checks the arguments as cuBLAS documents it, then launches one kernel (none for an
// empty result).
cublasStatus_t RunGemm(cublasHandle_t handle, const char* kernel, GemmShape shape,
                       const Operands& operands);

// A call that is not a matrix product: one kernel.
cublasStatus_t RunOther(cublasHandle_t handle, const char* kernel, int64_t m, int64_t n,
                        double flops, int element_bytes);

}  // namespace simgpu
