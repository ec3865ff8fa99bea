// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/hooks/nccl_groups.h"

#include <atomic>

#include "injector/platform.h"

namespace flopsprof::injector {
namespace {

constexpr uint32_t kSlots = 512;    // a power of two
constexpr uint32_t kMaxUsed = 384;  // forgotten ones included, until they are used again
constexpr int32_t kMaxPeers = 64;   // of sends and receives; beyond them calls have no number
constexpr uint64_t kMaxWaitNs = 10'000'000;
constexpr uint64_t kSplitSeed = 0x51;  // any; not that of unique ids

// A communicator that is gone leaves its slot to the next one.
struct Slot {
  std::atomic<const void*> communicator{nullptr};
  bool gone = false;  // under the lock
  std::atomic<uint64_t> group{0};
  std::atomic<uint64_t> calls{0};
  std::atomic<uint64_t> splits{0};
  std::atomic<uint32_t> sends[kMaxPeers];
  std::atomic<uint32_t> receives[kMaxPeers];
};

Slot g_slots[kSlots];
uint32_t g_used;  // under g_lock
BriefLock g_lock;

uint32_t FirstSlot(const void* communicator) {
  return static_cast<uint32_t>(
             (reinterpret_cast<uintptr_t>(communicator) >> 4) * 0x9E3779B97F4A7C15ull >> 32) &
         (kSlots - 1);
}

Slot* Find(const void* communicator) {
  if (communicator == nullptr) return nullptr;
  uint32_t at = FirstSlot(communicator);
  for (uint32_t i = 0; i < kSlots; ++i, at = (at + 1) & (kSlots - 1)) {
    // Acquire; pairs with the release in AddCommunicator.
    const void* known = g_slots[at].communicator.load(std::memory_order_acquire);
    if (known == communicator) return &g_slots[at];
    if (known == nullptr) return nullptr;
  }
  return nullptr;
}

// The communicator's own slot, else one that is free or whose communicator is gone.
Slot* FindForAdding(const void* communicator) {
  Slot* slot = Find(communicator);
  if (slot != nullptr) return slot;
  uint32_t at = FirstSlot(communicator);
  for (uint32_t i = 0; i < kSlots; ++i, at = (at + 1) & (kSlots - 1)) {
    slot = &g_slots[at];
    if (slot->gone) return slot;
    if (slot->communicator.load(std::memory_order_relaxed) != nullptr) continue;
    if (g_used >= kMaxUsed) return nullptr;
    ++g_used;
    return slot;
  }
  return nullptr;
}

void Fill(const void* communicator, uint64_t group, Slot* slot) {
  slot->gone = false;
  slot->group.store(group, std::memory_order_relaxed);
  slot->calls.store(0, std::memory_order_relaxed);
  slot->splits.store(0, std::memory_order_relaxed);
  for (auto& count : slot->sends) count.store(0, std::memory_order_relaxed);
  for (auto& count : slot->receives) count.store(0, std::memory_order_relaxed);
  slot->communicator.store(communicator, std::memory_order_release);
}

}  // namespace

uint64_t HashBytes(const void* bytes, uint64_t count, uint64_t seed) {
  uint64_t hash = seed ^ 14695981039346656037ull;  // FNV-1a
  const auto* byte = static_cast<const uint8_t*>(bytes);
  for (uint64_t i = 0; i < count; ++i) {
    // The analyzer does not know the single bytes of a caller's words.
    // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult)
    hash = (hash ^ byte[i]) * 1099511628211ull;
  }
  return hash != 0 ? hash : 1;
}

void AddCommunicator(const void* communicator, uint64_t group) {
  if (communicator == nullptr || !g_lock.LockWithin(kMaxWaitNs)) return;
  Slot* slot = FindForAdding(communicator);
  if (slot != nullptr) Fill(communicator, group, slot);
  g_lock.Unlock();
}

void ForgetCommunicator(const void* communicator) {
  // In a forked child a thread that it does not have may hold the lock: the child's calls count
  // without a group, and its communicators are gone with it.
  if (!g_lock.LockWithin(kMaxWaitNs)) return;
  Slot* slot = Find(communicator);
  if (slot != nullptr) {
    // The address stays, so that those behind it are still found.
    slot->gone = true;
    slot->group.store(0, std::memory_order_relaxed);
  }
  g_lock.Unlock();
}

uint64_t ChildGroup(const void* parent, int64_t color) {
  Slot* slot = Find(parent);
  const uint64_t group = slot == nullptr ? 0 : slot->group.load(std::memory_order_relaxed);
  if (group == 0) return 0;
  const uint64_t split = slot->splits.fetch_add(1, std::memory_order_relaxed);
  const uint64_t parts[] = {group, split, static_cast<uint64_t>(color)};
  return HashBytes(parts, sizeof parts, kSplitSeed);
}

GroupCall NextGroupCall(const void* communicator, shm::CollectiveKind kind, int32_t peer) {
  GroupCall call;
  Slot* slot = Find(communicator);
  if (slot == nullptr) return call;
  call.group = slot->group.load(std::memory_order_relaxed);
  if (call.group == 0) return call;
  const bool send = kind == shm::CollectiveKind::kSend;
  if (!send && kind != shm::CollectiveKind::kRecv) {
    call.sequence = slot->calls.fetch_add(1, std::memory_order_relaxed) + 1;
  } else if (peer >= 0 && peer < kMaxPeers) {
    std::atomic<uint32_t>& count = send ? slot->sends[peer] : slot->receives[peer];
    call.sequence = count.fetch_add(1, std::memory_order_relaxed) + 1;
  }
  return call;
}

}  // namespace flopsprof::injector
