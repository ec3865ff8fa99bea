// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/scopes/started_ranges.h"

#include <atomic>

#include "injector/transport/record_sink.h"

namespace flopsprof::injector {

namespace {

constexpr uint32_t kSlots = 1024;  // open at once
constexpr uint32_t kTries = 64;

// One word: generation << 32 | scope; scope 0 = free. An id is generation << 32 | (slot + 1).
std::atomic<uint64_t> g_slots[kSlots];
std::atomic<uint64_t> g_previous[kSlots];  // ids; valid as long as the slot's generation
std::atomic<uint32_t> g_next{0};
constexpr int kHops = 16;

}  // namespace

uint64_t BeginStartedRange(uint32_t scope, uint64_t previous) {
  for (uint32_t i = 0; i < kTries; ++i) {
    const uint32_t index = g_next.fetch_add(1, std::memory_order_relaxed) % kSlots;
    uint64_t old = g_slots[index].load(std::memory_order_relaxed);
    if (static_cast<uint32_t>(old) != 0) continue;
    const uint64_t generation = (old >> 32) + 1;
    if (g_slots[index].compare_exchange_strong(old, generation << 32 | scope)) {
      // Only this thread asks for it, later.
      g_previous[index].store(previous, std::memory_order_relaxed);
      return generation << 32 | (index + 1);
    }
  }
  CountLoss(shm::LossCounter::kScopeDepth);
  return 0;
}

bool EndStartedRange(uint64_t id) {
  const uint32_t index = static_cast<uint32_t>(id) - 1;
  if (index >= kSlots) return false;
  uint64_t old = g_slots[index].load(std::memory_order_relaxed);
  if (old >> 32 != id >> 32 || static_cast<uint32_t>(old) == 0) return false;
  return g_slots[index].compare_exchange_strong(old, old >> 32 << 32);
}

uint32_t ScopeOfStartedRange(uint64_t id) {
  for (int hop = 0; hop < kHops; ++hop) {
    const uint32_t index = static_cast<uint32_t>(id) - 1;
    if (index >= kSlots) return shm::kOutsideScope;
    const uint64_t now = g_slots[index].load(std::memory_order_acquire);
    if (now >> 32 != id >> 32) return shm::kOutsideScope;  // the slot has another one since
    if (static_cast<uint32_t>(now) != 0) return static_cast<uint32_t>(now);
    const uint64_t previous = g_previous[index].load(std::memory_order_acquire);
    if (g_slots[index].load(std::memory_order_relaxed) != now) return shm::kOutsideScope;
    id = previous;
  }
  return shm::kOutsideScope;
}

}  // namespace flopsprof::injector
