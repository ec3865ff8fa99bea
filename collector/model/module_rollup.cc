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

Placement Together(Placement a, Placement b) {
  if (a == b) return a;
  return a == Placement::kNotTold || b == Placement::kNotTold ? Placement::kNotTold
                                                              : Placement::kMoved;
}

bool HasGpuWork(const Tally& tally) {
  return tally.any_exact() || tally.any_modelled() || tally.any_unknown() ||
         tally.measured_gpu_time_ns() != 0;
}

// What is 0 because nobody counted it is not known.
void ForgetZeros(Work* work) {
  for (const v1::Phase phase : {v1::PHASE_FORWARD, v1::PHASE_BACKWARD, v1::PHASE_RECOMPUTE,
                                v1::PHASE_EVALUATION, v1::PHASE_GENERATE}) {
    auto& flops = work->flops[static_cast<size_t>(phase)];
    if (flops == FlopCount{0}) flops.reset();
  }
  work->provenance = Provenance::kUnknown;
}

// Marks modules that ran on the CPU, and those around them. `modules` are depth first; what is
// already marked has parameters there.
void MarkOnCpu(const std::vector<bool>& has_gpu_work, std::vector<ModuleSummary>* modules) {
  std::vector<size_t> above;  // indexes, from the top down to the parent
  for (size_t i = 0; i < modules->size(); ++i) {
    ModuleSummary& module = (*modules)[i];
    while (!above.empty() && (*modules)[above.back()].depth >= module.depth) above.pop_back();
    // Without parameters (an activation): where the module around it is.
    if (module.params.value_or(0) == 0 && !above.empty() && !has_gpu_work[i] &&
        (*modules)[above.back()].on_cpu == OnCpu::kAll) {
      module.on_cpu = OnCpu::kAll;
    }
    if (module.on_cpu != OnCpu::kNo) {
      for (const size_t around : above) {
        OnCpu& mark = (*modules)[around].on_cpu;
        if (mark == OnCpu::kNo) mark = OnCpu::kPart;
      }
    }
    above.push_back(i);
  }
  for (ModuleSummary& module : *modules) {
    if (module.on_cpu != OnCpu::kAll) continue;
    ForgetZeros(&module.inclusive);
    ForgetZeros(&module.self);
  }
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
      line.node.placement = Together(line.node.placement, nodes[i].placement);
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

ModuleSummary ModuleRollup::Summarize(const Line& line) {
  ModuleSummary module;
  module.path = line.node.path;
  module.class_name = line.node.class_name;
  module.depth = line.node.depth;
  module.params = line.node.params;
  module.sizes = line.node.sizes;
  module.calls = line.node.calls;
  module.aliases = line.node.aliases;
  module.copy_of = line.node.copy_of;
  module.inclusive = ToWork(line.inclusive);
  module.self = ToWork(line.self);
  module.ranks = Spread(line.time_of_rank_ns);
  // Weights that are brought to the GPU for each call (offloading) show by the work there.
  if (line.node.placement == Placement::kCpu && !HasGpuWork(line.inclusive)) {
    module.on_cpu = OnCpu::kAll;
  } else if (line.node.placement == Placement::kMoved) {
    module.on_cpu = OnCpu::kPart;
  }
  return module;
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
  std::vector<bool> has_gpu_work;
  std::vector<const Line*> to_visit(tops.rbegin(), tops.rend());
  while (!to_visit.empty()) {
    const Line& line = *to_visit.back();
    to_visit.pop_back();
    modules.push_back(Summarize(line));
    has_gpu_work.push_back(HasGpuWork(line.inclusive));
    const auto below = children.find(line.node.path);
    if (below == children.end()) continue;
    to_visit.insert(to_visit.end(), below->second.rbegin(), below->second.rend());
  }
  MarkOnCpu(has_gpu_work, &modules);
  ModuleSummary outside;
  outside.path = std::string(kOutsidePath);
  outside.inclusive = ToWork(outside_.self);
  outside.self = outside.inclusive;
  outside.ranks = Spread(outside_.time_of_rank_ns);
  modules.push_back(std::move(outside));
  return modules;
}

}  // namespace flopsprof::model
