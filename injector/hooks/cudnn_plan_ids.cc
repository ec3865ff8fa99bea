// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/hooks/cudnn_plan_ids.h"

#include <string.h>

#include <atomic>

#include "injector/hooks/cudnn_follow.h"
#include "injector/hooks/cudnn_plan_cache.h"
#include "injector/hooks/cudnn_plan_description.h"
#include "injector/platform.h"
#include "injector/record_sink.h"

namespace flopsprof::injector {
namespace {

CudnnPlanCache plans;
std::atomic<uint32_t> newest_id{0};

// Ids of plans with overridden sizes, by the plan's own id and the sizes.
class OverriddenPlans {
 public:
  struct Key {
    uint32_t plan;
    uint32_t epoch;
    uint64_t low, high;  // two hashes of all ids and sizes
  };

  uint32_t Find(const Key& key) {
    BriefLockHolder hold(&lock_);
    const Entry& entry = entries_[key.low % kEntries];
    return memcmp(&entry.key, &key, sizeof key) == 0 ? entry.id : 0;
  }

  // In place of whatever was there: that one is described again when it comes back.
  void Insert(const Key& key, uint32_t id) {
    BriefLockHolder hold(&lock_);
    entries_[key.low % kEntries] = {key, id};
  }

 private:
  static constexpr size_t kEntries = 1024;
  struct Entry {
    Key key;
    uint32_t id;  // 0: free
  };
  BriefLock lock_;
  Entry entries_[kEntries] = {};
};
OverriddenPlans overridden;

// FNV-1a over the values, from two starting points.
struct Hash {
  uint64_t value;
  void Add(uint64_t word) {
    for (int i = 0; i < 8; ++i) {
      value = (value ^ (word & 0xff)) * 0x100000001b3ull;
      word >>= 8;
    }
  }
};

OverriddenPlans::Key KeyOf(uint32_t plan, uint32_t epoch, const CudnnOverrides& overrides) {
  Hash low{0xcbf29ce484222325ull}, high{0x6c62272e07bb0142ull};
  for (uint32_t i = 0; i < overrides.tensors; ++i) {
    const auto add = [&](int64_t word) {
      low.Add(static_cast<uint64_t>(word));
      high.Add(static_cast<uint64_t>(word) * 0x9e3779b97f4a7c15ull + 1);
    };
    add(overrides.uids[i]);
    add(overrides.ranks[i]);
    for (uint32_t j = 0; j < overrides.ranks[i]; ++j) add(overrides.sizes[i][j]);
  }
  return {plan, epoch, low.value, high.value};
}

uint32_t IdOfOwnSizes(const void* caller, void* plan, uint32_t epoch) {
  const uint32_t cached = plans.Find(plan, epoch);
  if (cached != CudnnPlanCache::kNotCached) return cached;
  uint32_t id = NewCudnnPlanId();
  const PlanAnswer answer = SendPlanDescription(caller, plan, id, nullptr);
  if (answer == PlanAnswer::kRefused) {
    id = cudnn_follower.IdOf(plan);
    cudnn_follower.TurnOn();
  } else if (answer == PlanAnswer::kUnsent) {
    id = 0;
  }
  if (id == 0) CountLoss(shm::LossCounter::kCudnnPlanUnknown);
  if (answer != PlanAnswer::kUnsent) plans.Insert(plan, id, epoch);
  return id;
}

uint32_t IdOfOverriddenSizes(const void* caller, void* plan, const OverriddenPlans::Key& key,
                             const CudnnOverrides& overrides) {
  if (const uint32_t known = overridden.Find(key); known != 0) return known;
  const uint32_t id = NewCudnnPlanId();
  if (SendPlanDescription(caller, plan, id, &overrides) != PlanAnswer::kSent) {
    CountLoss(shm::LossCounter::kCudnnPlanUnknown);
    return 0;
  }
  overridden.Insert(key, id);
  return id;
}

}  // namespace

uint32_t IdOfCudnnPlan(const void* caller, void* plan, const CudnnOverrides* overrides) {
  const uint32_t epoch = SessionEpoch();
  const uint32_t id = IdOfOwnSizes(caller, plan, epoch);
  if (id == 0 || overrides == nullptr) return id;
  return IdOfOverriddenSizes(caller, plan, KeyOf(id, epoch, *overrides), *overrides);
}

uint32_t NewCudnnPlanId() { return newest_id.fetch_add(1, std::memory_order_relaxed) + 1; }

void ForgetCudnnPlan(const void* descriptor) { plans.Remove(descriptor); }

}  // namespace flopsprof::injector
