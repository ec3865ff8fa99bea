// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// NVIDIA's own functions for descriptors, which need no GPU, and a cublasLtMatmul that does
// nothing. CUBLASLT_REAL: path of the real library.
#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>

// A jump: what the real function costs is not changed.
#define FORWARD(name)       \
  static void* real_##name; \
  __attribute__((naked)) void name(void) { __asm__("jmp *%0" : : "m"(real_##name)); }
FORWARD(cublasLtMatrixLayoutCreate)
FORWARD(cublasLtMatrixLayoutInit_internal)
FORWARD(cublasLtMatrixLayoutGetAttribute)
FORWARD(cublasLtMatrixLayoutSetAttribute)
FORWARD(cublasLtMatmulDescCreate)
FORWARD(cublasLtMatmulDescInit_internal)
FORWARD(cublasLtMatmulDescGetAttribute)
FORWARD(cublasLtMatmulDescSetAttribute)

static int matmul(void* handle, void* desc, void* alpha, void* A, void* a, void* B, void* b,
                  void* beta, void* C, void* c, void* D, void* d, void* algo, void* workspace,
                  size_t bytes, void* stream) {
  return 0;
}
int cublasLtMatmul(void* handle, void* desc, void* alpha, void* A, void* a, void* B, void* b,
                   void* beta, void* C, void* c, void* D, void* d, void* algo, void* workspace,
                   size_t bytes, void* stream) __attribute__((alias("matmul")));
// For who wants it without the hook.
void* cublaslt_matmul_unhooked = (void*)matmul;

__attribute__((constructor)) static void find(void) {
  const char* path = getenv("CUBLASLT_REAL");
  void* library = path == NULL ? NULL : dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) return;
#define FIND(name) real_##name = dlsym(library, #name)
  FIND(cublasLtMatrixLayoutCreate);
  FIND(cublasLtMatrixLayoutInit_internal);
  FIND(cublasLtMatrixLayoutGetAttribute);
  FIND(cublasLtMatrixLayoutSetAttribute);
  FIND(cublasLtMatmulDescCreate);
  FIND(cublasLtMatmulDescInit_internal);
  FIND(cublasLtMatmulDescGetAttribute);
  FIND(cublasLtMatmulDescSetAttribute);
}
