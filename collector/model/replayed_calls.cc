// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/replayed_calls.h"

#include <absl/strings/str_cat.h>

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace flopsprof::model {
namespace {

bool Replayed(const v1::ProcessProfile& process) {
  for (const v1::GraphRow& row : process.graphs()) {
    if (row.replays() > 0) return true;
  }
  return false;
}

// The line at the top above a line. Bounded: a name from outside cannot make it run in circles.
const std::string& TopOf(const std::unordered_map<std::string, const std::string*>& parents,
                         const std::string& path) {
  const std::string* top = &path;
  for (size_t i = 0; i < parents.size(); ++i) {
    const auto found = parents.find(*top);
    if (found == parents.end() || *found->second == *top) break;
    top = found->second;
  }
  return *top;
}

}  // namespace

void ReplayedCalls::Add(const v1::ProcessProfile& process, const ModulePaths& paths) {
  if (!Replayed(process)) return;
  const std::vector<ModuleNode>& nodes = paths.nodes();
  std::unordered_map<std::string, const std::string*> parents;
  for (const ModuleNode& node : nodes) parents[node.path] = &node.parent_path;
  std::set<std::string> tops;
  for (const v1::CallRow& row : process.calls()) {
    if (!row.captured() || row.calls() == 0) continue;
    const int node = paths.NodeOf(row.scope());
    if (node != ModulePaths::kOutside) tops.insert(TopOf(parents, nodes[node].path));
  }
  if (tops.empty()) return;
  for (const ModuleNode& node : nodes) {
    if (tops.count(TopOf(parents, node.path)) > 0) paths_.insert(node.path);
  }
}

void ReplayedCalls::Finish(Summary* summary) const {
  uint64_t count = 0;
  for (ModuleSummary& module : summary->modules) {
    // One that was never called outside of a capture either keeps its 0: a ModuleList.
    if (module.calls.value_or(0) == 0 || paths_.count(module.path) == 0) continue;
    module.calls.reset();
    count++;
  }
  if (count == 0) return;
  summary->coverage.reasons.push_back(
      absl::StrCat("modules whose calls are not known, because replays of CUDA graphs run their "
                   "work without calling them: ",
                   count));
}

}  // namespace flopsprof::model
