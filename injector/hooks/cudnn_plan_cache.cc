// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/hooks/cudnn_plan_cache.h"

namespace flopsprof::injector {
namespace {

const int removed_marker = 0;
const void* const kRemoved = &removed_marker;

}  // namespace

uint32_t CudnnPlanCache::FirstIndex(const void* plan) {
  return static_cast<uint32_t>((reinterpret_cast<uintptr_t>(plan) >> 4) * 0x9e3779b97f4a7c15ull >>
                               32);
}

int32_t CudnnPlanCache::IndexOf(const void* plan) const {
  const uint32_t first = FirstIndex(plan);
  for (uint32_t i = 0; i < kProbes; ++i) {
    const uint32_t index = (first + i) % kEntries;
    // Acquire; pairs with the release in Insert.
    const void* key = entries_[index].plan.load(std::memory_order_acquire);
    if (key == plan) return static_cast<int32_t>(index);
    if (key == nullptr) return -1;
  }
  return -1;
}

uint32_t CudnnPlanCache::Find(const void* plan, uint32_t epoch) const {
  const int32_t index = IndexOf(plan);
  if (index < 0) return kNotCached;
  const Entry& entry = entries_[index];
  if (entry.epoch.load(std::memory_order_relaxed) != epoch) return kNotCached;
  return entry.id.load(std::memory_order_relaxed);
}

void CudnnPlanCache::Insert(const void* plan, uint32_t id, uint32_t epoch) {
  BriefLockHolder hold(&lock_);
  int32_t index = IndexOf(plan);
  const uint32_t first = FirstIndex(plan);
  for (uint32_t i = 0; i < kProbes && index < 0; ++i) {
    const uint32_t candidate = (first + i) % kEntries;
    const void* key = entries_[candidate].plan.load(std::memory_order_relaxed);
    if (key == nullptr || key == kRemoved) index = static_cast<int32_t>(candidate);
  }
  if (index < 0) return;  // crowded: the plan is asked again each time
  Entry& entry = entries_[index];
  entry.id.store(id, std::memory_order_relaxed);
  entry.epoch.store(epoch, std::memory_order_relaxed);
  entry.plan.store(plan, std::memory_order_release);
}

// Takes no lock: a forked child, too, destroys plans, and a thread that it does not have may have
// held it. An entry in use is moved by nobody else.
void CudnnPlanCache::Remove(const void* plan) {
  const int32_t index = IndexOf(plan);
  if (index < 0) return;  // most descriptors are no plans
  entries_[index].plan.compare_exchange_strong(plan, kRemoved, std::memory_order_release,
                                               std::memory_order_relaxed);
}

}  // namespace flopsprof::injector
