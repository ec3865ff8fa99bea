// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/step_picture.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "collector/model/step_summary.h"
#include "collector/model/work.h"

namespace flopsprof::model {
namespace {

struct StepCount {
  uint32_t measured = 0;
  uint32_t complete = 0;
  uint64_t slowest_ns = 0;
};

uint64_t WallOf(const v1::StepRow& row) {
  return row.complete() && row.end_mono_ns() > row.begin_mono_ns()
             ? row.end_mono_ns() - row.begin_mono_ns()
             : 0;
}

std::map<uint32_t, StepCount> CountSteps(const std::vector<const RankGroup*>& ranks) {
  std::map<uint32_t, StepCount> numbers;
  for (const RankGroup* group : ranks) {
    for (const v1::ProcessProfile* process : group->processes) {
      const std::set<uint32_t> disturbed = DisturbedSteps(*process);
      for (const v1::StepRow& row : process->steps()) {
        if (WallOf(row) == 0) continue;
        StepCount& number = numbers[row.step()];
        ++number.complete;
        number.measured += IsMeasuredStep(row, disturbed) ? 1 : 0;
        number.slowest_ns = std::max(number.slowest_ns, WallOf(row));
      }
    }
  }
  return numbers;
}

std::optional<std::pair<uint32_t, bool>> ChooseStep(const std::map<uint32_t, StepCount>& numbers) {
  uint32_t most_measured = 0;
  uint32_t most_complete = 0;
  for (const auto& [unused, number] : numbers) {
    most_measured = std::max(most_measured, number.measured);
    most_complete = std::max(most_complete, number.complete);
  }
  if (most_complete == 0) return std::nullopt;
  std::vector<std::pair<uint64_t, uint32_t>> candidates;
  for (const auto& [step, number] : numbers) {
    const bool most =
        most_measured > 0 ? number.measured == most_measured : number.complete == most_complete;
    if (most) candidates.emplace_back(number.slowest_ns, step);
  }
  std::sort(candidates.begin(), candidates.end());
  return std::pair(candidates[(candidates.size() - 1) / 2].second, most_measured > 0);
}

bool ExposedIsKnown(const v1::ProcessProfile& process, uint32_t step) {
  if (process.loss().count("communication_shared") != 0) return false;
  for (const v1::StepFacts& facts : process.step_facts()) {
    if (facts.step() == step && facts.exposed_unknown()) return false;
  }
  return true;
}

RankStep ToRankStep(int rank, const v1::ProcessProfile& process, const v1::StepRow& row) {
  RankStep one;
  one.rank = rank;
  one.devices = static_cast<uint32_t>(std::max(1, process.device_times_size()));
  one.wall_ns = WallOf(row);
  one.busy_ns = row.gpu_busy_ns();
  if (ExposedIsKnown(process, row.step())) one.exposed_ns = row.exposed_communication_ns();
  for (int phase = 0; phase < kPhaseCount && phase < row.gpu_time_ns_size(); ++phase) {
    one.gpu_time_ns[static_cast<size_t>(phase)] = row.gpu_time_ns(phase);
  }
  return one;
}

}  // namespace

StepPicture TypicalStep(const std::vector<const RankGroup*>& ranks) {
  StepPicture picture;
  const auto chosen = ChooseStep(CountSteps(ranks));
  if (!chosen.has_value()) return picture;
  picture.step = chosen->first;
  picture.measured = chosen->second;
  for (const RankGroup* group : ranks) {
    for (const v1::ProcessProfile* process : group->processes) {
      // Shares of a part of the time would be those of another step.
      if (LacksTimes(*process) || MayHaveUnseenKernels(*process)) continue;
      for (const v1::StepRow& row : process->steps()) {
        if (row.step() != picture.step || WallOf(row) == 0) continue;
        picture.ranks.push_back(ToRankStep(group->rank, *process, row));
      }
    }
  }
  return picture;
}

}  // namespace flopsprof::model
