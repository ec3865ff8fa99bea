// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/scopes/transition_chunks.h"

#include <sys/mman.h>

#include "injector/base/pages.h"
#include "injector/scopes/near_search.h"

namespace flopsprof::injector {
namespace {

constexpr uint32_t kTakeTries = 1024;

// Where the reader's last answer was.
struct LastAnswer {
  uint32_t ticket;
  uint64_t entry;  // of the chunk of that ticket, + 1
};
__thread LastAnswer t_last_answer __attribute__((tls_model("initial-exec")));

}  // namespace

ChunkPool g_chunk_pool;

void TransitionChunk::Open(uint64_t ticket, uint64_t sequence, uint32_t scope) {
  count_.store(0, std::memory_order_release);
  Add(sequence, scope);
  state_.store(ticket << 2 | kOpen, std::memory_order_release);
}

void TransitionChunk::Add(uint64_t sequence, uint32_t scope) {
  const uint32_t count = Count();
  sequences_[count].store(sequence, std::memory_order_release);
  scopes_[count].store(scope, std::memory_order_release);
  count_.store(count + 1, std::memory_order_release);
}

void TransitionChunk::Close() {
  state_.store((Load(state_) & ~uint64_t{3}) | kClosed, std::memory_order_release);
}

bool TransitionChunk::TryTake(uint64_t ticket) {
  uint64_t state = Load(state_);
  if ((state & 3) != kClosed || state >> 2 > ticket) return false;
  return state_.compare_exchange_strong(state, ticket << 2 | kFilling, std::memory_order_acq_rel);
}

bool TransitionChunk::IsReadable(uint32_t ticket) const {
  const uint64_t state = state_.load(std::memory_order_acquire);
  return static_cast<uint32_t>(state >> 2) == ticket && (state & 3) != kFilling;
}

NodeLookup TransitionChunk::Find(uint32_t ticket, uint64_t sequence, uint32_t* scope) const {
  if (!IsReadable(ticket)) return NodeLookup::kPruned;
  const uint32_t count = count_.load(std::memory_order_acquire);
  const uint64_t near = t_last_answer.ticket == ticket ? t_last_answer.entry : kChunkEntries;
  const auto found = static_cast<uint32_t>(
      UpperBoundNear([this](uint64_t i) { return sequences_[i].load(std::memory_order_acquire); },
                     0, count < kChunkEntries ? count : kChunkEntries, near, sequence));
  const uint32_t answer = scopes_[found == 0 ? 0 : found - 1].load(std::memory_order_acquire);
  // Another log may have taken it while it was read.
  if (!IsReadable(ticket) || found == 0) return NodeLookup::kPruned;
  t_last_answer.ticket = ticket;
  t_last_answer.entry = found;
  *scope = answer;
  return NodeLookup::kFound;
}

bool ChunkPool::Reserve() {
  TransitionChunk* chunks = chunks_.load(std::memory_order_acquire);
  if (chunks != nullptr) return true;
  void* pages = MapPages(kMaxChunks * sizeof(TransitionChunk));
  if (pages == nullptr) return false;
  if (!chunks_.compare_exchange_strong(chunks, static_cast<TransitionChunk*>(pages),
                                       std::memory_order_acq_rel)) {
    munmap(pages, kMaxChunks * sizeof(TransitionChunk));  // another thread was faster
  }
  return true;
}

TransitionChunk* ChunkPool::Take(uint64_t* ticket) {
  TransitionChunk* chunks = chunks_.load(std::memory_order_acquire);
  if (chunks == nullptr) return nullptr;
  const uint32_t limit = limit_.load(std::memory_order_relaxed);
  for (uint32_t i = 0; i < kTakeTries; ++i) {
    *ticket = next_ticket_.fetch_add(1, std::memory_order_relaxed);
    TransitionChunk* chunk = &chunks[*ticket % limit];
    if (chunk->TryTake(*ticket)) return chunk;
  }
  return nullptr;
}

const TransitionChunk& ChunkPool::ChunkOf(uint32_t ticket) const {
  return chunks_.load(std::memory_order_acquire)[ticket % limit_.load(std::memory_order_relaxed)];
}

uint64_t ChunkPool::CountEntries() const {
  const TransitionChunk* chunks = chunks_.load(std::memory_order_acquire);
  uint64_t entries = 0;
  uint64_t taken = next_ticket_.load(std::memory_order_relaxed);
  const uint32_t limit = limit_.load(std::memory_order_relaxed);
  if (taken > limit) taken = limit;
  for (uint64_t i = 0; chunks != nullptr && i < taken; ++i) entries += chunks[i].Count();
  return entries;
}

}  // namespace flopsprof::injector
