// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// A job that multiplies until a file is there: endless PATH. Three threads, each with products of a
// size of its own. Prints how many of each size it has made.
#include <cublas_v2.h>
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { kThreads = 3 };
static const char* until;
static long made[kThreads];

static int SizeOf(long thread) { return 32 << thread; }

static void* Multiply(void* argument) {
  const long thread = (long)argument;
  const int n = SizeOf(thread);
  float *memory = NULL, one = 1, zero = 0;
  cublasHandle_t handle = NULL;
  if (cudaMalloc((void**)&memory, 3 * n * n * sizeof *memory) != 0) return NULL;
  if (cublasCreate_v2(&handle) != 0) return NULL;
  while (access(until, F_OK) != 0) {
    for (int i = 0; i < 50; i++) {
      made[thread] += 0 == cublasSgemm_v2(handle, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, memory,
                                          n, memory + n * n, n, &zero, memory + 2 * n * n, n);
    }
    usleep(1000);
  }
  return NULL;
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  until = argv[1];
  pthread_t threads[kThreads];
  for (long i = 0; i < kThreads; i++) pthread_create(&threads[i], NULL, Multiply, (void*)i);
  for (long i = 0; i < kThreads; i++) pthread_join(threads[i], NULL);
  const int status = cudaDeviceSynchronize();
  for (long i = 0; i < kThreads; i++) printf("%d %ld\n", SizeOf(i), made[i]);
  return status == 0 ? 7 : 1;
}
