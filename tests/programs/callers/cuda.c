// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// As much of libcuda as loads CUDA_INJECTION64_PATH.
#include <dlfcn.h>
#include <stdlib.h>

int cuInit(unsigned flags) {
  const char* path = getenv("CUDA_INJECTION64_PATH");
  void* library = path == NULL ? NULL : dlopen(path, RTLD_NOW | RTLD_LOCAL);
  int (*start)(void) =
      library == NULL ? NULL : (int (*)(void))dlsym(library, "InitializeInjection");
  if (start != NULL) start();
  return 0;
}
