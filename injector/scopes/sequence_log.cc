// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/scopes/sequence_log.h"

#include <sys/mman.h>

#include <atomic>
#include <new>

#include "injector/base/platform.h"
#include "injector/transport/record_sink.h"

namespace flopsprof::injector {

namespace {

constexpr uint32_t kMaxChunks = 1u << 14;  // 12 MiB, 1,015,808 transitions
constexpr uint32_t kSets = 1024;           // of logs, by thread number
constexpr uint32_t kWays = 8;
constexpr uint32_t kTakeTries = 1024;
constexpr uint64_t kNobody = UINT64_MAX;  // a thread number: the log is being made ready

// What a chunk's state holds beside its ticket, which says when it was taken.
enum Phase : uint64_t { kClosed = 0, kFilling = 1, kOpen = 2 };  // open: its log still adds to it

// Written by the thread that took it last, until that closes it. All stores of a new life are
// releases and all loads acquires: who reads one sees the state that was stored before it.
struct Chunk {
  std::atomic<uint64_t> state;  // ticket << 2 | phase; 0: never taken
  std::atomic<uint32_t> count;
  std::atomic<uint32_t> scopes[kChunkEntries];
  std::atomic<uint64_t> sequences[kChunkEntries];
};
static_assert(sizeof(Chunk) == 768, "twelve cache lines");

// Whose a log is: a thread's that runs, one's that has ended, or being given to another.
enum class Owner : uint32_t { kRuns, kEnded, kChanges };

uint32_t TicketOf(uint64_t state) { return static_cast<uint32_t>(state >> 2); }

}  // namespace

struct ThreadLog {
  std::atomic<uint64_t> thread;  // changes when the log is used again
  std::atomic<Owner> owner;
  // The newest transition, not yet in a chunk: most module calls make no node, and their
  // transitions replace each other here. Two places in turn, so that a reader has one to read
  // while the owner is anywhere in writing the other.
  struct Newest {
    std::atomic<uint64_t> sequence;
    std::atomic<uint32_t> scope;
  };
  Newest newest[2];
  std::atomic<uint32_t> version;  // 0: no transition; else newest[version & 1] is it
  // Chunk n of this log is at n % kMaxChunks.
  std::atomic<uint64_t> begin;   // those before are forgotten: there is a gap behind them
  std::atomic<uint64_t> chunks;  // so far
  Chunk* last;                   // the open one, or null; the owner's
  std::atomic<uint32_t> tickets[kMaxChunks];
  std::atomic<uint64_t> first_sequences[kMaxChunks];
};

namespace {

struct Registry {
  std::atomic<ThreadLog*> ways[kSets][kWays];
  std::atomic<Chunk*> pool;
  std::atomic<uint64_t> next_ticket{1};
  std::atomic<uint64_t> newest_removed{0};  // logs of threads up to here may have been removed
  std::atomic<uint32_t> chunk_limit{kMaxChunks};
};

Registry g_registry;

// The reader's last log: a backward pass asks for the same thread again and again.
__thread uint64_t t_cached_thread __attribute__((tls_model("initial-exec")));
__thread ThreadLog* t_cached_log __attribute__((tls_model("initial-exec")));

ThreadLog* FindLog(uint64_t thread) {
  for (const auto& way : g_registry.ways[thread % kSets]) {
    // Acquire; pairs with the exchange in AcquireThreadLog.
    ThreadLog* log = way.load(std::memory_order_acquire);
    if (log != nullptr && log->thread.load(std::memory_order_acquire) == thread) return log;
  }
  return nullptr;
}

void NoteRemoved(uint64_t thread) {
  uint64_t newest = g_registry.newest_removed.load(std::memory_order_relaxed);
  while (newest < thread && !g_registry.newest_removed.compare_exchange_weak(
                                newest, thread, std::memory_order_relaxed)) {
  }
}

Chunk* Pool() {
  Chunk* pool = g_registry.pool.load(std::memory_order_acquire);
  if (pool != nullptr) return pool;
  void* pages = MapPages(kMaxChunks * sizeof(Chunk));
  if (pages == nullptr) return nullptr;
  if (g_registry.pool.compare_exchange_strong(pool, static_cast<Chunk*>(pages),
                                              std::memory_order_acq_rel)) {
    return static_cast<Chunk*>(pages);
  }
  munmap(pages, kMaxChunks * sizeof(Chunk));  // another thread was faster
  return pool;
}

// The chunk that was taken longest ago, but none that its log still adds to: of those each log has
// at most one. Null: there is none.
Chunk* TakeChunk(uint64_t* ticket) {
  Chunk* pool = g_registry.pool.load(std::memory_order_acquire);
  if (pool == nullptr) return nullptr;
  const uint32_t limit = g_registry.chunk_limit.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i < kTakeTries; ++i) {
    *ticket = g_registry.next_ticket.fetch_add(1, std::memory_order_relaxed);
    Chunk* chunk = &pool[*ticket % limit];
    uint64_t state = chunk->state.load(std::memory_order_relaxed);
    if ((state & 3) != kClosed || state >> 2 > *ticket) continue;
    if (chunk->state.compare_exchange_strong(state, *ticket << 2 | kFilling,
                                             std::memory_order_acq_rel)) {
      return chunk;
    }
  }
  return nullptr;
}

void Add(Chunk* chunk, uint64_t sequence, uint32_t scope) {
  const uint32_t count = chunk->count.load(std::memory_order_relaxed);
  chunk->sequences[count].store(sequence, std::memory_order_release);
  chunk->scopes[count].store(scope, std::memory_order_release);
  chunk->count.store(count + 1, std::memory_order_release);
}

void CloseLast(ThreadLog* log) {
  if (log->last == nullptr) return;
  const uint64_t state = log->last->state.load(std::memory_order_relaxed);
  log->last->state.store((state & ~uint64_t{3}) | kClosed, std::memory_order_release);
  log->last = nullptr;
}

// A new last chunk, which begins with this transition. False: there is none.
bool BeginChunk(ThreadLog* log, uint64_t sequence, uint32_t scope) {
  CloseLast(log);
  uint64_t ticket;
  Chunk* chunk = TakeChunk(&ticket);
  if (chunk == nullptr) return false;
  chunk->count.store(0, std::memory_order_release);
  Add(chunk, sequence, scope);
  chunk->state.store(ticket << 2 | kOpen, std::memory_order_release);
  const uint64_t n = log->chunks.load(std::memory_order_relaxed);
  log->tickets[n % kMaxChunks].store(static_cast<uint32_t>(ticket), std::memory_order_release);
  log->first_sequences[n % kMaxChunks].store(sequence, std::memory_order_release);
  log->chunks.store(n + 1, std::memory_order_release);  // pairs with the acquires in Search
  log->last = chunk;
  return true;
}

FLOPSPROF_HOT void Append(ThreadLog* log, uint64_t sequence, uint32_t scope) {
  Chunk* last = log->last;
  if (last != nullptr) {
    const uint32_t count = last->count.load(std::memory_order_relaxed);
    const uint32_t last_scope = last->scopes[count - 1].load(std::memory_order_relaxed);
    if (last_scope == scope) return;
    if (count < kChunkEntries) return Add(last, sequence, scope);
    // The new chunk tells of the nodes up to its first transition although this one is forgotten.
    if (BeginChunk(log, last->sequences[count - 1].load(std::memory_order_relaxed), last_scope)) {
      return Add(log->last, sequence, scope);
    }
  } else if (BeginChunk(log, sequence, scope)) {
    return;
  }
  // With a gap the log would name wrong scopes.
  log->begin.store(log->chunks.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  log->chunks.store(log->chunks.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

void PublishNewest(ThreadLog* log, uint64_t sequence, uint32_t scope) {
  uint32_t version = log->version.load(std::memory_order_relaxed) + 1;
  if (version == 0) version = 2;  // 0 means none; 2 is of the same place
  ThreadLog::Newest& newest = log->newest[version & 1];
  newest.sequence.store(sequence, std::memory_order_release);
  newest.scope.store(scope, std::memory_order_release);
  log->version.store(version, std::memory_order_release);  // pairs with the loads in ReadNewest
}

// False: there is none. Reads again only when the owner has come further meanwhile.
bool ReadNewest(const ThreadLog* log, uint64_t* sequence, uint32_t* scope) {
  for (uint32_t version = log->version.load(std::memory_order_acquire);;) {
    const ThreadLog::Newest& newest = log->newest[version & 1];
    *sequence = newest.sequence.load(std::memory_order_acquire);
    *scope = newest.scope.load(std::memory_order_acquire);
    const uint32_t now = log->version.load(std::memory_order_acquire);
    if (now == version) return version != 0;
    version = now;
  }
}

// One behind the last at or below the sequence, of those from `low` to `high`; `low`: none is.
// Looks around `near` first: a backward pass asks for falling numbers, so that the answer is mostly
// next to the one before, however long the log is.
template <class Sequences>
uint64_t UpperBound(const Sequences& at, uint64_t low, uint64_t high, uint64_t near,
                    uint64_t sequence) {
  if (near < low) near = low;
  if (near > high) near = high;
  uint64_t step = 1;
  if (near > low && at(near - 1) > sequence) {
    for (high = near - 1; step < high - low && at(high - step) > sequence; step *= 2) high -= step;
    if (step < high - low) low = high - step + 1;
  } else {
    for (low = near; step <= high - low && at(low + step - 1) <= sequence; step *= 2) low += step;
    if (step <= high - low) high = low + step - 1;
  }
  while (low < high) {
    const uint64_t middle = low + (high - low) / 2;
    if (at(middle) <= sequence) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// Where the reader's last answer was.
struct Place {
  uint64_t chunk;  // of the log, + 1
  uint32_t ticket;
  uint64_t entry;  // of the chunk of that ticket, + 1
};
__thread Place t_place __attribute__((tls_model("initial-exec")));

NodeLookup SearchChunk(const Chunk& chunk, uint32_t ticket, uint64_t sequence, uint32_t* scope) {
  const uint64_t before = chunk.state.load(std::memory_order_acquire);
  if (TicketOf(before) != ticket || (before & 3) == kFilling) return NodeLookup::kPruned;
  const uint32_t count = chunk.count.load(std::memory_order_acquire);
  const uint64_t near = t_place.ticket == ticket ? t_place.entry : kChunkEntries;
  const auto found = static_cast<uint32_t>(
      UpperBound([&](uint64_t i) { return chunk.sequences[i].load(std::memory_order_acquire); }, 0,
                 count < kChunkEntries ? count : kChunkEntries, near, sequence));
  const uint32_t answer = chunk.scopes[found == 0 ? 0 : found - 1].load(std::memory_order_acquire);
  const uint64_t after = chunk.state.load(std::memory_order_acquire);
  if (TicketOf(after) != ticket || (after & 3) == kFilling || found == 0) {
    return NodeLookup::kPruned;  // taken by another log since
  }
  t_place.ticket = ticket;
  t_place.entry = found;
  *scope = answer;
  return NodeLookup::kFound;
}

NodeLookup Search(const ThreadLog* log, uint64_t sequence, uint32_t* scope) {
  const Chunk* pool = g_registry.pool.load(std::memory_order_acquire);
  const uint32_t limit = g_registry.chunk_limit.load(std::memory_order_relaxed);
  const uint64_t end = log->chunks.load(std::memory_order_acquire);
  uint64_t begin = log->begin.load(std::memory_order_acquire);
  if (end > begin + kMaxChunks) begin = end - kMaxChunks;
  const uint64_t found = UpperBound(
      [&](uint64_t n) {
        return log->first_sequences[n % kMaxChunks].load(std::memory_order_acquire);
      },
      begin, end, t_place.chunk, sequence);
  t_place.chunk = found;
  if (found == begin) return begin == 0 ? NodeLookup::kBeforeLog : NodeLookup::kPruned;
  const uint32_t ticket = log->tickets[(found - 1) % kMaxChunks].load(std::memory_order_acquire);
  const NodeLookup result = SearchChunk(pool[ticket % limit], ticket, sequence, scope);
  // What was read may have been written anew meanwhile.
  const bool same = log->chunks.load(std::memory_order_acquire) <= begin + kMaxChunks;
  return same ? result : NodeLookup::kPruned;
}

// Makes the log one of this thread's, with nothing in it.
void BeginLog(ThreadLog* log, uint64_t thread_number) {
  log->version.store(0, std::memory_order_release);
  log->begin.store(0, std::memory_order_release);
  log->chunks.store(0, std::memory_order_release);
  log->last = nullptr;
  log->thread.store(thread_number, std::memory_order_release);
  log->owner.store(Owner::kRuns, std::memory_order_release);
}

// The log of the thread that began first, of those of its set that have ended. Null: none has.
ThreadLog* TakeEndedLog(uint64_t thread_number) {
  for (uint32_t tries = 0; tries < kWays; ++tries) {
    ThreadLog* oldest = nullptr;
    for (const auto& way : g_registry.ways[thread_number % kSets]) {
      ThreadLog* log = way.load(std::memory_order_acquire);
      if (log == nullptr || log->owner.load(std::memory_order_acquire) != Owner::kEnded) continue;
      if (oldest == nullptr || log->thread.load(std::memory_order_relaxed) <
                                   oldest->thread.load(std::memory_order_relaxed)) {
        oldest = log;
      }
    }
    if (oldest == nullptr) return nullptr;
    Owner ended = Owner::kEnded;
    if (!oldest->owner.compare_exchange_strong(ended, Owner::kChanges, std::memory_order_acq_rel)) {
      continue;
    }
    NoteRemoved(oldest->thread.load(std::memory_order_relaxed));
    oldest->thread.store(kNobody, std::memory_order_release);
    return oldest;
  }
  return nullptr;
}

}  // namespace

ThreadLog* AcquireThreadLog(uint64_t thread_number) {
  Pool();
  if (ThreadLog* known = FindLog(thread_number)) {
    Owner owner = Owner::kEnded;  // the main thread runs on after its end
    const bool again =
        known->owner.compare_exchange_strong(owner, Owner::kRuns, std::memory_order_acq_rel);
    if (again ||
        (owner == Owner::kRuns && known->thread.load(std::memory_order_acquire) == thread_number)) {
      return known;
    }
  }
  ThreadLog* fresh = nullptr;
  for (auto& way : g_registry.ways[thread_number % kSets]) {
    ThreadLog* there = way.load(std::memory_order_relaxed);
    if (there != nullptr) continue;
    if (fresh == nullptr) fresh = static_cast<ThreadLog*>(MapPages(sizeof(ThreadLog)));
    if (fresh == nullptr) return nullptr;
    BeginLog(fresh, thread_number);
    if (way.compare_exchange_strong(there, fresh, std::memory_order_acq_rel)) return fresh;
  }
  if (fresh != nullptr) munmap(static_cast<void*>(fresh), sizeof(ThreadLog));
  ThreadLog* log = TakeEndedLog(thread_number);
  if (log != nullptr) {
    BeginLog(log, thread_number);
  } else {
    NoteRemoved(thread_number);
  }
  return log;
}

void ReleaseThreadLog(ThreadLog* log) {
  CloseLast(log);  // from now on it has an age
  log->owner.store(Owner::kEnded, std::memory_order_release);
}

void NoteTransition(ThreadLog* log, uint64_t sequence, uint32_t scope) {
  const uint32_t version = log->version.load(std::memory_order_relaxed);
  if (version == 0) return PublishNewest(log, sequence, scope);
  const ThreadLog::Newest& newest = log->newest[version & 1];
  const uint64_t newest_sequence = newest.sequence.load(std::memory_order_relaxed);
  const uint32_t newest_scope = newest.scope.load(std::memory_order_relaxed);
  if (newest_scope == scope) return;
  // Where no node was made since, the transition before this one counts for nothing.
  if (newest_sequence != sequence) Append(log, newest_sequence, newest_scope);
  PublishNewest(log, sequence, scope);
}

NodeLookup FindNodeScope(uint64_t thread_number, uint64_t sequence, uint32_t* scope) {
  *scope = shm::kOutsideScope;
  ThreadLog* log = t_cached_log;
  if (log == nullptr || t_cached_thread != thread_number) {
    log = FindLog(thread_number);
    if (log == nullptr) {
      return thread_number <= g_registry.newest_removed.load(std::memory_order_relaxed)
                 ? NodeLookup::kPruned
                 : NodeLookup::kBeforeLog;
    }
    t_cached_thread = thread_number;
    t_cached_log = log;
  }
  uint64_t newest_sequence;
  uint32_t answer;
  NodeLookup result = NodeLookup::kFound;
  if (!ReadNewest(log, &newest_sequence, &answer) || newest_sequence > sequence) {
    result = Search(log, sequence, &answer);
  }
  if (log->thread.load(std::memory_order_acquire) != thread_number) {
    t_cached_log = nullptr;  // another thread's since it was cached, or meanwhile
    return NodeLookup::kPruned;
  }
  if (result == NodeLookup::kFound) *scope = answer;
  return result;
}

uint64_t SequenceLogEntries() {
  const Chunk* pool = g_registry.pool.load(std::memory_order_acquire);
  uint64_t entries = 0;
  uint64_t taken = g_registry.next_ticket.load(std::memory_order_relaxed);
  const uint32_t limit = g_registry.chunk_limit.load(std::memory_order_relaxed);
  if (taken > limit) taken = limit;
  for (uint64_t i = 0; pool != nullptr && i < taken; ++i) {
    entries += pool[i].count.load(std::memory_order_relaxed);
  }
  return entries;
}

void ForgetSequenceLogs() {
  // Nothing is freed: what a thread that the fork left behind was doing is left where it is.
  new (&g_registry) Registry();
  t_cached_log = nullptr;
}

void SetSequenceLogLimitForTesting(uint64_t entries) {
  g_registry.chunk_limit.store(static_cast<uint32_t>(entries / kChunkEntries),
                               std::memory_order_relaxed);
}

}  // namespace flopsprof::injector
