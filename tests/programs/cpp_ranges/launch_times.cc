// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Launches on several threads, one after the other on each, with the times of the host around them.
//
//   launch_times PRODUCTS THREADS
//
// Prints one JSON list: [thread id, CLOCK_MONOTONIC before, after] of each product, those of a
// thread in their order.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "injector/shims/cpp/flopsprof.h"
#include "tests/programs/cpp_ranges/products.h"

namespace {

struct Call {
  long thread;
  int64_t before_ns;
  int64_t after_ns;
};

int64_t NowNs() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

void Run(int products, std::vector<Call>* calls) {
  Products program;
  if (!program.Begin()) exit(3);
  const long thread = syscall(SYS_gettid);
  FLOPSPROF_SCOPE("outer");
  for (int i = 0; i < products; ++i) {
    FLOPSPROF_SCOPE("inner");
    const int64_t before_ns = NowNs();
    program.Multiply(64, 32, 16);
    calls->push_back({thread, before_ns, NowNs()});
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const int products = atoi(argv[1]);
  std::vector<std::vector<Call>> calls(static_cast<size_t>(atoi(argv[2])));
  std::vector<std::thread> threads;
  threads.reserve(calls.size());
  for (std::vector<Call>& own : calls) threads.emplace_back(Run, products, &own);
  for (std::thread& thread : threads) thread.join();
  cudaDeviceSynchronize();
  const char* separator = "[";
  for (const std::vector<Call>& own : calls) {
    for (const Call& call : own) {
      printf("%s[%ld, %ld, %ld]", separator, call.thread, static_cast<long>(call.before_ns),
             static_cast<long>(call.after_ns));
      separator = ", ";
    }
  }
  printf("]\n");
  return 0;
}
