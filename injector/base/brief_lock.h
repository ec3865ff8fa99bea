// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The only lock of the injector: for short sections that call nothing which waits or allocates,
// off the launch path but for those that injector/README.md lists. It spins, then yields: it must
// work without libpthread and never sleeps on a futex in the profiled program's name.
//
// What another thread held when the process forked is free in the child, where that thread is not:
// the lock remembers the process's generation, and each kind of fork that copies memory begins a
// new one. (A vfork child shares its parent's memory, and its generation.) What the lock guards may
// then be in the middle of a change: each holder leaves it such that a child may go on.

#include <stdint.h>

#include <atomic>

namespace flopsprof::injector {

// The generation of this process; 0: not begun. A page of its own, zero in a fork's child.
struct alignas(4096) ForkMark {
  std::atomic<uint32_t> generation;
  char rest[4096 - sizeof(uint32_t)];
};
extern ForkMark fork_mark;

class BriefLock {
 public:
  constexpr BriefLock() = default;
  BriefLock(const BriefLock&) = delete;
  BriefLock& operator=(const BriefLock&) = delete;

  void Lock() {
    const uint32_t generation = fork_mark.generation.load(std::memory_order_relaxed);
    uint32_t free = 0;
    if (__builtin_expect(generation == 0, 0) ||
        !holder_.compare_exchange_strong(free, generation, std::memory_order_acquire,
                                         std::memory_order_relaxed)) {
      LockOrWait();
    }
  }
  // For what a signal handler may reach by _exit: the thread that it interrupted may hold the
  // lock. False: not free for so long.
  bool LockWithin(uint64_t timeout_ns);
  void Unlock() { holder_.store(0, std::memory_order_release); }  // pairs with TryLock

 private:
  bool TryLock();
  __attribute__((noinline)) void LockOrWait();

  std::atomic<uint32_t> holder_{0};  // its generation; 0: free
};

class BriefLockHolder {
 public:
  explicit BriefLockHolder(BriefLock* lock) : lock_(lock) { lock_->Lock(); }
  ~BriefLockHolder() { lock_->Unlock(); }
  BriefLockHolder(const BriefLockHolder&) = delete;
  BriefLockHolder& operator=(const BriefLockHolder&) = delete;

 private:
  BriefLock* const lock_;
};

}  // namespace flopsprof::injector
