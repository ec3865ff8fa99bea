// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/step_summary.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "collector/model/work.h"

namespace flopsprof::model {
namespace {

bool IsComplete(const v1::StepRow& row) {
  return row.complete() && row.end_mono_ns() > row.begin_mono_ns();
}

// Largest ratio over the ranks of step 0's work to the median of that rank's later steps.
std::optional<double> FirstStepWorkRatio(const RankGroups& groups) {
  std::optional<double> largest;
  for (const RankGroup& group : groups.ranks) {
    std::optional<double> first;
    std::vector<double> later;
    for (const v1::ProcessProfile* process : group.processes) {
      const std::set<uint32_t> unknown = StepsWithUnknownWork(*process);
      for (const v1::StepRow& row : process->steps()) {
        double flops = 0;
        for (const v1::Count& count : row.flops()) flops += static_cast<double>(ToFlopCount(count));
        if (flops == 0 && unknown.count(row.step()) != 0) continue;  // not 0: not known
        if (row.step() == 0) {
          first = flops;
        } else if (IsComplete(row)) {
          later.push_back(flops);
        }
      }
    }
    if (!first.has_value() || later.empty()) continue;
    std::nth_element(later.begin(), later.begin() + static_cast<long>(later.size() / 2),
                     later.end());
    const double median = later[later.size() / 2];
    if (median > 0) largest = std::max(largest.value_or(0), *first / median);
  }
  return largest;
}

}  // namespace

std::set<uint32_t> DisturbedSteps(const v1::ProcessProfile& process) {
  std::set<uint32_t> steps;
  for (const v1::StepLabelRow& row : process.step_labels()) {
    if (row.disturbed()) steps.insert(row.number());
  }
  return steps;
}

namespace {

void AddLine(const v1::StepRow& row, bool has_unknown, StepLine* line) {
  line->step = row.step();
  ++line->processes;
  line->complete = line->complete && IsComplete(row);
  if (row.end_mono_ns() > row.begin_mono_ns() && row.begin_mono_ns() != 0) {
    line->wall_ns = std::max(line->wall_ns, row.end_mono_ns() - row.begin_mono_ns());
  }
  line->gpu_busy_ns += row.gpu_busy_ns();
  line->has_unknown = line->has_unknown || has_unknown;
  for (int phase = 0; phase < row.flops_size() && phase < kPhaseCount; ++phase) {
    std::optional<FlopCount>& flops = line->flops[static_cast<size_t>(phase)];
    flops = flops.value_or(0) + ToFlopCount(row.flops(phase));
  }
}

// Of which of its phases something is unknown is not kept by step: a 0 may be one, then.
std::vector<StepLine> Finish(std::map<uint32_t, StepLine>* lines) {
  std::vector<StepLine> list;
  for (auto& [step, line] : *lines) {
    if (line.has_unknown) {
      for (std::optional<FlopCount>& flops : line.flops) {
        if (flops == FlopCount{0}) flops.reset();
      }
    }
    list.push_back(line);
  }
  return list;
}

std::string TakenFrom(const RankGroups& groups, bool any) {
  bool optimizer = false;
  std::string noted;
  for (const RankGroup& group : groups.ranks) {
    for (const v1::ProcessProfile* process : group.processes) {
      const auto note = process->notes().find("steps");
      const bool explicitly = note != process->notes().end() && note->second != "passes";
      if (explicitly) return note->second;
      if (note != process->notes().end()) noted = note->second;
      for (const v1::StepLabelRow& row : process->step_labels()) {
        optimizer = optimizer || row.optimizer_steps() > 0;
      }
    }
  }
  if (!any) return "";
  if (optimizer) return "optimizer";
  return noted.empty() ? "forwards" : noted;
}

void AddLines(const RankGroups& groups, StepsSummary* summary) {
  std::map<uint32_t, StepLine> list, beside;
  for (const RankGroup& group : groups.ranks) {
    for (const v1::ProcessProfile* process : group.processes) {
      const std::set<uint32_t> unknown = StepsWithUnknownWork(*process);
      for (const v1::StepRow& row : process->steps()) {
        AddLine(row, unknown.count(row.step()) != 0, &list[row.step()]);
      }
      for (const v1::StepRow& row : process->beside_steps()) {
        AddLine(row, false, &beside[row.step()]);
      }
      for (const uint32_t step : DisturbedSteps(*process)) {
        if (const auto line = list.find(step); line != list.end()) line->second.disturbed = true;
      }
    }
  }
  for (const auto& [step, line] : list) summary->disturbed += line.disturbed ? 1 : 0;
  summary->list = Finish(&list);
  summary->beside = Finish(&beside);
  summary->taken_from = TakenFrom(groups, !list.empty());
}

}  // namespace

StepsSummary SummarizeSteps(const RankGroups& groups) {
  StepsSummary summary;
  AddLines(groups, &summary);
  std::set<uint32_t> seen;
  std::set<uint32_t> with_duration;
  std::vector<uint64_t> durations;
  for (const RankGroup& group : groups.ranks) {
    for (const v1::ProcessProfile* process : group.processes) {
      const std::set<uint32_t> disturbed = DisturbedSteps(*process);
      for (const v1::StepRow& row : process->steps()) {
        seen.insert(row.step());
        // Step 0 holds allocation, compilation and tuning.
        if (!IsMeasuredStep(row, disturbed)) continue;
        durations.push_back(row.end_mono_ns() - row.begin_mono_ns());
        with_duration.insert(row.step());
      }
    }
  }
  summary.profiled = static_cast<uint32_t>(seen.size());
  if (!seen.empty()) {
    summary.first = *seen.begin();
    summary.last = *seen.rbegin();
  }
  summary.first_step_work_ratio = FirstStepWorkRatio(groups);
  summary.left_out = static_cast<uint32_t>(seen.size() - with_duration.size());
  if (durations.empty()) return summary;
  std::sort(durations.begin(), durations.end());
  const size_t count = durations.size();
  summary.measured = static_cast<uint32_t>(count);
  summary.median_ns =
      count % 2 == 1 ? durations[count / 2] : (durations[count / 2 - 1] + durations[count / 2]) / 2;
  // Nearest rank: the smallest duration that at least 95 % of the steps do not exceed.
  summary.p95_ns = durations[(count * 95 + 99) / 100 - 1];
  return summary;
}

std::set<uint32_t> StepsWithUnknownWork(const v1::ProcessProfile& process) {
  std::set<uint32_t> steps;
  if (MayHaveUnseenKernels(process)) {  // what no call shows is not seen either
    for (const v1::StepRow& row : process.steps()) steps.insert(row.step());
  }
  for (const v1::StepFacts& facts : process.step_facts()) {
    if (facts.has_unknown()) steps.insert(facts.step());
  }
  return steps;
}

uint64_t UnionNs(std::vector<std::pair<uint64_t, uint64_t>> intervals) {
  std::sort(intervals.begin(), intervals.end());
  uint64_t sum_ns = 0;
  uint64_t until_ns = 0;
  for (const auto& [begin_ns, end_ns] : intervals) {
    if (end_ns <= until_ns) continue;
    sum_ns += end_ns - std::max(begin_ns, until_ns);
    until_ns = end_ns;
  }
  return sum_ns;
}

namespace {

StepTime TimeOfSteps(const RankGroup& group, bool measured_only) {
  StepTime time;
  std::vector<std::pair<uint64_t, uint64_t>> walls;
  for (const v1::ProcessProfile* process : group.processes) {
    const std::set<uint32_t> disturbed =
        measured_only ? DisturbedSteps(*process) : std::set<uint32_t>();
    for (const v1::StepRow& row : process->steps()) {
      if (!(measured_only ? IsMeasuredStep(row, disturbed) : IsComplete(row))) continue;
      ++time.complete;
      walls.emplace_back(row.begin_mono_ns(), row.end_mono_ns());
      time.busy_ns += row.gpu_busy_ns();
      time.exposed_communication_ns += row.exposed_communication_ns();
    }
  }
  time.wall_ns = UnionNs(std::move(walls));
  return time;
}

}  // namespace

bool IsMeasuredStep(const v1::StepRow& row, const std::set<uint32_t>& disturbed) {
  return IsComplete(row) && row.step() != 0 && disturbed.count(row.step()) == 0;
}

StepTime CompleteSteps(const RankGroup& group) { return TimeOfSteps(group, false); }

StepTime MeasuredSteps(const RankGroup& group) { return TimeOfSteps(group, true); }

}  // namespace flopsprof::model
