// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// A job on a machine that is not as it should be: prints the status of each of its calls.
//
//     products [WORD ...]
//
// LIBRARY.so: opened before anything of CUDA is called. forks: a child that does nothing with CUDA,
// one that runs this program, one that uses CUDA; their ends are printed. resets: the device,
// between two halves of the work.
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kSize = 64, kProducts = 10 };

static int multiply(const char* when) {
  float *memory = NULL, one = 1, zero = 0;
  cublasHandle_t handle = NULL;
  int count = -1, failed = 0;
  int status = cudaGetDeviceCount(&count);
  printf("%s: devices %d (%d)\n", when, status == 0 ? count : -1, status);
  if (status != 0) return 1;
  printf("%s: memory (%d)\n", when,
         cudaMalloc((void**)&memory, 3 * kSize * kSize * sizeof *memory));
  printf("%s: handle (%d)\n", when, cublasCreate_v2(&handle));
  if (memory == NULL || handle == NULL) return 1;
  for (int i = 0; i < kProducts; i++) {
    failed += 0 != cublasSgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, kSize, kSize, kSize, &one,
                                  memory, kSize, memory + kSize * kSize, kSize, &zero,
                                  memory + 2 * kSize * kSize, kSize);
  }
  status = cudaDeviceSynchronize();
  printf("%s: products failed %d, end (%d)\n", when, failed, status);
  return failed != 0 || status != 0;
}

static void fork_and(const char* what, const char* self) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    int code = 7;
    if (strcmp(what, "exec") == 0) execl(self, self, (char*)NULL);
    if (strcmp(what, "cuda") == 0) code = multiply("child");
    fflush(stdout);
    _exit(code);
  }
  int status = 0;
  waitpid(child, &status, 0);
  printf("%s child: %d\n", what, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
}

int main(int argc, char** argv) {
  int forks = 0, resets = 0;
  for (int i = 1; i < argc; i++) {
    forks |= strcmp(argv[i], "forks") == 0;
    resets |= strcmp(argv[i], "resets") == 0;
    if (strchr(argv[i], '/') != NULL) printf("opened: %d\n", dlopen(argv[i], RTLD_NOW) != NULL);
  }
  int bad = multiply("first");
  if (resets) {
    printf("reset (%d)\n", cudaDeviceReset());
    bad |= multiply("second");
  }
  if (forks) {
    fork_and("idle", argv[0]);
    fork_and("exec", argv[0]);
    fork_and("cuda", argv[0]);
    bad |= multiply("parent");
  }
  return bad ? 5 : 0;
}
