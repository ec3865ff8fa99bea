// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/hooks/cudnn/cudnn_contents.h"

#include <string.h>

#include "injector/transport/record_sink.h"
#include "proto/shm/cudnn_plans.h"

namespace flopsprof::injector {
namespace {

ContentIds sent;
std::atomic<uint32_t> newest_id{0};
std::atomic<uint64_t> ids_of_epoch{0};  // epoch << 32 | number

uint64_t Mixed(uint64_t value) {  // the end of MurmurHash3
  value = (value ^ value >> 33) * 0xff51afd7ed558ccdull;
  value = (value ^ value >> 33) * 0xc4ceb9fe1a85ec53ull;
  return value ^ value >> 33;
}

// False: the reader of this epoch has as many as it takes.
bool TakeNumber(uint32_t epoch) {
  uint64_t now = ids_of_epoch.load(std::memory_order_relaxed);
  for (;;) {
    const uint64_t given = now >> 32 == epoch ? now & 0xffffffffu : 0;
    if (given >= shm::kMaxCudnnPlans) return false;
    if (ids_of_epoch.compare_exchange_weak(now, uint64_t{epoch} << 32 | (given + 1))) return true;
  }
}

}  // namespace

void ContentHash::Add(uint64_t word) {
  low_ = Mixed(low_ ^ word) * 0x9e3779b97f4a7c15ull;
  high_ = Mixed(high_ + word * 0xd6e8feb86659fd93ull);
}

void ContentHash::Add(const char* text, size_t bytes) {
  Add(bytes);
  for (; bytes >= 8; text += 8, bytes -= 8) {
    uint64_t word;
    memcpy(&word, text, sizeof word);
    Add(word);
  }
  uint64_t word = 0;
  memcpy(&word, text, bytes);
  Add(word);
}

uint32_t ContentIds::Find(const ContentHash& hash, uint32_t epoch) const {
  const Id* id = ids_.Find(hash.low());
  if (id == nullptr) return 0;
  // Acquire; pairs with the release in Insert.
  const uint64_t word = id->word.load(std::memory_order_acquire);
  const bool same = id->high.load(std::memory_order_relaxed) == hash.high();
  return same && word >> 32 == epoch ? static_cast<uint32_t>(word) : 0;
}

void ContentIds::Insert(const ContentHash& hash, uint32_t epoch, uint32_t id) {
  BriefLockHolder hold(&lock_);
  Id* place = ids_.FindOrAdd(hash.low());
  if (place == nullptr) return;  // it is sent again, under another id
  if (place->word.load(std::memory_order_relaxed) >> 32 == epoch) return;  // another thread
  place->word.store(0, std::memory_order_release);
  place->high.store(hash.high(), std::memory_order_release);
  place->word.store(uint64_t{epoch} << 32 | id, std::memory_order_release);
}

uint32_t IdOfCudnnText(const char* text, size_t bytes, bool* full) {
  *full = false;
  const uint32_t epoch = SessionEpoch();
  ContentHash hash;
  hash.Add(text, bytes);
  if (const uint32_t known = sent.Find(hash, epoch); known != 0) return known;
  if (!TakeNumber(epoch)) {
    *full = true;
    return 0;
  }
  const uint32_t id = newest_id.fetch_add(1, std::memory_order_relaxed) + 1;
  if (!EmitBlob(shm::BlobKind::kCudnnPlan, id, text, bytes)) {
    ids_of_epoch.fetch_sub(1, std::memory_order_relaxed);
    return 0;
  }
  sent.Insert(hash, epoch, id);
  return id;
}

}  // namespace flopsprof::injector
