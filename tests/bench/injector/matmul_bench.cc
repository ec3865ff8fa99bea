// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// What a hooked cublasLtMatmul costs the program, record written and sizes read from descriptors
// that NVIDIA's own library has made. Hooked and direct calls alternate, as in hook_bench.
//
// matmul_bench INJECTOR REAL_CUBLASLT [blocks]      prints medians in ns, per call

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <vector>

#include "mini_agent.h"

extern "C" {
int cublasLtMatmul(void*, void*, void*, void*, void*, void*, void*, void*, void*, void*, void*,
                   void*, void*, void*, size_t, void*);
int cublasLtMatrixLayoutCreate(void** layout, int type, uint64_t rows, uint64_t cols, int64_t ld);
int cublasLtMatrixLayoutGetAttribute(void* layout, int attribute, void* value, size_t bytes,
                                     size_t* written);
int cublasLtMatmulDescCreate(void** desc, int compute_type, int scale_type);
}

namespace {

using bench::Block;
using bench::Median;
using Matmul = decltype(&cublasLtMatmul);

int Measure(int blocks) {
  void *desc = nullptr, *a = nullptr, *b = nullptr, *d = nullptr;
  constexpr int kHalf = 2, kComputeFloat = 68, kFloat = 0;
  if (cublasLtMatmulDescCreate(&desc, kComputeFloat, kFloat) != 0 ||
      cublasLtMatrixLayoutCreate(&a, kHalf, 4096, 1024, 4096) != 0 ||
      cublasLtMatrixLayoutCreate(&b, kHalf, 1024, 8192, 1024) != 0 ||
      cublasLtMatrixLayoutCreate(&d, kHalf, 4096, 8192, 4096) != 0) {
    fprintf(stderr, "matmul_bench: no descriptors\n");
    return 1;
  }
  auto* const unhooked = static_cast<void**>(dlsym(RTLD_DEFAULT, "cublaslt_matmul_unhooked"));
  const auto direct = reinterpret_cast<Matmul>(*unhooked);
  const auto call = [&](Matmul matmul) {
    matmul(reinterpret_cast<void*>(1), desc, nullptr, nullptr, a, nullptr, b, nullptr, nullptr, d,
           nullptr, d, nullptr, nullptr, 0, nullptr);
  };
  const Matmul hooked = &cublasLtMatmul;
  if (hooked == direct) {
    fprintf(stderr, "matmul_bench: the injector is not loaded\n");
    return 1;
  }
  Block([&] { call(hooked); });  // the session begins
  std::vector<double> hook_ns, getter_ns;
  for (int i = 0; i < blocks; ++i) {
    const double direct_ns = Block([&] { call(direct); });
    hook_ns.push_back(Block([&] { call(hooked); }) - direct_ns);
    getter_ns.push_back(Block([&] {
      uint64_t rows = 0;
      size_t written = 0;
      cublasLtMatrixLayoutGetAttribute(d, 2, &rows, sizeof rows, &written);
    }));
    usleep(2000);  // the reader catches up
  }
  printf("cublasLt: one getter         %7.1f ns\n", Median(getter_ns));
  printf("cublasLt: hook and record    %7.1f ns (goal 60)\n", Median(hook_ns));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: matmul_bench INJECTOR REAL_CUBLASLT [BLOCKS]\n");
    return 2;
  }
  if (getenv("HOOK_BENCH_CHILD") == nullptr) {
    setenv("CUBLASLT_REAL", argv[2], 1);
    return bench::ServeChild(argv, argv[1]);
  }
  return Measure(argc > 3 ? atoi(argv[3]) : 301);
}
