// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/calls/plan_table.h"

#include <sstream>
#include <utility>

#include "absl/numeric/int128.h"
#include "absl/strings/str_cat.h"
#include "collector/agent/calls/call_texts.h"
#include "collector/agent/tables/name_table.h"

namespace flopsprof::agent {
namespace {

// What a plan computes, and why its flops are not known or what they do not say.
std::string DetailOf(const model::CudnnPlan& plan) {
  if (!plan.flops_known) {
    return BoundedUtf8(absl::StrCat(plan.description, " (", plan.unknown_reason, ")"),
                       kMaxTextBytes);
  }
  if (!plan.causal_flops.has_value()) return plan.description;
  std::ostringstream flops;
  flops << absl::uint128(*plan.causal_flops);
  return absl::StrCat(plan.description, " (all pairs; the mask leaves ", flops.str(), " flops)");
}

}  // namespace

void PlanTable::Define(uint32_t id, std::string_view json) {
  if (index_.contains(id)) return;
  if (index_.size() >= max_plans_) {
    refused_count_++;
    return;
  }
  model::CudnnPlan plan = model::ParseCudnnPlan(json);
  if (!plan.readable) {
    plan.shape = "plan not readable";
    plan.unknown_reason = "its description is not of the known form";
  }
  plan.shape = BoundedIdentity(std::move(plan.shape));
  plan.description = BoundedUtf8(plan.description, kMaxTextBytes);
  const auto next = static_cast<uint32_t>(plans_.size());
  if (text_bytes_ >= max_text_bytes_) {
    plan.shape = "a further plan";
    plan.description.clear();
    plan.operations = {};
    index_.emplace(id, next);
    plans_.push_back(std::move(plan));
    return;
  }
  // Plans with the same text but other compute types differ (the engine's notes).
  const std::string identity = absl::StrCat(plan.shape, "|", plan.compute_type);
  const auto [found, added] = by_text_.try_emplace(identity, next);
  if (added) {
    text_bytes_ += 2 * plan.shape.size() + plan.description.size() + plan.unknown_reason.size();
    plans_.push_back(std::move(plan));
  }
  index_.emplace(id, found->second);
}

uint32_t PlanTable::NumberOf(uint32_t id) const {
  const auto found = index_.find(id);
  return found == index_.end() ? kUnknown : found->second + 1;
}

const model::CudnnPlan* PlanTable::Find(uint32_t number) const {
  return number == kUnknown ? nullptr : &plans_[number - 1];
}

void PlanTable::Describe(uint32_t number, v1::CallRow* out) const {
  out->set_kind(v1::CALL_KIND_CUDNN);
  const model::CudnnPlan* plan = Find(number);
  if (plan == nullptr) {
    out->set_shape("plan not known");
    return;
  }
  out->set_shape(plan->shape);
  out->set_compute_type(plan->compute_type);
  out->set_detail(DetailOf(*plan));
}

}  // namespace flopsprof::agent
