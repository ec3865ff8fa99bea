// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/scopes/thread_logs.h"

#include <sys/mman.h>

#include <new>

#include "injector/base/pages.h"

namespace flopsprof::injector {
namespace {

constexpr uint32_t kSets = 1024;  // of logs, by thread number
constexpr uint32_t kWays = 8;

struct Registry {
  std::atomic<ThreadLog*> ways[kSets][kWays];
  std::atomic<uint64_t> newest_removed{0};  // logs of threads up to here may have been removed
};

Registry g_registry;

auto& WaysOf(uint64_t thread_number) { return g_registry.ways[thread_number % kSets]; }

void NoteRemoved(uint64_t thread_number) {
  uint64_t newest = g_registry.newest_removed.load(std::memory_order_relaxed);
  while (newest < thread_number && !g_registry.newest_removed.compare_exchange_weak(
                                       newest, thread_number, std::memory_order_relaxed)) {
  }
}

// A log that was the thread's before. Null: it has none, or another thread got it.
ThreadLog* ResumeThreadLog(uint64_t thread_number) {
  ThreadLog* known = FindThreadLog(thread_number);
  if (known == nullptr) return nullptr;
  const bool is_its = known->ResumeIfEnded() || (known->owner() == ThreadLog::Owner::kRuns &&
                                                 known->thread() == thread_number);
  return is_its ? known : nullptr;
}

// The log of the thread that began first, of those of its set that have ended. Null: none has.
ThreadLog* TakeEndedLog(uint64_t thread_number) {
  for (uint32_t tries = 0; tries < kWays; ++tries) {
    ThreadLog* oldest = nullptr;
    for (const auto& way : WaysOf(thread_number)) {
      ThreadLog* log = way.load(std::memory_order_acquire);
      if (log == nullptr || log->owner() != ThreadLog::Owner::kEnded) continue;
      if (oldest == nullptr || log->thread() < oldest->thread()) oldest = log;
    }
    if (oldest == nullptr) return nullptr;
    const uint64_t removed = oldest->thread();
    if (!oldest->TryTakeFromEnded()) continue;
    NoteRemoved(removed);
    return oldest;
  }
  return nullptr;
}

}  // namespace

ThreadLog* FindThreadLog(uint64_t thread_number) {
  for (const auto& way : WaysOf(thread_number)) {
    // Acquire; pairs with the exchange in AcquireThreadLog.
    ThreadLog* log = way.load(std::memory_order_acquire);
    if (log != nullptr && log->thread() == thread_number) return log;
  }
  return nullptr;
}

ThreadLog* AcquireThreadLog(uint64_t thread_number) {
  g_chunk_pool.Reserve();
  if (ThreadLog* known = ResumeThreadLog(thread_number)) return known;
  ThreadLog* fresh = nullptr;
  for (auto& way : WaysOf(thread_number)) {
    ThreadLog* there = way.load(std::memory_order_relaxed);
    if (there != nullptr) continue;
    if (fresh == nullptr) fresh = static_cast<ThreadLog*>(MapPages(sizeof(ThreadLog)));
    if (fresh == nullptr) return nullptr;
    fresh->Begin(thread_number);
    if (way.compare_exchange_strong(there, fresh, std::memory_order_acq_rel)) return fresh;
  }
  if (fresh != nullptr) munmap(static_cast<void*>(fresh), sizeof(ThreadLog));
  ThreadLog* log = TakeEndedLog(thread_number);
  if (log != nullptr) {
    log->Begin(thread_number);
  } else {
    NoteRemoved(thread_number);
  }
  return log;
}

void ReleaseThreadLog(ThreadLog* log) { log->End(); }

bool MayHaveLostItsLog(uint64_t thread_number) {
  return thread_number <= g_registry.newest_removed.load(std::memory_order_relaxed);
}

void ForgetThreadLogs() {
  // Nothing is freed: what a thread that the fork left behind was doing is left where it is.
  new (&g_registry) Registry();
}

}  // namespace flopsprof::injector
