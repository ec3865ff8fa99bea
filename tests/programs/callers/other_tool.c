// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Another tool that interposes dlsym, in the usual way. Prints at exit how often it was asked for
// the product, so that a test sees that it still stands in the chain.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

static int asked;

void* dlsym(void* handle, const char* name) {
  static void* (*real)(void*, const char*);
  if (real == NULL) *(void**)&real = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
  if (strcmp(name, "cublasSgemm_v2") == 0) ++asked;
  return real(handle, name);
}

__attribute__((destructor)) static void say(void) {
  if (asked > 0) printf("asked %d\n", asked);
}
