// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// A C++ program without Python: cuBLAS products in nested ranges, with known sizes.
//
//   cpp_ranges [STEPS]
//
// Tree of each step, with the products of one m x n x k SGEMM at each leaf:
//   network                     2 products in all, 2 * (64*32*16 + 32*16*8)  = 73728 flops
//     layer 0                   one of 64 x 32 x 16 ...
//       matmul                  ... in here:          2 * 64*32*16           = 65536 flops
//     layer 1                   one of 32 x 16 x 8:   2 * 32*16*8            =  8192 flops
//   (outside)                   one of 8 x 8 x 8:     2 * 8*8*8              =  1024 flops
// Prints what it did as one JSON line; exit code 3 says that there is no GPU.

#include <stdio.h>
#include <stdlib.h>

#include "injector/shims/cpp/flopsprof.h"

// Of cublas_v2.h and cuda_runtime_api.h, so that it builds without the toolkit.
extern "C" {
int cublasCreate_v2(void** handle);
int cublasDestroy_v2(void* handle);
int cublasSgemm_v2(void* handle, int trans_a, int trans_b, int m, int n, int k, const float* alpha,
                   const float* a, int lda, const float* b, int ldb, const float* beta, float* c,
                   int ldc);
int cudaMalloc(void** memory, size_t bytes);
int cudaDeviceSynchronize();
}

namespace {

struct Program {
  void* handle = nullptr;
  float* memory = nullptr;
  int failures = 0;

  void Multiply(int m, int n, int k) {
    const float one = 1, zero = 0;
    failures += cublasSgemm_v2(handle, 0, 0, m, n, k, &one, memory, m, memory, k, &zero, memory, m);
  }

  void Step() {
    {
      FLOPSPROF_SCOPE("network");
      {
        FLOPSPROF_SCOPE("layer 0");
        FLOPSPROF_SCOPE("matmul");
        Multiply(64, 32, 16);
      }
      {
        FLOPSPROF_SCOPE("layer 1");
        Multiply(32, 16, 8);
      }
    }
    Multiply(8, 8, 8);
  }
};

}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 1 ? atoi(argv[1]) : 2;
  Program program;
  void* memory = nullptr;
  if (cudaMalloc(&memory, 1 << 20) != 0 || cublasCreate_v2(&program.handle) != 0) {
    fprintf(stderr, "cpp_ranges: no GPU here\n");
    return 3;
  }
  program.memory = static_cast<float*>(memory);
  for (int i = 0; i < steps; ++i) {
    flopsprof::step();
    program.Step();
  }
  program.failures += cudaDeviceSynchronize();
  cublasDestroy_v2(program.handle);
  printf("{\"steps\": %d, \"flops_per_step\": 74752, \"failures\": %d, \"profiled\": %s}\n", steps,
         program.failures, flopsprof::active() ? "true" : "false");
  return program.failures == 0 ? 0 : 1;
}
