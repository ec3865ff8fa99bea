// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/optimizer_summary.h"

#include "collector/model/work.h"

namespace flopsprof::model {
namespace {

constexpr size_t kMaxScopeDepth = 4096;

}  // namespace

void OptimizerSums::Add(const v1::RunInfo& run, const v1::ProcessProfile& process) {
  ReadScopes(process);
  if (!any_) return;
  for (const v1::ScopeCallRow& row : process.scope_calls()) {
    if (row.phase() != v1::PHASE_OPTIMIZER) continue;
    const auto found = scopes_.find(row.scope());
    if (found == scopes_.end() || found->second->kind() != v1::SCOPE_KIND_OPTIMIZER) continue;
    Of(row.scope())->steps += row.calls();
  }
  const bool times = HasTimes(process);
  for (const v1::TimeRow& row : process.times()) {
    if (row.phase() != v1::PHASE_OPTIMIZER || !InWindow(run, row)) continue;
    OptimizerSummary* optimizer = Of(row.scope());
    if (optimizer == nullptr || !times) continue;
    optimizer->gpu_time_ns = optimizer->gpu_time_ns.value_or(0) + row.gpu_time_ns();
    optimizer->time_incomplete = optimizer->time_incomplete || LacksTimes(process);
  }
  for (const v1::CallRow& row : process.calls()) {
    const bool counted = IsExecutedProduct(row) && row.flops_known() && InWindow(run, row);
    if (row.phase() != v1::PHASE_OPTIMIZER || !counted) continue;
    OptimizerSummary* optimizer = Of(row.scope());
    if (optimizer != nullptr) optimizer->flops += ToFlopCount(row.flops());
  }
}

void OptimizerSums::ReadScopes(const v1::ProcessProfile& process) {
  scopes_.clear();
  any_ = false;
  std::map<uint32_t, const v1::Scope*> in_order;
  for (const v1::Scope& scope : process.scopes()) {
    scopes_[scope.id()] = &scope;
    if (scope.kind() == v1::SCOPE_KIND_OPTIMIZER) in_order[scope.id()] = &scope;
  }
  for (const auto& [id, scope] : in_order) {
    any_ = true;
    const auto [found, added] = index_.try_emplace(scope->name(), optimizers_.size());
    if (!added) continue;
    optimizers_.emplace_back();
    optimizers_.back().name = scope->name();
  }
}

OptimizerSummary* OptimizerSums::Of(uint32_t id) {
  for (size_t hops = 0; hops < kMaxScopeDepth; ++hops) {
    const auto scope = scopes_.find(id);
    if (scope == scopes_.end()) return nullptr;
    if (scope->second->kind() == v1::SCOPE_KIND_OPTIMIZER) {
      return &optimizers_[index_.at(scope->second->name())];
    }
    id = scope->second->parent();
  }
  return nullptr;
}

}  // namespace flopsprof::model
