// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/deepspeed/run_figures.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "collector/model/tally.h"
#include "viewer/deepspeed/units.h"
#include "viewer/report/module_tree.h"
#include "viewer/report/text.h"

namespace flopsprof::viewer::deepspeed {
namespace {

using Phases = std::vector<v1::Phase>;

// Absent: how many steps or forwards the work is of, is not known.
using Divisor = std::optional<uint64_t>;

// `unit`: 2 for MACs. A mean that is no integer is a float.
Count Mean(model::FlopCount sum, Divisor divisor, uint64_t unit = 1) {
  if (!divisor.has_value()) return std::nullopt;
  const model::FlopCount whole = model::FlopCount{*divisor} * unit;
  if (sum % whole == 0) return Number{static_cast<double>(sum / whole), true};
  return Number{static_cast<double>(sum) / static_cast<double>(whole), false};
}

Count MeanFlops(const model::PhaseCounts& flops, const Phases& phases, Divisor divisor,
                uint64_t unit = 1) {
  model::FlopCount sum = 0;
  for (const v1::Phase phase : phases) {
    const auto& count = flops[static_cast<size_t>(phase)];
    if (!count.has_value()) return std::nullopt;
    sum += *count;
  }
  return Mean(sum, divisor, unit);
}

// A time of which a part never came is not known: it would give a rate of other work.
Seconds MeanTime(const model::Work& work, const model::PhaseTimes& times, const Phases& phases,
                 Divisor divisor) {
  if (!divisor.has_value()) return std::nullopt;
  uint64_t sum_ns = 0;
  for (const v1::Phase phase : phases) {
    const auto& time = times[static_cast<size_t>(phase)];
    if (!time.has_value() || work.time_incomplete[static_cast<size_t>(phase)]) return std::nullopt;
    sum_ns += *time;
  }
  return static_cast<double>(sum_ns) / static_cast<double>(*divisor) / 1e9;
}

bool AnyWork(const model::Work& work, const Phases& phases) {
  return std::any_of(phases.begin(), phases.end(), [&](v1::Phase phase) {
    const auto index = static_cast<size_t>(phase);
    return work.flops[index].value_or(1) != 0 || work.gpu_time_ns[index].value_or(1) != 0;
  });
}

const Phases kTraining = {v1::PHASE_FORWARD};
const Phases kBesideTraining = {v1::PHASE_EVALUATION, v1::PHASE_GENERATE};
const Phases kInference = {v1::PHASE_FORWARD, v1::PHASE_EVALUATION, v1::PHASE_GENERATE};
// DeepSpeed repeats the forward in its backward.
const Phases kBackward = {v1::PHASE_BACKWARD, v1::PHASE_RECOMPUTE};
const Phases kUpdate = {v1::PHASE_OPTIMIZER, v1::PHASE_CLIPPING, v1::PHASE_SCALING};

// The rows of modules are sums over the whole run. A figure of a step is known where all of this
// work is in steps.
struct Divisors {
  Divisor forward_flops, forward_time, backward_flops, backward_time, calls;
};

template <typename Figure>
Divisor IfAllInSteps(const Figure& all, const Figure& in_steps, const Phases& phases,
                     Divisor divisor) {
  const bool same = std::all_of(phases.begin(), phases.end(), [&](v1::Phase phase) {
    const auto index = static_cast<size_t>(phase);
    return all[index].value_or(0) == in_steps[index].value_or(0);
  });
  return same ? divisor : std::nullopt;
}

Module ToModule(const model::ModuleSummary& summary, const std::string& name, const Phases& forward,
                const Divisors& divisors) {
  Module module;
  module.name = CleanText(name);
  module.class_name = summary.class_name.empty() ? kUnknown : CleanText(summary.class_name);
  if (summary.params.has_value()) module.params = Number{static_cast<double>(*summary.params)};
  if (summary.calls.has_value()) module.calls = Mean(*summary.calls, divisors.calls);
  // Nobody counted what the CPU did.
  if (summary.on_cpu == model::OnCpu::kAll) return module;
  const model::Work& work = summary.inclusive;
  module.flops = MeanFlops(work.flops, forward, divisors.forward_flops);
  module.macs = MeanFlops(work.flops, forward, divisors.forward_flops, 2);
  module.seconds = MeanTime(work, work.gpu_time_ns, forward, divisors.forward_time);
  module.backward_flops = MeanFlops(work.flops, {v1::PHASE_BACKWARD}, divisors.backward_flops);
  module.recompute_flops = MeanFlops(work.flops, {v1::PHASE_RECOMPUTE}, divisors.backward_flops);
  module.backward_seconds = MeanTime(work, work.gpu_time_ns, kBackward, divisors.backward_time);
  return module;
}

// Each module behind its parent. Not recursive: how deep a model is, is the program's choice.
std::vector<Module> Tree(const std::vector<model::ModuleSummary>& summaries, const Phases& forward,
                         const Divisors& divisors) {
  struct Node {
    Module module;
    std::vector<size_t> children;
  };
  std::vector<Node> nodes;
  std::vector<size_t> next;  // last comes first
  std::map<std::string_view, size_t> by_path;
  for (const model::ModuleSummary& summary : summaries) {
    if (summary.path == model::kOutsidePath) continue;
    std::string name;
    const std::optional<size_t> parent = ParentOf(summary.path, by_path, &name);
    by_path[summary.path] = nodes.size();
    (parent.has_value() ? nodes[*parent].children : next).push_back(nodes.size());
    nodes.push_back({ToModule(summary, name, forward, divisors), {}});
    if (parent.has_value()) nodes.back().module.depth = nodes[*parent].module.depth + 1;
  }
  std::reverse(next.begin(), next.end());
  std::vector<Module> modules;
  while (!next.empty()) {
    Node& node = nodes[next.back()];
    next.pop_back();
    next.insert(next.end(), node.children.rbegin(), node.children.rend());
    modules.push_back(std::move(node.module));
  }
  return modules;
}

// Ranks of a launcher that does not say how many there are, are not known to be all.
Count WorldSize(const model::Summary& summary) {
  if (summary.job.world_size.has_value() && *summary.job.world_size > 0) {
    return Number{static_cast<double>(*summary.job.world_size)};
  }
  if (summary.ranks.size() == 1) return Number{1};
  return std::nullopt;
}

void SetSizes(const model::Summary& summary, const GivenFacts& given, Figures* figures) {
  figures->world_size = WorldSize(summary);
  std::optional<uint32_t> mp_size = given.mp_size;
  if (!mp_size.has_value() && Value(figures->world_size) == 1.0) mp_size = 1;
  if (!mp_size.has_value()) return;
  figures->mp_size = Number{static_cast<double>(*mp_size)};
  if (!figures->world_size.has_value()) return;
  // A size that does not divide the ranks is none of this run.
  const auto world = static_cast<uint64_t>(figures->world_size->value);
  if (world % *mp_size == 0) figures->dp_size = Number{static_cast<double>(world / *mp_size)};
}

std::string DeviceOf(const model::Summary& summary) {
  for (const model::RankSummary& rank : summary.ranks) {
    if (!rank.devices.empty()) return "cuda:" + std::to_string(rank.devices.front().ordinal);
  }
  return kUnknown;
}

std::vector<const model::ModuleSummary*> Models(const model::Summary& summary) {
  std::vector<const model::ModuleSummary*> models;
  std::map<std::string_view, size_t> by_path;
  for (size_t i = 0; i < summary.modules.size(); ++i) {
    const model::ModuleSummary& module = summary.modules[i];
    if (module.path == model::kOutsidePath) continue;
    std::string name;
    if (!ParentOf(module.path, by_path, &name).has_value()) models.push_back(&module);
    by_path[module.path] = i;
  }
  return models;
}

// Absent where nothing was called, or one model more often than another: no figure can be of one
// forward then.
Divisor CallsOfTheModel(const model::Summary& summary) {
  Divisor calls;
  for (const model::ModuleSummary* model : Models(summary)) {
    if (model->calls.value_or(0) == 0) return std::nullopt;
    if (calls.has_value() && calls != model->calls) return std::nullopt;
    calls = model->calls;
  }
  return calls;
}

// `all`: what the rows of modules are sums over.
Divisors DivisorsOf(const model::Work& work, const model::ReportSums& sums, const Phases& forward,
                    const RunFigures& run, Divisor all) {
  // Calls are not known by phase.
  const bool one_kind = forward != kTraining || !AnyWork(work, kBesideTraining);
  if (!run.of_steps) {
    const Divisor divisor = one_kind ? all : std::nullopt;
    return {divisor, divisor, divisor, divisor, divisor};
  }
  const auto flops = [&](const Phases& phases) {
    return IfAllInSteps(work.flops, sums.in_steps.flops, phases, all);
  };
  const auto time = [&](const Phases& phases) {
    return IfAllInSteps(work.gpu_time_ns, sums.in_steps.gpu_time_ns, phases, all);
  };
  return {flops(forward), time(forward), flops(kBackward), time(kBackward),
          one_kind ? flops(forward) : std::nullopt};
}

// Flops of a phase in steps are those of the modules if all of them are seen, and nothing else
// worked in it.
bool AreOfModules(const model::Summary& summary, const Phases& phases) {
  const auto counted = [&](const model::ModuleSummary* model) {
    return model->on_cpu != model::OnCpu::kAll &&
           MeanFlops(model->inclusive.flops, phases, 1).has_value();
  };
  const std::vector<const model::ModuleSummary*> models = Models(summary);
  return std::all_of(models.begin(), models.end(), counted) &&
         std::all_of(summary.modules.begin(), summary.modules.end(), [&](const auto& module) {
           return module.path != model::kOutsidePath ||
                  Value(MeanFlops(module.inclusive.flops, phases, 1)) == 0.0;
         });
}

Module TotalInSteps(const model::Summary& summary, const model::PhaseCounts& flops,
                    const Phases& forward, uint64_t divisor) {
  Module total;
  if (AreOfModules(summary, forward)) {
    total.flops = MeanFlops(flops, forward, divisor);
    total.macs = MeanFlops(flops, forward, divisor, 2);
  }
  if (AreOfModules(summary, kBackward)) {
    total.backward_flops = MeanFlops(flops, {v1::PHASE_BACKWARD}, divisor);
    total.recompute_flops = MeanFlops(flops, {v1::PHASE_RECOMPUTE}, divisor);
  }
  return total;
}

model::PhaseTimes CommunicationByPhase(const model::Summary& summary) {
  model::PhaseTimes times;
  for (size_t phase = 0; phase < times.size(); ++phase) {
    times[phase] = 0;
    for (const model::CollectiveSummary& collective : summary.collectives) {
      if (collective.phase == model::PhaseName(static_cast<int>(phase))) {
        *times[phase] += collective.gpu_time_ns;
      }
    }
  }
  return times;
}

Communication CommunicationOf(const model::Summary& summary, const Phases& forward,
                              const Divisors& divisors, Divisor update) {
  const model::Work& work = summary.totals.work;
  const model::PhaseTimes times = CommunicationByPhase(summary);
  uint64_t told_ns = 0;
  for (const auto& time : times) told_ns += *time;
  Communication communication;
  communication.any = told_ns > 0 || work.communication_ns > 0;
  // Of the rest nobody knows the phase.
  if (told_ns != work.communication_ns) return communication;
  communication.forward = MeanTime(work, times, forward, divisors.forward_time);
  communication.backward = MeanTime(work, times, kBackward, divisors.backward_time);
  communication.weights_update = MeanTime(work, times, kUpdate, update);
  return communication;
}

// Of all steps that the figures are means over, or not known.
void SetWall(const model::ReportSums& sums, RunFigures* run) {
  uint64_t wall_ns = 0;
  if (run->part.has_value()) {
    run->whole_steps = run->part->whole_steps;
    wall_ns = run->part->wall_ns;
  } else {
    for (const model::StepSums& step : sums.steps) {
      run->whole_steps += step.complete;
      wall_ns += step.wall_ns;
    }
  }
  if (run->whole_steps == 0 || run->whole_steps != run->divisor) return;
  run->wall = static_cast<double>(wall_ns) / static_cast<double>(run->whole_steps) / 1e9;
}

bool AllKnown(const Divisors& divisors) {
  return divisors.forward_flops.has_value() && divisors.forward_time.has_value() &&
         divisors.backward_flops.has_value() && divisors.backward_time.has_value();
}

void SetFigures(const model::Summary& summary, const model::ReportSums& sums, const Phases& forward,
                RunFigures* run) {
  const model::Work& work = summary.totals.work;
  Divisors divisors = DivisorsOf(work, sums, forward, *run,
                                 run->of_steps ? Divisor(sums.rank_steps) : run->divisor);
  run->modules_in_steps = !run->of_steps || AllKnown(divisors);
  // One step did as much as the mean if all of them did.
  if (run->part.has_value() && !run->part->same_forward) divisors.forward_flops.reset();
  if (run->part.has_value() && !run->part->same_backward) divisors.backward_flops.reset();
  const model::WorkInSteps& in_steps = run->part.has_value() ? run->part->work : sums.in_steps;
  Figures& figures = run->figures;
  figures.modules = Tree(summary.modules, forward, divisors);
  if (run->of_steps) {
    figures.known_total = TotalInSteps(summary, in_steps.flops, forward, *run->divisor);
  }
  const model::PhaseTimes& times = run->of_steps ? in_steps.gpu_time_ns : work.gpu_time_ns;
  const Divisor divisor = run->of_steps ? run->divisor : divisors.forward_time;
  figures.forward = MeanTime(work, times, forward, divisor);
  figures.backward = MeanTime(work, times, kBackward, divisor);
  figures.weights_update = MeanTime(work, times, kUpdate, divisor);
  figures.has_backward = AnyWork(work, kBackward) || AnyWork(work, kUpdate);
  const Divisor update = run->of_steps ? IfAllInSteps(work.gpu_time_ns, sums.in_steps.gpu_time_ns,
                                                      kUpdate, sums.rank_steps)
                                       : divisor;
  run->communication = CommunicationOf(summary, forward, divisors, update);
  run->mean_known = divisor.has_value();
  for (const model::ModuleSummary& module : summary.modules) {
    if (module.path != model::kOutsidePath) continue;
    run->flops_outside = MeanFlops(module.inclusive.flops, forward, divisors.forward_flops);
  }
  if (run->of_steps) {
    run->flops_in_no_step = MeanFlops(work.flops, forward, 1);
    const Count stepped = MeanFlops(sums.in_steps.flops, forward, 1);
    if (run->flops_in_no_step.has_value() && stepped.has_value()) {
      run->flops_in_no_step->value -= stepped->value;
    }
  }
}

}  // namespace

std::string ErrorInSizes(const model::Summary& summary, const GivenFacts& given) {
  const Count world_size = WorldSize(summary);
  if (!given.mp_size.has_value() || !world_size.has_value()) return "";
  const auto ranks = static_cast<uint64_t>(world_size->value);
  if (ranks % *given.mp_size == 0) return "";
  return "--mp-size " + std::to_string(*given.mp_size) + " does not divide the " +
         std::to_string(ranks) + (ranks == 1 ? " rank" : " ranks");
}

RunFigures FiguresOf(const model::Summary& summary, const model::ReportSums& sums,
                     const GivenFacts& given, const StepPart* part) {
  RunFigures run;
  if (part != nullptr) run.part = *part;
  run.of_steps = part != nullptr || sums.rank_steps > 0;
  const uint64_t rank_steps = part != nullptr ? part->rank_steps : sums.rank_steps;
  run.divisor = run.of_steps ? Divisor(rank_steps) : CallsOfTheModel(summary);
  SetWall(sums, &run);
  const model::Work& work = summary.totals.work;
  SetFigures(summary, sums, AnyWork(work, kTraining) ? kTraining : kInference, &run);
  Figures& figures = run.figures;
  figures.device = DeviceOf(summary);
  figures.recompute_fwd_factor = given.recompute_fwd_factor;
  // DeepSpeed prints when the step is done, and numbers the next.
  const auto& last = part != nullptr ? part->last : summary.steps.last;
  if (last.has_value()) figures.step = uint64_t{*last} + 1;
  SetSizes(summary, given, &figures);
  run.unknown_ns = work.unknown_gpu_time_ns;
  return run;
}

}  // namespace flopsprof::viewer::deepspeed
