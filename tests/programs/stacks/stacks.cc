// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// A C++ program without Python that launches work from functions of known names, and throws.
//
//   stacks LAUNCHES [THROWERS] [DEPTH]
//
// Twice LAUNCHES sets of memory: half from stacks_test::Left, half from stacks_test::Right, each
// DEPTH calls of stacks_test::Descend deep. Meanwhile THROWERS threads throw and catch, and check
// that every exception arrives where it should. Prints one JSON line; exit code 0: all of it was
// right.

#include <stdio.h>
#include <stdlib.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

extern "C" {
int cudaMalloc(void** memory, size_t bytes);
int cudaMemset(void* memory, int value, size_t bytes);
int cudaDeviceSynchronize();
}

namespace stacks_test {

struct Device {
  void* memory = nullptr;
  int failures = 0;
};

__attribute__((noinline)) void Descend(Device* device, int depth) {
  if (depth == 0) {
    device->failures += cudaMemset(device->memory, 0, 256) != 0;
  } else {
    Descend(device, depth - 1);
  }
  asm volatile("" ::: "memory");  // not the last call: it keeps its frame
}

// A function that aligns its stack finds its caller another way.
__attribute__((noinline)) void Left(Device* device, int depth) {
  alignas(64) volatile char aligned[64];
  aligned[0] = static_cast<char>(depth);
  Descend(device, depth);
  asm volatile("" : : "r"(aligned) : "memory");
}

// And one whose frame has no fixed size.
__attribute__((noinline)) void Right(Device* device, int depth) {
  auto* room = static_cast<volatile char*>(__builtin_alloca(static_cast<size_t>(depth) * 16 + 16));
  room[0] = 1;
  Descend(device, depth);
  asm volatile("" : : "r"(room) : "memory");
}

__attribute__((noinline)) int Throw(int depth) {
  std::string owned(static_cast<size_t>(depth), 'x');  // something to unwind
  if (depth == 0) throw std::runtime_error("thrown");
  return Throw(depth - 1) + static_cast<int>(owned.size());
}

}  // namespace stacks_test

int main(int argc, char** argv) {
  const int launches = argc > 1 ? atoi(argv[1]) : 10;
  const int throwers = argc > 2 ? atoi(argv[2]) : 0;
  const int depth = argc > 3 ? atoi(argv[3]) : 3;
  stacks_test::Device device;
  if (cudaMalloc(&device.memory, 4096) != 0) return 3;
  std::atomic<bool> stop{false};
  std::atomic<long> thrown{0}, caught{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < throwers; ++i) {
    threads.emplace_back([&, i] {
      stacks_test::Device own;
      bool ready = cudaMalloc(&own.memory, 4096) == 0;
      while (!stop || thrown < 1000) {
        ++thrown;
        try {
          stacks_test::Throw(10 + i);
        } catch (const std::runtime_error& error) {
          if (std::string(error.what()) == "thrown") ++caught;
        }
        if (ready) stacks_test::Descend(&own, 1);
      }
      device.failures += own.failures;
    });
  }
  for (int i = 0; i < launches; ++i) {
    stacks_test::Left(&device, depth);
    stacks_test::Right(&device, depth);
  }
  stop = true;
  for (std::thread& thread : threads) thread.join();
  device.failures += cudaDeviceSynchronize() != 0;
  const bool right = device.failures == 0 && thrown == caught;
  printf("{\"thrown\": %ld, \"caught\": %ld, \"failures\": %d}\n", thrown.load(), caught.load(),
         device.failures);
  return right ? 0 : 1;
}
