// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The few things that the injector asks of the operating system, without libpthread and
// without the C++ library.

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include <atomic>

#include "injector/base/brief_lock.h"
#include "injector/base/pages.h"

// Marks a function that runs thousands of times a step: everything that it calls is inlined into
// it. Functions that it calls rarely are marked FLOPSPROF_APART and stay outside.
#define FLOPSPROF_HOT __attribute__((flatten, hot))
#define FLOPSPROF_APART __attribute__((noinline))

#define FLOPSPROF_EXPORT extern "C" __attribute__((visibility("default")))
// May run before a sanitizer is ready.
#define FLOPSPROF_EARLY __attribute__((no_sanitize("address", "undefined", "thread")))
#define FLOPSPROF_UNLIKELY(x) __builtin_expect(!!(x), 0)

namespace flopsprof::injector {

uint32_t ThreadId();  // gettid
int32_t ProcessId();  // getpid, from the kernel: right in a vfork child too
uint64_t MonoNs();    // CLOCK_MONOTONIC
uint64_t ThreadCpuNs();
void SleepNs(uint64_t duration_ns);

// Waits until *word != expected, the timeout, or a wake (or for no reason at all).
void FutexWait(std::atomic<uint32_t>* word, uint32_t expected, uint64_t timeout_ns);
void FutexWakeAll(std::atomic<uint32_t>* word);

// Restores errno. Use it around system calls in a hook, because the program may look at errno after
// its own call.
class ErrnoKeeper {
 public:
  ErrnoKeeper() : value_(errno) {}
  ~ErrnoKeeper() { errno = value_; }
  ErrnoKeeper(const ErrnoKeeper&) = delete;
  ErrnoKeeper& operator=(const ErrnoKeeper&) = delete;

 private:
  const int value_;
};

}  // namespace flopsprof::injector
