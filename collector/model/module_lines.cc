// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// What a process reads from its lines. Making them: module_paths.cc.
#include <algorithm>
#include <utility>

#include "collector/model/module_paths.h"

namespace flopsprof::model {

ModulePaths::ModulePaths(const v1::ProcessProfile& process, std::shared_ptr<const Lines> lines)
    : lines_(std::move(lines)) {
  CountCalls(process);
}

void ModulePaths::CountCalls(const v1::ProcessProfile& process) {
  std::vector<uint64_t> counters(lines_->line_of_counter.size());
  for (const v1::ScopeCallRow& row : process.scope_calls()) {
    if (row.phase() == v1::PHASE_RECOMPUTE) continue;
    const auto counter = lines_->counter_of_scope.find(row.scope());
    if (counter != lines_->counter_of_scope.end()) counters[counter->second] += row.calls();
  }
  calls_.resize(lines_->nodes.size());
  for (size_t i = 0; i < counters.size(); ++i) {
    uint64_t& calls = calls_[static_cast<size_t>(lines_->line_of_counter[i])];
    calls = std::max(calls, counters[i]);
  }
}

const std::vector<ModuleNode>& ModulePaths::nodes() const { return lines_->nodes; }

std::optional<ParameterSizes> ModulePaths::SizesOf(const v1::ProcessProfile& process,
                                                   int node) const {
  std::optional<ParameterSizes> sizes = lines_->nodes[static_cast<size_t>(node)].sizes;
  const int row = lines_->sizes_row[static_cast<size_t>(node)];
  if (sizes.has_value() && row >= 0) sizes->local = process.module_sizes(row).local_params();
  return sizes;
}

int ModulePaths::NodeOf(uint32_t scope) const {
  const auto found = lines_->places.find(scope);
  return found == lines_->places.end() ? kOutside : found->second.node;
}

const std::vector<int>& ModulePaths::ChainOf(uint32_t scope) const {
  static const std::vector<int> kNone;
  const auto found = lines_->places.find(scope);
  return found == lines_->places.end() ? kNone : found->second.chain;
}

bool ModulePaths::IsUndescribed(uint32_t scope) const {
  return scope != 0 && lines_->places.find(scope) == lines_->places.end();
}

bool ModulePaths::has_modules() const { return lines_->has_modules; }

uint64_t ModulePaths::ranges_without_line() const { return lines_->ranges_without_line; }

uint64_t ModulePaths::modules_without_line() const { return lines_->modules_without_line; }

void RootWeight::AddCall(const v1::CallRow& row) {
  const FlopCount counted = ToFlopCount(row.flops());
  flops += counted;
  if (row.phase() == v1::PHASE_BACKWARD) backward_flops += counted;
}

void RootWeight::AddTime(const v1::TimeRow& row) {
  time_ns += row.gpu_time_ns();
  if (row.phase() == v1::PHASE_BACKWARD) backward_time_ns += row.gpu_time_ns();
}

}  // namespace flopsprof::model
