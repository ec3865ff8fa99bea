// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// A C++ program without Python: cuBLAS products in nested ranges, with known sizes.
//
//   cpp_ranges [STEPS [WORD]...]
//
//   more       the work of step 0 is done twice
//   namespace  opens cuBLAS once more, in a name space of its own
//   wait       ends when its standard input does
//
// Tree of each step, with the products of one m x n x k SGEMM at each leaf:
//   network                     2 products in all, 2 * (64*32*16 + 32*16*8)  = 73728 flops
//     layer 0                   one of 64 x 32 x 16 ...
//       matmul                  ... in here:          2 * 64*32*16           = 65536 flops
//     layer 1                   one of 32 x 16 x 8:   2 * 32*16*8            =  8192 flops
//   (outside)                   one of 8 x 8 x 8:     2 * 8*8*8              =  1024 flops
// Prints what it did as one JSON line; exit code 3 says that there is no GPU.

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "injector/shims/cpp/flopsprof.h"
#include "tests/programs/cpp_ranges/products.h"

namespace {

struct Program : Products {
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

bool IsAmong(int argc, char** argv, const char* word) {
  for (int i = 2; i < argc; ++i) {
    if (strcmp(argv[i], word) == 0) return true;
  }
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  const int steps = argc > 1 ? atoi(argv[1]) : 2;
  Program program;
  if (!program.Begin()) {
    fprintf(stderr, "cpp_ranges: no GPU here\n");
    return 3;
  }
  if (IsAmong(argc, argv, "namespace")) {
    program.failures += dlmopen(LM_ID_NEWLM, "libcublas.so.13", RTLD_NOW) == nullptr ? 1 : 0;
  }
  for (int i = 0; i < steps; ++i) {
    flopsprof::step();
    program.Step();
    if (i == 0 && IsAmong(argc, argv, "more")) program.Step();
  }
  program.failures += cudaDeviceSynchronize();
  cublasDestroy_v2(program.handle);
  printf("{\"steps\": %d, \"flops_per_step\": 74752, \"failures\": %d, \"profiled\": %s}\n", steps,
         program.failures, flopsprof::active() ? "true" : "false");
  fflush(stdout);
  while (IsAmong(argc, argv, "wait") && getchar() != EOF) {
  }
  return program.failures == 0 ? 0 : 1;
}
