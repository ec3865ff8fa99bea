// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// A program that embeds Python, ends it and begins it again: embedded LIBPYTHON SCRIPT TIMES.
// Python is opened when it runs: no header of any version is needed. The script calls
// embedded_multiply() through ctypes: one product of 8 x 8 x 8.

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include <fstream>
#include <iterator>
#include <string>

#include "tests/programs/cpp_ranges/products.h"

namespace {

Products g_products;

template <typename Function>
Function Find(void* library, const char* name) {
  auto function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) {
    fprintf(stderr, "embedded: no %s\n", name);
    exit(4);
  }
  return function;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) void embedded_multiply() {
  g_products.Multiply(8, 8, 8);
}

int main(int argc, char** argv) {
  if (argc < 4) return 2;
  void* python = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);
  if (python == nullptr || !g_products.Begin()) {
    fprintf(stderr, "embedded: no Python or no GPU\n");
    return 3;
  }
  std::ifstream file(argv[2]);
  const std::string script((std::istreambuf_iterator<char>(file)),
                           std::istreambuf_iterator<char>());
  const auto begin = Find<void (*)(int)>(python, "Py_InitializeEx");
  const auto run = Find<int (*)(const char*, void*)>(python, "PyRun_SimpleStringFlags");
  const auto end = Find<int (*)()>(python, "Py_FinalizeEx");
  for (int i = 0; i < atoi(argv[3]); ++i) {
    setenv("EMBEDDED_ROUND", std::to_string(i).c_str(), 1);
    begin(0);
    if (run(script.c_str(), nullptr) != 0) return 5;
    if (end() != 0) return 6;
    embedded_multiply();  // no Python: (outside)
  }
  cudaDeviceSynchronize();
  printf("ended\n");
  return g_products.failures == 0 ? 0 : 1;
}
