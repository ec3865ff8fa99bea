// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/hooks/cudnn/cudnn_plan_ids.h"

#include "injector/hooks/cudnn/cudnn_contents.h"
#include "injector/hooks/cudnn/cudnn_follow.h"
#include "injector/hooks/cudnn/cudnn_plan_cache.h"
#include "injector/hooks/cudnn/cudnn_plan_description.h"
#include "injector/transport/record_sink.h"

namespace flopsprof::injector {
namespace {

CudnnPlanCache plans;
// By the plan's own id and the sizes that are given in place of its own.
ContentIds overridden;
constexpr uint32_t kHasNoId = UINT32_MAX;  // there: sizes that are not described, now or ever

ContentHash HashOf(uint32_t plan, const CudnnOverrides& overrides) {
  ContentHash hash;
  hash.Add(plan);
  for (uint32_t i = 0; i < overrides.tensors; ++i) {
    hash.Add(static_cast<uint64_t>(overrides.uids[i]));
    hash.Add(overrides.ranks[i]);
    for (uint32_t j = 0; j < overrides.ranks[i]; ++j) {
      hash.Add(static_cast<uint64_t>(overrides.sizes[i][j]));
    }
  }
  return hash;
}

uint32_t IdOfOwnSizes(const void* caller, void* plan, uint32_t epoch) {
  const uint32_t cached = plans.Find(plan, epoch);
  if (cached != CudnnPlanCache::kNotCached) return cached;
  uint32_t id = 0;
  const PlanAnswer answer = SendPlanDescription(caller, plan, nullptr, &id);
  if (answer == PlanAnswer::kRefused) {
    id = cudnn_follower.IdOf(plan);
    cudnn_follower.TurnOn();
  }
  if (id == 0) CountLoss(shm::LossCounter::kCudnnPlanUnknown);
  if (answer != PlanAnswer::kUnsent) plans.Insert(plan, id, epoch);
  return id;
}

uint32_t IdOfOverriddenSizes(const void* caller, void* plan, uint32_t own, uint32_t epoch,
                             const CudnnOverrides& overrides) {
  const ContentHash hash = HashOf(own, overrides);
  if (const uint32_t known = overridden.Find(hash, epoch); known != 0) {
    return known == kHasNoId ? 0 : known;
  }
  uint32_t id = 0;
  const PlanAnswer answer = SendPlanDescription(caller, plan, &overrides, &id);
  if (id == 0) CountLoss(shm::LossCounter::kCudnnPlanUnknown);
  if (answer != PlanAnswer::kUnsent) overridden.Insert(hash, epoch, id == 0 ? kHasNoId : id);
  return id;
}

}  // namespace

uint32_t IdOfCudnnPlan(const void* caller, void* plan, const CudnnOverrides* overrides) {
  const uint32_t epoch = SessionEpoch();
  uint32_t id = IdOfOwnSizes(caller, plan, epoch);
  if (id != 0 && overrides != nullptr) {
    id = IdOfOverriddenSizes(caller, plan, id, epoch, *overrides);
  }
  return id;
}

void ForgetCudnnPlan(const void* descriptor) { plans.Remove(descriptor); }

}  // namespace flopsprof::injector
