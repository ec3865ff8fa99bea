// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/module_rollup.h"

#include <algorithm>
#include <tuple>

#include "collector/model/work.h"

namespace flopsprof::model {
namespace {

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

ModuleRollup::Alike& ModuleRollup::AlikeOf(const v1::ProcessProfile& process,
                                           const ModulePaths& paths) {
  const auto [at, is_new] = alike_.try_emplace(paths.lines().get());
  Alike& alike = at->second;
  if (!is_new) return alike;
  alike.their = paths.lines();
  for (size_t i = 0; i < paths.nodes().size(); ++i) {
    const auto [line, is_first] = lines_.try_emplace(paths.nodes()[i].path);
    if (is_first) {
      line->second.node = paths.nodes()[i];
      line->second.node.sizes = paths.SizesOf(process, static_cast<int>(i));
    } else {
      MergeNode(process, paths, static_cast<int>(i), &line->second);
    }
    alike.lines.push_back(&line->second);
  }
  return alike;
}

// Merging the same node again changes nothing.
void ModuleRollup::MergeNode(const v1::ProcessProfile& process, const ModulePaths& paths, int at,
                             Line* line) {
  const ModuleNode& node = paths.nodes()[static_cast<size_t>(at)];
  line->node.placement = Together(line->node.placement, node.placement);
  for (const std::string& alias : node.aliases) {
    auto& known = line->node.aliases;
    if (std::find(known.begin(), known.end(), alias) == known.end()) known.push_back(alias);
  }
  if (line->node.class_name.empty()) line->node.class_name = node.class_name;
  if (!line->node.params.has_value()) {
    line->node.params = node.params;
    line->node.sizes = paths.SizesOf(process, at);
  }
}

void ModuleRollup::Add(int rank, int claim, const v1::ProcessProfile& process,
                       const ModulePaths& paths, const std::unordered_map<uint32_t, Tally>& tallies,
                       bool has_times) {
  Alike& alike = AlikeOf(process, paths);
  std::vector<uint64_t> time_ns(alike.lines.size());
  uint64_t outside_ns = 0;
  for (const auto& [scope, tally] : tallies) {
    alike.of_scope[scope].Add(tally);
    const uint64_t scope_ns = tally.measured_gpu_time_ns();
    if (paths.NodeOf(scope) == ModulePaths::kOutside) outside_ns += scope_ns;
    for (const int above : paths.ChainOf(scope)) time_ns[static_cast<size_t>(above)] += scope_ns;
  }
  for (size_t i = 0; i < alike.lines.size(); ++i) {
    Line& line = *alike.lines[i];
    line.calls += paths.CallsOf(static_cast<int>(i));
    if (has_times) line.times.push_back({rank, claim, time_ns[i]});
  }
  if (has_times) outside_.times.push_back({rank, claim, outside_ns});
}

void ModuleRollup::AddTallies(const Alike& alike) {
  for (const auto& [scope, tally] : alike.of_scope) {
    const auto place = alike.their->places.find(scope);
    if (place == alike.their->places.end() || place->second.node == ModulePaths::kOutside) {
      outside_.self.Add(tally);
      continue;
    }
    alike.lines[static_cast<size_t>(place->second.node)]->self.Add(tally);
    for (const int above : place->second.chain) {
      alike.lines[static_cast<size_t>(above)]->inclusive.Add(tally);
    }
  }
}

RankSpread ModuleRollup::Spread(const Line& line) {
  RankSpread spread;
  if (line.times.empty()) return spread;
  std::vector<TimeOfRank> sorted = line.times;
  const auto key = [](const TimeOfRank& time) { return std::pair(time.rank, time.claim); };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const TimeOfRank& a, const TimeOfRank& b) { return key(a) < key(b); });
  std::vector<uint64_t> times;
  for (size_t i = 0; i < sorted.size();) {
    const TimeOfRank& rank = sorted[i];
    uint64_t time_ns = 0;
    for (; i < sorted.size() && key(sorted[i]) == key(rank); ++i) time_ns += sorted[i].time_ns;
    times.push_back(time_ns);
    if (!spread.max_ns.has_value() || time_ns > *spread.max_ns) {
      spread.max_ns = time_ns;
      spread.worst_rank = rank.rank;
    }
  }
  std::sort(times.begin(), times.end());
  const size_t half = times.size() / 2;
  spread.min_ns = times.front();
  spread.median_ns = times.size() % 2 == 1 ? times[half] : (times[half - 1] + times[half]) / 2;
  return spread;
}

ModuleSummary ModuleRollup::Summarize(const Line& line) {
  ModuleSummary module;
  module.path = line.node.path;
  module.class_name = line.node.class_name;
  module.depth = line.node.depth;
  module.params = line.node.params;
  module.sizes = line.node.sizes;
  module.calls = line.calls;
  module.aliases = line.node.aliases;
  module.copy_of = line.node.copy_of;
  module.inclusive = ToWork(line.inclusive);
  module.self = ToWork(line.self);
  module.ranks = Spread(line);
  // Weights that are brought to the GPU for each call (offloading) show by the work there.
  if (line.node.placement == Placement::kCpu && !HasGpuWork(line.inclusive)) {
    module.on_cpu = OnCpu::kAll;
  } else if (line.node.placement == Placement::kMoved) {
    module.on_cpu = OnCpu::kPart;
  }
  return module;
}

std::vector<ModuleSummary> ModuleRollup::Finish() {
  for (const auto& [their, alike] : alike_) AddTallies(alike);
  alike_.clear();
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
  outside.ranks = Spread(outside_);
  modules.push_back(std::move(outside));
  return modules;
}

}  // namespace flopsprof::model
