// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/hooks/cudnn_plan_ids.h"

#include <string.h>

#include <atomic>

#include "injector/hooks/cudnn_plan_cache.h"
#include "injector/hooks/cudnn_plan_description.h"
#include "injector/platform.h"
#include "injector/record_sink.h"

namespace flopsprof::injector {
namespace {

CudnnPlanCache plans;
std::atomic<uint32_t> newest_id{0};

uint32_t NewId() { return newest_id.fetch_add(1, std::memory_order_relaxed) + 1; }

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

// `refused`: the library has no description of this plan.
uint32_t Describe(const void* caller, void* plan, const CudnnOverrides* overrides, bool* refused) {
  const uint32_t id = NewId();
  const PlanAnswer answer = SendPlanDescription(caller, plan, id, overrides);
  if (answer == PlanAnswer::kSent) return id;
  CountLoss(shm::LossCounter::kCudnnPlanUnknown);
  *refused = answer == PlanAnswer::kRefused;
  return 0;
}

uint32_t IdOfOwnSizes(const void* caller, void* plan, uint32_t epoch) {
  const uint32_t cached = plans.Find(plan, epoch);
  if (cached != CudnnPlanCache::kNotCached) return cached;
  bool refused = false;
  const uint32_t id = Describe(caller, plan, nullptr, &refused);
  if (id != 0 || refused) plans.Insert(plan, id, epoch);
  return id;
}

}  // namespace

uint32_t IdOfCudnnPlan(const void* caller, void* plan, const CudnnOverrides* overrides) {
  const uint32_t epoch = SessionEpoch();
  uint32_t id = IdOfOwnSizes(caller, plan, epoch);
  if (id != 0 && overrides != nullptr) {
    const OverriddenPlans::Key key = KeyOf(id, epoch, *overrides);
    id = overridden.Find(key);
    if (id == 0) {
      bool refused = false;
      id = Describe(caller, plan, overrides, &refused);
      if (id != 0) overridden.Insert(key, id);
    }
  }
  return id;
}

void ForgetCudnnPlan(const void* descriptor) { plans.Remove(descriptor); }

}  // namespace flopsprof::injector
