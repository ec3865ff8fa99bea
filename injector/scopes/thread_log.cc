// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/scopes/thread_log.h"

#include "injector/base/platform.h"
#include "injector/scopes/near_search.h"

namespace flopsprof::injector {
namespace {

// The chunk in which the reader's last answer was, of whichever log, + 1.
__thread uint64_t t_last_chunk __attribute__((tls_model("initial-exec")));

}  // namespace

void ThreadLog::Begin(uint64_t thread_number) {
  version_.store(0, std::memory_order_release);
  begin_.store(0, std::memory_order_release);
  chunks_.store(0, std::memory_order_release);
  last_ = nullptr;
  thread_.store(thread_number, std::memory_order_release);
  owner_.store(Owner::kRuns, std::memory_order_release);
}

void ThreadLog::End() {
  CloseLast();  // from now on it has an age
  owner_.store(Owner::kEnded, std::memory_order_release);
}

bool ThreadLog::ResumeIfEnded() {
  Owner ended = Owner::kEnded;
  return owner_.compare_exchange_strong(ended, Owner::kRuns, std::memory_order_acq_rel);
}

bool ThreadLog::TryTakeFromEnded() {
  Owner ended = Owner::kEnded;
  if (!owner_.compare_exchange_strong(ended, Owner::kChanges, std::memory_order_acq_rel)) {
    return false;
  }
  thread_.store(kNobody, std::memory_order_release);
  return true;
}

FLOPSPROF_HOT void ThreadLog::Note(uint64_t sequence, uint32_t scope) {
  const uint32_t version = version_.load(std::memory_order_relaxed);
  if (version == 0) return PublishNewest(sequence, scope);
  const Newest& newest = newest_[version & 1];
  const uint64_t newest_sequence = newest.sequence.load(std::memory_order_relaxed);
  const uint32_t newest_scope = newest.scope.load(std::memory_order_relaxed);
  if (newest_scope == scope) return;
  // Where no node was made since, the transition before this one counts for nothing.
  if (newest_sequence != sequence) Append(newest_sequence, newest_scope);
  PublishNewest(sequence, scope);
}

void ThreadLog::PublishNewest(uint64_t sequence, uint32_t scope) {
  uint32_t version = version_.load(std::memory_order_relaxed) + 1;
  if (version == 0) version = 2;  // 0 means none; 2 is of the same place
  Newest& newest = newest_[version & 1];
  newest.sequence.store(sequence, std::memory_order_release);
  newest.scope.store(scope, std::memory_order_release);
  version_.store(version, std::memory_order_release);  // pairs with the loads in ReadNewest
}

// False: there is none. Reads again only when the owner has come further meanwhile.
bool ThreadLog::ReadNewest(uint64_t* sequence, uint32_t* scope) const {
  for (uint32_t version = version_.load(std::memory_order_acquire);;) {
    const Newest& newest = newest_[version & 1];
    *sequence = newest.sequence.load(std::memory_order_acquire);
    *scope = newest.scope.load(std::memory_order_acquire);
    const uint32_t now = version_.load(std::memory_order_acquire);
    if (now == version) return version != 0;
    version = now;
  }
}

void ThreadLog::Append(uint64_t sequence, uint32_t scope) {
  if (last_ == nullptr) {
    if (BeginChunk(sequence, scope)) return;
  } else {
    const uint32_t last_scope = last_->newest_scope();
    if (last_scope == scope) return;
    if (!last_->is_full()) return last_->Add(sequence, scope);
    // The new chunk tells of the nodes up to its first transition although this one is forgotten.
    if (BeginChunk(last_->newest_sequence(), last_scope)) return last_->Add(sequence, scope);
  }
  // With a gap the log would name wrong scopes.
  begin_.store(chunks_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  chunks_.store(chunks_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

// A new last chunk, which begins with this transition. False: there is none.
FLOPSPROF_APART bool ThreadLog::BeginChunk(uint64_t sequence, uint32_t scope) {
  CloseLast();
  uint64_t ticket;
  TransitionChunk* chunk = g_chunk_pool.Take(&ticket);
  if (chunk == nullptr) return false;
  chunk->Open(ticket, sequence, scope);
  const uint64_t n = chunks_.load(std::memory_order_relaxed);
  tickets_[n % kMaxChunks].store(static_cast<uint32_t>(ticket), std::memory_order_release);
  first_sequences_[n % kMaxChunks].store(sequence, std::memory_order_release);
  chunks_.store(n + 1, std::memory_order_release);  // pairs with the acquires in FindInChunks
  last_ = chunk;
  return true;
}

void ThreadLog::CloseLast() {
  if (last_ == nullptr) return;
  last_->Close();
  last_ = nullptr;
}

NodeLookup ThreadLog::Find(uint64_t sequence, uint32_t* scope) const {
  uint64_t newest_sequence;
  if (ReadNewest(&newest_sequence, scope) && newest_sequence <= sequence) return NodeLookup::kFound;
  return FindInChunks(sequence, scope);
}

NodeLookup ThreadLog::FindInChunks(uint64_t sequence, uint32_t* scope) const {
  const uint64_t end = chunks_.load(std::memory_order_acquire);
  uint64_t begin = begin_.load(std::memory_order_acquire);
  if (end > begin + kMaxChunks) begin = end - kMaxChunks;
  const uint64_t found = UpperBoundNear(
      [this](uint64_t n) {
        return first_sequences_[n % kMaxChunks].load(std::memory_order_acquire);
      },
      begin, end, t_last_chunk, sequence);
  t_last_chunk = found;
  if (found == begin) return begin == 0 ? NodeLookup::kBeforeLog : NodeLookup::kPruned;
  const uint32_t ticket = tickets_[(found - 1) % kMaxChunks].load(std::memory_order_acquire);
  const NodeLookup result = g_chunk_pool.ChunkOf(ticket).Find(ticket, sequence, scope);
  // What was read may have been written anew meanwhile.
  const bool same = chunks_.load(std::memory_order_acquire) <= begin + kMaxChunks;
  return same ? result : NodeLookup::kPruned;
}

}  // namespace flopsprof::injector
