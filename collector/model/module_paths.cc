// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/module_paths.h"

#include <algorithm>
#include <map>
#include <utility>

#include "collector/model/module_lines.h"
#include "collector/model/module_roots.h"
#include "collector/model/scope_tree.h"
#include "collector/model/shared_paths.h"

namespace flopsprof::model {
ModulePaths::ModulePaths(const v1::ProcessProfile& process, bool raw_names,
                         const std::string& main_class)
    : ModulePaths(process,
                  std::make_shared<const Lines>(MakeLines(process, raw_names, main_class))) {}

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

ModulePaths::Roots ModulePaths::FindRoots(const v1::ProcessProfile& process, bool raw_names) {
  const ScopeTree tree(process);
  ModuleRoots roots(process, tree);
  Roots result;
  result.has_modules = tree.has_modules();
  result.are_of_shape = roots.are_of_shape();
  std::map<const ModuleRoot*, size_t> index;
  for (const ModuleRoot* root : roots.Outer()) {
    index[root] = result.outer.size();
    result.outer.push_back(
        {root->ShortClass(false), root->ShortClass(raw_names), root->params(), root->scope_count});
  }
  for (const auto& [id, scope] : tree.scopes()) {
    const ModuleRoot* root = roots.RootOfWork(id);
    if (root != nullptr) result.of_scope[id] = index.at(root);
  }
  return result;
}

std::string ModulePaths::MainClassOf(const std::vector<const v1::ProcessProfile*>& processes) {
  return SharedPaths(false).MainClassOf(processes);
}

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
