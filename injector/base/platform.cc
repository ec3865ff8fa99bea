// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/base/platform.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace flopsprof::injector {
namespace {

uint64_t ReadClockNs(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

timespec ToTimespec(uint64_t duration_ns) {
  timespec t{};
  t.tv_sec = static_cast<time_t>(duration_ns / 1000000000u);
  t.tv_nsec = static_cast<long>(duration_ns % 1000000000u);
  return t;
}

}  // namespace

uint32_t ThreadId() { return static_cast<uint32_t>(syscall(SYS_gettid)); }

int32_t ProcessId() { return static_cast<int32_t>(syscall(SYS_getpid)); }

uint64_t MonoNs() { return ReadClockNs(CLOCK_MONOTONIC); }

uint64_t ThreadCpuNs() { return ReadClockNs(CLOCK_THREAD_CPUTIME_ID); }

void SleepNs(uint64_t duration_ns) {
  const timespec t = ToTimespec(duration_ns);
  nanosleep(&t, nullptr);
}

void FutexWait(std::atomic<uint32_t>* word, uint32_t expected, uint64_t timeout_ns) {
  const timespec t = ToTimespec(timeout_ns);
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, &t, nullptr, 0);
}

void FutexWakeAll(std::atomic<uint32_t>* word) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 0x7fffffff, nullptr, nullptr, 0);
}

}  // namespace flopsprof::injector
