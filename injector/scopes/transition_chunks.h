// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The room of all sequence logs: chunks of transitions (node number, scope). All threads' logs take
// their chunks from one pool. Nothing is freed: a log that needs a chunk takes the one that was
// taken longest ago in the process, whoever has it, so that each step of growth and of forgetting
// costs the same. Each taking has a ticket; who reads a chunk knows the ticket of the life that he
// means, and compares it before and after. Nobody waits for anybody.

#include <stdint.h>

#include <atomic>

namespace flopsprof::injector {

enum class NodeLookup {
  kFound,
  kBeforeLog,  // made before any scope was entered on its thread: outside
  kPruned,     // not known any more
};

// The first transition of a chunk repeats the last of the chunk before.
constexpr uint32_t kChunkEntries = 63;

// Written by the thread that took it last, until that closes it. All stores of a new life are
// releases and all loads acquires: who reads one sees the state that was stored before it.
class TransitionChunk {
 public:
  // For the owner alone. A chunk that is taken is empty until the owner opens it with its first
  // transition. Another log may take a chunk that is closed.
  void Open(uint64_t ticket, uint64_t sequence, uint32_t scope);
  void Add(uint64_t sequence, uint32_t scope);
  void Close();
  bool is_full() const { return Count() == kChunkEntries; }
  uint64_t newest_sequence() const { return Load(sequences_[Count() - 1]); }
  uint32_t newest_scope() const { return Load(scopes_[Count() - 1]); }

  // The scope of the last transition at or below `sequence`, in the life that `ticket` names.
  // kPruned: that life is over, or has no such transition.
  NodeLookup Find(uint32_t ticket, uint64_t sequence, uint32_t* scope) const;

  uint32_t Count() const { return count_.load(std::memory_order_relaxed); }

  // For the pool: False: the log of an earlier life still adds to it, or a later one has it.
  bool TryTake(uint64_t ticket);

 private:
  enum Phase : uint64_t { kClosed = 0, kFilling = 1, kOpen = 2 };  // open: its log still adds to it

  template <class Number>
  static Number Load(const std::atomic<Number>& number) {
    return number.load(std::memory_order_relaxed);
  }
  // Is this the life of that ticket, with a transition in it?
  bool IsReadable(uint32_t ticket) const;

  std::atomic<uint64_t> state_;  // ticket << 2 | phase; 0: never taken
  std::atomic<uint32_t> count_;
  std::atomic<uint32_t> scopes_[kChunkEntries];
  std::atomic<uint64_t> sequences_[kChunkEntries];
};
static_assert(sizeof(TransitionChunk) == 768, "twelve cache lines");

// Threads: any. It is a global; all zero pages are what it gives out.
class ChunkPool {
 public:
  static constexpr uint32_t kMaxChunks = 1u << 14;  // 12 MiB, 1,015,808 transitions

  // True also when it is reserved already.
  bool Reserve();

  // The chunk that was taken longest ago, but none that its log still adds to: of those each log
  // has at most one. Null: there is none.
  TransitionChunk* Take(uint64_t* ticket);

  // The chunk that a ticket was for, whoever has it now. Only once one has been taken.
  const TransitionChunk& ChunkOf(uint32_t ticket) const;

  uint64_t CountEntries() const;

  void SetLimitForTesting(uint32_t chunks) { limit_.store(chunks, std::memory_order_relaxed); }

 private:
  std::atomic<TransitionChunk*> chunks_{nullptr};
  std::atomic<uint64_t> next_ticket_{1};
  std::atomic<uint32_t> limit_{kMaxChunks};
};

extern ChunkPool g_chunk_pool;

}  // namespace flopsprof::injector
