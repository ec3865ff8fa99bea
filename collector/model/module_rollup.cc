// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/module_rollup.h"

#include <algorithm>
#include <tuple>

#include "collector/model/work.h"

namespace flopsprof::model {
namespace {

RankSpread Spread(const std::map<std::pair<int, int>, uint64_t>& time_of_rank_ns) {
  RankSpread spread;
  std::vector<uint64_t> times;
  for (const auto& [rank, time_ns] : time_of_rank_ns) {
    times.push_back(time_ns);
    if (!spread.max_ns.has_value() || time_ns > *spread.max_ns) {
      spread.max_ns = time_ns;
      spread.worst_rank = rank.first;
    }
  }
  if (times.empty()) return spread;
  std::sort(times.begin(), times.end());
  const size_t half = times.size() / 2;
  spread.min_ns = times.front();
  spread.median_ns = times.size() % 2 == 1 ? times[half] : (times[half - 1] + times[half]) / 2;
  return spread;
}

}  // namespace

void ModuleRollup::Add(int rank, int claim, const ModulePaths& paths,
                       const std::unordered_map<uint32_t, Tally>& tallies, bool has_times) {
  const std::vector<ModuleNode>& nodes = paths.nodes();
  std::vector<Tally> inclusive(nodes.size());
  std::vector<Tally> self(nodes.size());
  Tally outside;
  for (const auto& [scope, tally] : tallies) {
    const int node = paths.NodeOf(scope);
    if (node == ModulePaths::kOutside) {
      outside.Add(tally);
      continue;
    }
    self[node].Add(tally);
    for (const int above : paths.ChainOf(scope)) inclusive[above].Add(tally);
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    const auto [at, is_new] = lines_.try_emplace(nodes[i].path);
    Line& line = at->second;
    if (is_new) {
      line.node = nodes[i];
    } else {
      line.node.calls += nodes[i].calls;
      for (const std::string& alias : nodes[i].aliases) {
        auto& known = line.node.aliases;
        if (std::find(known.begin(), known.end(), alias) == known.end()) known.push_back(alias);
      }
      if (line.node.class_name.empty()) line.node.class_name = nodes[i].class_name;
      if (!line.node.params.has_value()) {
        line.node.params = nodes[i].params;
        line.node.sizes = nodes[i].sizes;
      }
    }
    line.self.Add(self[i]);
    line.inclusive.Add(inclusive[i]);
    if (has_times) line.time_of_rank_ns[{rank, claim}] += inclusive[i].measured_gpu_time_ns();
  }
  outside_.self.Add(outside);
  if (has_times) outside_.time_of_rank_ns[{rank, claim}] += outside.measured_gpu_time_ns();
}

std::vector<ModuleSummary> ModuleRollup::Finish() const {
  std::vector<const Line*> tops;
  std::map<std::string, std::vector<const Line*>> children;
  for (const auto& [path, line] : lines_) {
    const bool top = line.node.parent_path == path || lines_.count(line.node.parent_path) == 0;
    (top ? tops : children[line.node.parent_path]).push_back(&line);
  }
  const auto in_order = [](const Line* a, const Line* b) {
    return std::tie(a->node.order, a->node.path) < std::tie(b->node.order, b->node.path);
  };
  std::sort(tops.begin(), tops.end(), in_order);
  for (auto& [path, lines] : children) std::sort(lines.begin(), lines.end(), in_order);

  // Depth first without recursion: the depth of ranges is the program's choice.
  std::vector<ModuleSummary> modules;
  std::vector<const Line*> to_visit(tops.rbegin(), tops.rend());
  while (!to_visit.empty()) {
    const Line& line = *to_visit.back();
    to_visit.pop_back();
    ModuleSummary module;
    module.path = line.node.path;
    module.class_name = line.node.class_name;
    module.depth = line.node.depth;
    module.params = line.node.params;
    module.sizes = line.node.sizes;
    module.calls = line.node.calls;
    module.aliases = line.node.aliases;
    module.inclusive = ToWork(line.inclusive);
    module.self = ToWork(line.self);
    module.ranks = Spread(line.time_of_rank_ns);
    modules.push_back(std::move(module));
    const auto below = children.find(line.node.path);
    if (below == children.end()) continue;
    to_visit.insert(to_visit.end(), below->second.rbegin(), below->second.rend());
  }
  ModuleSummary outside;
  outside.path = std::string(kOutsidePath);
  outside.inclusive = ToWork(outside_.self);
  outside.self = outside.inclusive;
  outside.ranks = Spread(outside_.time_of_rank_ns);
  modules.push_back(std::move(outside));
  return modules;
}

}  // namespace flopsprof::model
