// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The transitions of one forward thread, ascending by node number: "from this number on nodes are
// made in this scope". They are in chunks of the common pool (transition_chunks.h), which other
// logs may take away; only the newest transition is the log's own.
//
// Threads: one writes (its owner), any read. No lock.

#include <stdint.h>

#include <atomic>

#include "injector/scopes/transition_chunks.h"

namespace flopsprof::injector {

// Lies in zeroed pages; Begin makes it a thread's.
class ThreadLog {
 public:
  // Whose a log is: a thread's that runs, one's that has ended, or being given to another.
  enum class Owner : uint32_t { kRuns, kEnded, kChanges };

  // Makes it the log of this thread, with nothing in it.
  void Begin(uint64_t thread_number);

  // From now on nodes with `sequence` and later are made in `scope`. Owner only.
  void Note(uint64_t sequence, uint32_t scope);

  // The owner has ended. From now on the last chunk may be taken by another log.
  void End();
  // The owner notes again: the main thread runs on after its end.
  bool ResumeIfEnded();
  // For another thread. False: it has not ended, or somebody else was faster. Then `Begin`.
  bool TryTakeFromEnded();

  // Which scope was a node made in? Any thread.
  NodeLookup Find(uint64_t sequence, uint32_t* scope) const;

  uint64_t thread() const { return thread_.load(std::memory_order_acquire); }
  Owner owner() const { return owner_.load(std::memory_order_acquire); }

 private:
  static constexpr uint64_t kNobody = UINT64_MAX;  // a thread number: it is being made ready
  static constexpr uint32_t kMaxChunks = ChunkPool::kMaxChunks;

  bool ReadNewest(uint64_t* sequence, uint32_t* scope) const;
  void PublishNewest(uint64_t sequence, uint32_t scope);
  void Append(uint64_t sequence, uint32_t scope);
  bool BeginChunk(uint64_t sequence, uint32_t scope);
  void CloseLast();
  NodeLookup FindInChunks(uint64_t sequence, uint32_t* scope) const;

  std::atomic<uint64_t> thread_;  // changes when the log is used again
  std::atomic<Owner> owner_;
  // The newest transition, not yet in a chunk: most module calls make no node, and their
  // transitions replace each other here. Two places in turn, so that a reader has one to read
  // while the owner is anywhere in writing the other.
  struct Newest {
    std::atomic<uint64_t> sequence;
    std::atomic<uint32_t> scope;
  };
  Newest newest_[2];
  std::atomic<uint32_t> version_;  // 0: no transition; else newest_[version_ & 1] is it
  // Chunk n of this log is at n % kMaxChunks.
  std::atomic<uint64_t> begin_;   // those before are forgotten: there is a gap behind them
  std::atomic<uint64_t> chunks_;  // so far
  TransitionChunk* last_;         // the open one, or null; the owner's
  std::atomic<uint32_t> tickets_[kMaxChunks];
  std::atomic<uint64_t> first_sequences_[kMaxChunks];
};

}  // namespace flopsprof::injector
