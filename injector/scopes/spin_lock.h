// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A lock for sections of a few dozen instructions that call nothing. Spins, then yields: it must
// work without libpthread and never sleeps on a futex in the profiled program's name.

#include <sched.h>

#include <atomic>

namespace flopsprof::injector {

class SpinLock {
 public:
  constexpr SpinLock() = default;
  SpinLock(const SpinLock&) = delete;
  SpinLock& operator=(const SpinLock&) = delete;

  void Lock() {
    for (int tries = 0; held_.exchange(true, std::memory_order_acquire); ++tries) {
      if (tries > 64) sched_yield();
    }
  }
  void Unlock() { held_.store(false, std::memory_order_release); }  // pairs with Lock

 private:
  std::atomic<bool> held_{false};
};

class SpinGuard {
 public:
  explicit SpinGuard(SpinLock& lock) : lock_(lock) { lock_.Lock(); }
  ~SpinGuard() { lock_.Unlock(); }
  SpinGuard(const SpinGuard&) = delete;
  SpinGuard& operator=(const SpinGuard&) = delete;

 private:
  SpinLock& lock_;
};

}  // namespace flopsprof::injector
