// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/scopes/sequence_log.h"

#include <stdlib.h>
#include <string.h>

#include <atomic>
#include <new>

#include "injector/record_sink.h"
#include "injector/scopes/spin_lock.h"

namespace flopsprof::injector {

namespace {

constexpr uint64_t kDefaultLimit = 1u << 20;  // 16 MiB over all threads

struct Transition {
  uint64_t sequence;
  uint32_t scope;
  uint32_t stamp;  // age: number of transitions before it in the process, in units
};
static_assert(sizeof(Transition) == 16, "1M transitions are 16 MiB");

}  // namespace

struct ThreadLog {
  SpinLock lock;
  uint64_t thread;  // changes when the struct is used again: compare under the lock
  Transition* entries;
  uint32_t count;
  uint32_t capacity;
  uint32_t unreported;  // appended here, not yet added to the registry's totals
  bool pruned;
  bool ended;
  ThreadLog* next_free;
  // The newest transition, not yet in `entries`: most module calls make no node, and their
  // transitions replace each other here without a lock. Written by the owner only; readers use
  // `version` (odd while it is written).
  std::atomic<uint32_t> version;
  std::atomic<bool> has_newest;
  std::atomic<uint32_t> newest_scope;
  std::atomic<uint64_t> newest_sequence;
};

namespace {

// Registry: open addressing by thread number. Lock order: registry, then one log.
struct Registry {
  SpinLock lock;
  ThreadLog** slots;
  uint32_t mask;
  uint32_t used;
  ThreadLog* free_logs;
  uint64_t newest_removed;  // logs of threads up to here may have been removed
  std::atomic<uint64_t> appended{0};
  std::atomic<uint64_t> total{0};
  std::atomic<uint64_t> limit{kDefaultLimit};
  std::atomic<bool> pruning{false};
};

Registry g_registry;

// The reader's last log: a backward pass asks for the same thread again and again.
__thread uint64_t t_cached_thread __attribute__((tls_model("initial-exec")));
__thread ThreadLog* t_cached_log __attribute__((tls_model("initial-exec")));

uint32_t StampUnit(uint64_t limit) {
  return limit >= 4096 ? static_cast<uint32_t>(limit / 1024) : 1;
}

uint32_t SlotOf(uint64_t thread) {
  return static_cast<uint32_t>((thread * 0x9E3779B97F4A7C15ull) >> 32);
}

// Transitions of one log that are reported to the registry at once.
uint32_t Batch(uint64_t limit) { return limit >= 4096 ? 32 : 1; }

// With the registry's lock held.
ThreadLog** FindSlot(uint64_t thread) {
  uint32_t i = SlotOf(thread) & g_registry.mask;
  while (g_registry.slots[i] != nullptr && g_registry.slots[i]->thread != thread) {
    i = (i + 1) & g_registry.mask;
  }
  return &g_registry.slots[i];
}

bool Rehash(uint32_t slots) {
  auto* fresh = static_cast<ThreadLog**>(calloc(slots, sizeof(ThreadLog*)));
  if (fresh == nullptr) return false;
  ThreadLog** old = g_registry.slots;
  const uint32_t old_slots = old == nullptr ? 0 : g_registry.mask + 1;
  g_registry.slots = fresh;
  g_registry.mask = slots - 1;
  for (uint32_t i = 0; i < old_slots; ++i) {
    if (old[i] != nullptr) *FindSlot(old[i]->thread) = old[i];
  }
  free(old);
  return true;
}

ThreadLog* FindLog(uint64_t thread, uint64_t* newest_removed) {
  SpinGuard guard(g_registry.lock);
  *newest_removed = g_registry.newest_removed;
  return g_registry.slots == nullptr ? nullptr : *FindSlot(thread);
}

// Drops transitions older than `oldest_stamp`, but keeps the newest of those: it still tells the
// scope of the nodes up to the next one.
void PruneLog(ThreadLog* log, uint32_t oldest_stamp) {
  SpinGuard guard(log->lock);
  uint32_t first = 0;
  while (first + 1 < log->count && log->entries[first + 1].stamp < oldest_stamp) ++first;
  if (first == 0) return;
  log->count -= first;
  memmove(log->entries, log->entries + first, log->count * sizeof(Transition));
  log->pruned = true;
  g_registry.total.fetch_add(log->unreported, std::memory_order_relaxed);
  log->unreported = 0;
  g_registry.total.fetch_sub(first, std::memory_order_relaxed);
}

// Removes logs of ended threads whose last transition is old. With the registry's lock held.
void RemoveEndedLogs(uint32_t oldest_stamp) {
  const uint32_t slots = g_registry.mask + 1;
  bool removed = false;
  for (uint32_t i = 0; i < slots; ++i) {
    ThreadLog* log = g_registry.slots[i];
    if (log == nullptr) continue;
    SpinGuard guard(log->lock);
    if (!log->ended || log->count > 1) continue;
    if (log->count == 1 && log->entries[0].stamp >= oldest_stamp) continue;
    if (log->thread > g_registry.newest_removed) g_registry.newest_removed = log->thread;
    g_registry.total.fetch_sub(log->count - log->unreported, std::memory_order_relaxed);
    free(log->entries);
    log->entries = nullptr;
    log->count = log->capacity = log->unreported = 0;
    log->thread = UINT64_MAX;
    log->next_free = g_registry.free_logs;
    g_registry.free_logs = log;
    g_registry.slots[i] = nullptr;
    --g_registry.used;
    removed = true;
  }
  if (removed) Rehash(slots);  // close the gaps in the probe chains
}

void Prune() {
  if (g_registry.pruning.exchange(true, std::memory_order_acquire)) return;
  const uint64_t limit = g_registry.limit.load(std::memory_order_relaxed);
  const uint64_t appended = g_registry.appended.load(std::memory_order_relaxed);
  const uint64_t keep = limit - limit / 8;
  const uint32_t oldest_stamp =
      appended <= keep ? 0 : static_cast<uint32_t>((appended - keep) / StampUnit(limit));
  {
    SpinGuard guard(g_registry.lock);
    for (uint32_t i = 0; i <= g_registry.mask; ++i) {
      if (g_registry.slots[i] != nullptr) PruneLog(g_registry.slots[i], oldest_stamp);
    }
    RemoveEndedLogs(oldest_stamp);
  }
  g_registry.pruning.store(false, std::memory_order_release);  // pairs with the exchange above
}

}  // namespace

ThreadLog* AcquireThreadLog(uint64_t thread_number) {
  SpinGuard guard(g_registry.lock);
  if (g_registry.slots == nullptr || (g_registry.used + 1) * 2 > g_registry.mask + 1) {
    const uint32_t slots = g_registry.slots == nullptr ? 256 : (g_registry.mask + 1) * 2;
    if (!Rehash(slots)) return nullptr;
  }
  ThreadLog** slot = FindSlot(thread_number);
  if (*slot != nullptr) return *slot;
  ThreadLog* log = g_registry.free_logs;
  if (log != nullptr) {
    g_registry.free_logs = log->next_free;
  } else {
    log = static_cast<ThreadLog*>(calloc(1, sizeof(ThreadLog)));
    if (log == nullptr) return nullptr;
  }
  {
    SpinGuard log_guard(log->lock);  // a reader may still hold it from its former life
    log->thread = thread_number;
    log->pruned = log->ended = false;
    log->has_newest.store(false, std::memory_order_relaxed);
  }
  *slot = log;
  ++g_registry.used;
  return log;
}

namespace {

// Appends with the log's lock held. The stamp is exact to a batch, which ages need no more than.
void Append(ThreadLog* log, uint64_t sequence, uint32_t scope, uint64_t limit) {
  if (log->count > 0 && log->entries[log->count - 1].scope == scope) return;
  if (log->count == log->capacity) {
    const uint32_t capacity = log->capacity == 0 ? 64 : log->capacity * 2;
    void* grown = realloc(log->entries, capacity * sizeof(Transition));
    if (grown == nullptr) {
      // With a gap the log would name wrong scopes: start it again, marked as pruned.
      g_registry.total.fetch_sub(log->count - log->unreported, std::memory_order_relaxed);
      log->count = log->unreported = 0;
      log->pruned = true;
      if (log->capacity == 0) return;
    } else {
      log->entries = static_cast<Transition*>(grown);
      log->capacity = capacity;
    }
  }
  const uint64_t number = g_registry.appended.load(std::memory_order_relaxed);
  log->entries[log->count++] = {sequence, scope, static_cast<uint32_t>(number / StampUnit(limit))};
  if (++log->unreported < Batch(limit)) return;
  g_registry.appended.fetch_add(log->unreported, std::memory_order_relaxed);
  g_registry.total.fetch_add(log->unreported, std::memory_order_relaxed);
  log->unreported = 0;
}

// A sequence lock without fences: who reads a new value (acquire) also sees the odd version that
// was stored before it (release).
void PublishNewest(ThreadLog* log, uint64_t sequence, uint32_t scope) {
  const uint32_t version = log->version.load(std::memory_order_relaxed);
  log->version.store(version + 1, std::memory_order_relaxed);
  log->newest_sequence.store(sequence, std::memory_order_release);
  log->newest_scope.store(scope, std::memory_order_release);
  log->has_newest.store(true, std::memory_order_release);
  log->version.store(version + 2, std::memory_order_release);  // pairs with the first load below
}

// False: there is none.
bool ReadNewest(const ThreadLog* log, uint64_t* sequence, uint32_t* scope) {
  for (;;) {
    const uint32_t version = log->version.load(std::memory_order_acquire);
    const bool there = log->has_newest.load(std::memory_order_acquire);
    *sequence = log->newest_sequence.load(std::memory_order_acquire);
    *scope = log->newest_scope.load(std::memory_order_acquire);
    if ((version & 1) == 0 && log->version.load(std::memory_order_relaxed) == version) {
      return there;
    }
  }
}

}  // namespace

void ReleaseThreadLog(ThreadLog* log) {
  SpinGuard guard(log->lock);
  // With an age of its own, which decides when the log may go.
  if (log->has_newest.load(std::memory_order_relaxed)) {
    Append(log, log->newest_sequence.load(std::memory_order_relaxed),
           log->newest_scope.load(std::memory_order_relaxed),
           g_registry.limit.load(std::memory_order_relaxed));
  }
  log->ended = true;
}

void NoteTransition(ThreadLog* log, uint64_t sequence, uint32_t scope) {
  if (!log->has_newest.load(std::memory_order_relaxed)) return PublishNewest(log, sequence, scope);
  const uint64_t newest = log->newest_sequence.load(std::memory_order_relaxed);
  const uint32_t newest_scope = log->newest_scope.load(std::memory_order_relaxed);
  if (newest_scope == scope) return;
  if (newest == sequence) {
    // No node was made since: the transition before this one counts for nothing.
    return PublishNewest(log, sequence, scope);
  }
  const uint64_t limit = g_registry.limit.load(std::memory_order_relaxed);
  {
    SpinGuard guard(log->lock);
    Append(log, newest, newest_scope, limit);
  }
  PublishNewest(log, sequence, scope);
  if (g_registry.total.load(std::memory_order_relaxed) > limit) Prune();
}

NodeLookup FindNodeScope(uint64_t thread_number, uint64_t sequence, uint32_t* scope) {
  *scope = shm::kOutsideScope;
  uint64_t newest_removed = 0;
  ThreadLog* log = t_cached_log;
  if (log == nullptr || t_cached_thread != thread_number) {
    log = FindLog(thread_number, &newest_removed);
    if (log == nullptr) {
      return thread_number <= newest_removed ? NodeLookup::kPruned : NodeLookup::kBeforeLog;
    }
    t_cached_thread = thread_number;
    t_cached_log = log;
  }
  SpinGuard guard(log->lock);
  if (log->thread != thread_number) {  // removed and used again since it was cached
    t_cached_log = nullptr;
    return NodeLookup::kPruned;
  }
  uint64_t newest_sequence;
  uint32_t newest_scope;
  if (ReadNewest(log, &newest_sequence, &newest_scope) && newest_sequence <= sequence) {
    *scope = newest_scope;
    return NodeLookup::kFound;
  }
  uint32_t low = 0, high = log->count;  // first entry with a larger number
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (log->entries[middle].sequence <= sequence) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  if (low == 0) return log->pruned ? NodeLookup::kPruned : NodeLookup::kBeforeLog;
  *scope = log->entries[low - 1].scope;
  return NodeLookup::kFound;
}

uint64_t SequenceLogEntries() { return g_registry.total.load(std::memory_order_relaxed); }

void ForgetSequenceLogs() {
  // Nothing is freed: in a forked child the allocator's and our locks may be held for ever.
  new (&g_registry) Registry();
  t_cached_log = nullptr;
}

void SetSequenceLogLimitForTesting(uint64_t entries) {
  g_registry.limit.store(entries, std::memory_order_relaxed);
}

}  // namespace flopsprof::injector
