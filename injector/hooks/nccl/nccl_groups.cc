// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/hooks/nccl/nccl_groups.h"

#include <atomic>

#include "injector/base/address_table.h"

namespace flopsprof::injector {
namespace {

constexpr int32_t kMaxPeers = 64;      // of sends and receives; beyond them calls have no number
constexpr uint64_t kSplitSeed = 0x51;  // any; not that of unique ids

struct Slot {
  std::atomic<uint64_t> group{0};  // 0: not known
  std::atomic<uint64_t> calls{0};
  std::atomic<uint64_t> splits{0};
  std::atomic<uint32_t> sends[kMaxPeers] = {};
  std::atomic<uint32_t> receives[kMaxPeers] = {};

  void Forget() {
    group.store(0, std::memory_order_relaxed);
    calls.store(0, std::memory_order_relaxed);
    splits.store(0, std::memory_order_relaxed);
    for (auto& count : sends) count.store(0, std::memory_order_relaxed);
    for (auto& count : receives) count.store(0, std::memory_order_relaxed);
  }
};

AddressTable<Slot, 64, 6> g_communicators;  // 87,000 alive at once; those beyond have no group

Slot* Find(const void* communicator) {
  return communicator == nullptr ? nullptr : g_communicators.Find(AddressKey(communicator));
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
  if (communicator == nullptr) return;
  Slot* const slot = g_communicators.FindOrAdd(AddressKey(communicator));
  if (slot == nullptr) return;
  slot->Forget();
  slot->group.store(group, std::memory_order_relaxed);
}

void ForgetCommunicator(const void* communicator) {
  if (communicator != nullptr) g_communicators.Remove(AddressKey(communicator));
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
