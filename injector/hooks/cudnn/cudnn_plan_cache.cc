// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/hooks/cudnn/cudnn_plan_cache.h"

namespace flopsprof::injector {

uint32_t CudnnPlanCache::Find(const void* plan, uint32_t epoch) const {
  if (plan == nullptr) return kNotCached;
  const Id* id = ids_.Find(AddressKey(plan));
  if (id == nullptr) return kNotCached;
  const uint64_t word = id->word.load(std::memory_order_relaxed);
  return word >> 32 == epoch ? static_cast<uint32_t>(word) : kNotCached;
}

bool CudnnPlanCache::Insert(const void* plan, uint32_t id, uint32_t epoch) {
  if (plan == nullptr) return false;
  BriefLockHolder hold(&lock_);
  Id* place = ids_.FindOrAdd(AddressKey(plan));
  if (place == nullptr) return false;
  place->word.store(uint64_t{epoch} << 32 | id, std::memory_order_relaxed);
  return true;
}

void CudnnPlanCache::Remove(const void* plan) {
  if (plan != nullptr) ids_.Remove(AddressKey(plan));  // most descriptors are no plans
}

}  // namespace flopsprof::injector
