// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/base/brief_lock.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mman.h>

#include "injector/base/platform.h"

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18  // Linux 4.14
#endif

namespace flopsprof::injector {

// A fork's child finds it zeroed, whatever way the process was copied, and although no handler of a
// fork has run yet. Kernels before 4.14 refuse, and all is one generation.
ForkMark fork_mark;

namespace {

std::atomic<uint32_t> newest_generation{0};  // copied to the child

// At the first lock of a process.
__attribute__((noinline)) uint32_t BeginGeneration() {
  const int error = errno;
  madvise(&fork_mark, sizeof(fork_mark), MADV_WIPEONFORK);
  errno = error;
  const uint32_t next = newest_generation.load(std::memory_order_relaxed) + 1;
  newest_generation.store(next, std::memory_order_relaxed);  // first: a child's is always another
  uint32_t none = 0;
  return fork_mark.generation.compare_exchange_strong(none, next) ? next : none;
}

uint32_t Generation() {
  const uint32_t generation = fork_mark.generation.load(std::memory_order_relaxed);
  return __builtin_expect(generation != 0, 1) ? generation : BeginGeneration();
}

}  // namespace

bool BriefLock::TryLock() {
  const uint32_t generation = Generation();
  uint32_t holder = holder_.load(std::memory_order_relaxed);
  // Free, or held by a thread that the fork has left behind.
  return holder != generation &&
         holder_.compare_exchange_strong(holder, generation, std::memory_order_acquire,
                                         std::memory_order_relaxed);
}

void BriefLock::LockOrWait() {
  for (int spins = 0; !TryLock(); ++spins) {
    if (spins > 100) sched_yield();
  }
}

bool BriefLock::LockWithin(uint64_t timeout_ns) {
  uint64_t deadline_ns = 0;
  for (int spins = 0; !TryLock(); ++spins) {
    if (spins <= 100) continue;
    const uint64_t now_ns = MonoNs();
    if (deadline_ns == 0) deadline_ns = now_ns + timeout_ns;
    if (now_ns >= deadline_ns) return false;
    sched_yield();
  }
  return true;
}

}  // namespace flopsprof::injector
