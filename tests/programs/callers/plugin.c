// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// A library that is loaded while its program runs and calls cuBLAS by link: `run(m)`. Built with
// different ways of binding; TABLE: through a table of addresses that the loader fills; REGISTER:
// gives `run` to the program from a constructor, so that nobody looks anything up; LONG: with a
// long table of other addresses.
#include "cublas_calls.h"

#ifdef TABLE
static struct {
  create_function create;
  gemm_function gemm;
} const volatile table = {cublasCreate_v2, cublasSgemm_v2};
#define cublasCreate_v2 table.create
#define cublasSgemm_v2 table.gemm
#endif

int run(int m) { return product_by(cublasCreate_v2, cublasSgemm_v2, m); }

#ifdef LONG
void* malloc(unsigned long);
#define TEN(x) x, x, x, x, x, x, x, x, x, x
__attribute__((used)) static void* addresses[] = {TEN(TEN(TEN(TEN((void*)malloc))))};
#endif

#ifdef REGISTER
extern int (*registered)(int);
__attribute__((constructor)) static void give(void) { registered = run; }
#endif
