// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The only kind of lock in the injector. It is for short sections that neither wait nor allocate,
// and that are off the launch path; injector/README.md lists the exceptions. It spins, then yields.
// It must work without libpthread, and it never makes a thread of the program sleep on a futex.
//
// A thread that held the lock when the process forked does not exist in the child. So the lock is
// free in the child: it remembers the generation of the process that took it, and each kind of fork
// that copies memory begins a new generation. (A vfork child shares its parent's memory and
// generation.) The guarded data may then be in the middle of a change. So each holder changes it in
// such an order that a child can use it at any point.

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
  // For code that a signal handler may reach through _exit: the thread that it interrupted may hold
  // the lock. False: the lock did not become free in this time.
  bool LockWithin(uint64_t timeout_ns);
  void Unlock() { holder_.store(0, std::memory_order_release); }  // pairs with TryLock

 private:
  bool TryLock();
  __attribute__((noinline)) void LockOrWait();

  std::atomic<uint32_t> holder_{0};  // the holder's generation; 0: free
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
