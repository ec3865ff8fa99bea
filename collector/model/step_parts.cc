// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/step_parts.h"

#include <absl/strings/match.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "collector/model/rank_summary.h"
#include "collector/model/step_summary.h"

namespace flopsprof::model {
namespace {

// Of one rank, over its measured steps.
struct MeasuredWork {
  std::set<uint32_t> steps;
  uint64_t compute_ns = 0;
  double flops = 0;
  double activities = 0;
  bool unknown = false;
};

MeasuredWork WorkOfSteps(const RankGroup& group) {
  MeasuredWork work;
  for (const v1::ProcessProfile* process : group.processes) {
    const std::set<uint32_t> disturbed = DisturbedSteps(*process);
    const std::set<uint32_t> unknown = StepsWithUnknownWork(*process);
    for (const v1::StepRow& row : process->steps()) {
      if (!IsMeasuredStep(row, disturbed)) continue;
      work.steps.insert(row.step());
      work.compute_ns +=
          row.gpu_busy_ns() - std::min(row.gpu_busy_ns(), row.exposed_communication_ns());
      work.activities += static_cast<double>(row.activities());
      for (const v1::Count& count : row.flops()) {
        work.flops += static_cast<double>(ToFlopCount(count));
      }
      work.unknown = work.unknown || unknown.count(row.step()) != 0;
    }
  }
  return work;
}

// Of each rank; empty where they have not measured the same steps, or times are not known.
std::vector<MeasuredWork> ComparableWork(const RankGroups& groups, const Totals& totals) {
  std::vector<MeasuredWork> works;
  if (groups.ranks.size() < 2 || groups.launched.size() > 1 || !groups.conflicts.empty() ||
      !totals.exposed_communication_ns.has_value()) {
    return works;
  }
  for (const RankGroup& group : groups.ranks) {
    works.push_back(WorkOfSteps(group));
    if (works.back().steps.empty() || works.back().steps != works.front().steps) return {};
  }
  return works;
}

// Of an even number the lower one in the middle: of two ranks the other one.
template <typename T>
T LowerMedian(std::vector<T> values) {
  const auto middle = values.begin() + static_cast<long>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double Ratio(double value, double of) { return of == value ? 1 : of > 0 ? value / of : 0; }

template <typename Value>
auto MedianOf(const std::vector<MeasuredWork>& works, const std::vector<size_t>& ranks,
              Value value) {
  std::vector<decltype(value(works.front()))> values;
  for (const size_t rank : ranks) values.push_back(value(works[rank]));
  return LowerMedian(std::move(values));
}

uint64_t ComputeNs(const MeasuredWork& work) { return work.compute_ns; }
double Flops(const MeasuredWork& work) { return work.flops; }
double Activities(const MeasuredWork& work) { return work.activities; }

bool AnyUnknown(const std::vector<MeasuredWork>& works, const std::vector<size_t>& ranks) {
  return std::any_of(ranks.begin(), ranks.end(), [&](size_t rank) { return works[rank].unknown; });
}

UnevenRanks CompareIn(const std::vector<MeasuredWork>& works, const std::vector<size_t>& ranks) {
  UnevenRanks uneven;
  const size_t most = *std::max_element(ranks.begin(), ranks.end(), [&](size_t a, size_t b) {
    return works[a].compute_ns < works[b].compute_ns;
  });
  uneven.most = static_cast<uint32_t>(most);
  uneven.ranks = ranks.size();
  uneven.of_stage = ranks.size() < works.size();
  uneven.steps = works[most].steps.size();
  uneven.most_ns = works[most].compute_ns;
  uneven.median_ns = MedianOf(works, ranks, ComputeNs);
  const double median_flops = MedianOf(works, ranks, Flops);
  if (!AnyUnknown(works, ranks) && median_flops > 0) {
    uneven.flops_ratio = Ratio(works[most].flops, median_flops);
  }
  uneven.activities_ratio = Ratio(works[most].activities, MedianOf(works, ranks, Activities));
  return uneven;
}

// Time from the optimizer's end to the end of each measured step; absent: of one it is not known.
std::optional<uint64_t> BetweenSteps(const RankGroup& group) {
  uint64_t between_ns = 0;
  for (const v1::ProcessProfile* process : group.processes) {
    const std::set<uint32_t> disturbed = DisturbedSteps(*process);
    std::map<uint32_t, uint64_t> optimizer_ends;
    for (const v1::StepLabelRow& row : process->step_labels()) {
      optimizer_ends[row.number()] = row.optimizer_end_mono_ns();
    }
    for (const v1::StepRow& row : process->steps()) {
      if (!IsMeasuredStep(row, disturbed)) continue;
      const uint64_t end_ns = optimizer_ends[row.step()];
      if (end_ns < row.begin_mono_ns() || end_ns > row.end_mono_ns()) return std::nullopt;
      between_ns += row.end_mono_ns() - end_ns;
    }
  }
  return between_ns;
}

uint64_t ExposedIn(uint64_t wall_ns, const StepTime& time) {
  const uint64_t exposed_ns = std::min(time.exposed_communication_ns, time.busy_ns);
  if (time.busy_ns <= wall_ns) return exposed_ns;
  return static_cast<uint64_t>(static_cast<double>(exposed_ns) * static_cast<double>(wall_ns) /
                               static_cast<double>(time.busy_ns));
}

uint64_t ActivitiesOf(const RankGroup& group) {
  uint64_t activities = 0;
  for (const v1::ProcessProfile* process : group.processes) {
    const std::set<uint32_t> disturbed = DisturbedSteps(*process);
    for (const v1::StepRow& row : process->steps()) {
      if (IsMeasuredStep(row, disturbed)) activities += row.activities();
    }
  }
  return activities;
}

// FNV-1a.
uint64_t Hash(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace

std::optional<StepParts> PartsOfSteps(const RankGroups& groups, const Totals& totals) {
  if (!totals.idle_ns.has_value()) return std::nullopt;
  StepParts parts;
  parts.between_ns = 0;
  uint64_t exposed_ns = 0;
  for (const RankGroup& group : groups.ranks) {
    const uint64_t devices = DevicesInUse(group);
    const StepTime time = MeasuredSteps(group);
    const uint64_t wall_ns = time.wall_ns * devices;
    parts.rank_steps += time.complete;
    parts.device_steps += time.complete * devices;
    parts.wall_ns += wall_ns;
    // Work that runs on after the step's end can exceed its wall time; of that time communication
    // has the share that it has of the work.
    parts.busy_ns += std::min(time.busy_ns, wall_ns);
    exposed_ns += ExposedIn(wall_ns, time);
    parts.activities += ActivitiesOf(group);
    const std::optional<uint64_t> between_ns = BetweenSteps(group);
    if (!between_ns.has_value()) parts.between_ns.reset();
    if (!parts.between_ns.has_value()) continue;
    const uint64_t all_ns = std::min(*between_ns * devices, wall_ns);
    *parts.between_ns += all_ns;
    // Work that was launched before may still run then; all of it at most.
    parts.between_idle_ns += all_ns - std::min(all_ns, time.busy_ns);
  }
  if (parts.wall_ns == 0) return std::nullopt;
  if (!parts.between_ns.has_value()) parts.between_idle_ns = 0;
  if (totals.exposed_communication_ns.has_value()) parts.exposed_communication_ns = exposed_ns;
  return parts;
}

uint64_t ModelsOf(const RankGroup& group) {
  uint64_t sum = 0;  // whatever their order
  for (const v1::ProcessProfile* process : group.processes) {
    for (const v1::Module& module : process->modules()) {
      sum += Hash(module.path() + '\0' + module.class_name());
    }
  }
  return sum;
}

bool HasMessages(const std::vector<CollectiveSummary>& collectives) {
  return std::any_of(collectives.begin(), collectives.end(), [](const CollectiveSummary& one) {
    return absl::StrContains(one.api, "Send") || absl::StrContains(one.api, "Recv");
  });
}

std::vector<std::vector<size_t>> StagesOf(const std::vector<uint64_t>& models) {
  std::vector<std::vector<size_t>> stages;
  std::map<uint64_t, size_t> numbers;
  for (size_t rank = 0; rank < models.size(); ++rank) {
    const auto [stage, is_new] = numbers.try_emplace(models[rank], stages.size());
    if (is_new) stages.emplace_back();
    stages[stage->second].push_back(rank);
  }
  return stages;
}

std::optional<UnevenRanks> CompareRanks(const RankGroups& groups, const Totals& totals,
                                        const std::vector<std::vector<size_t>>& stages) {
  const std::vector<MeasuredWork> works = ComparableWork(groups, totals);
  std::optional<UnevenRanks> most;
  if (works.empty()) return most;
  for (const std::vector<size_t>& ranks : stages) {
    if (ranks.size() < 2) continue;
    const UnevenRanks one = CompareIn(works, ranks);
    const bool more =
        !most.has_value() || one.most_ns - one.median_ns > most->most_ns - most->median_ns;
    if (more) most = one;
  }
  return most;
}

std::optional<UnevenStages> CompareStages(const RankGroups& groups, const Totals& totals,
                                          const std::vector<std::vector<size_t>>& stages) {
  const std::vector<MeasuredWork> works = ComparableWork(groups, totals);
  if (works.empty() || stages.size() < 2) return std::nullopt;
  UnevenStages uneven;
  uneven.stages = static_cast<uint32_t>(stages.size());
  uneven.steps = works.front().steps.size();
  uint64_t sum_ns = 0;
  double flops = 0, most_flops = 0;
  bool unknown = false;
  for (const std::vector<size_t>& ranks : stages) {
    const uint64_t stage_ns = MedianOf(works, ranks, ComputeNs);
    const double stage_flops = MedianOf(works, ranks, Flops);
    unknown = unknown || AnyUnknown(works, ranks);
    sum_ns += stage_ns;
    flops += stage_flops;
    if (stage_ns <= uneven.most_ns) continue;
    uneven.most_ns = stage_ns;
    uneven.most = static_cast<uint32_t>(ranks.front());
    most_flops = stage_flops;
  }
  uneven.mean_ns = sum_ns / stages.size();
  if (!unknown && flops > 0) {
    uneven.flops_ratio = most_flops / (flops / static_cast<double>(stages.size()));
  }
  return uneven;
}

}  // namespace flopsprof::model
