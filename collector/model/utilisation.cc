// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/utilisation.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <map>
#include <set>

#include "collector/model/rank_summary.h"
#include "collector/model/step_summary.h"
#include "collector/model/work.h"

namespace flopsprof::model {
namespace {

using FlopsByType = std::map<std::string, FlopCount>;

double ToDouble(FlopCount count) { return static_cast<double>(count); }

FlopCount Sum(const FlopsByType& by_type) {
  FlopCount sum = 0;
  for (const auto& [type, flops] : by_type) sum += flops;
  return sum;
}

// Seconds that the flops would take on one device, each type at its peak; absent, with `why`,
// where a peak is not known.
std::optional<double> SecondsAtPeak(const DevicePeaks& peaks, const FlopsByType& by_type,
                                    std::string* why) {
  double seconds = 0;
  for (const auto& [type, flops] : by_type) {
    const std::optional<double> peak = peaks.For(type);
    if (!peak.has_value()) {
      *why = absl::StrCat("no peak of ", type, " for ", peaks.card, "; give one: --peak ", type,
                          "=FLOPS");
      return std::nullopt;
    }
    seconds += ToDouble(flops) / *peak;
  }
  return seconds;
}

// The one kind of card that the rank used; nullptr, with `why`, when it is not known.
const DevicePeaks* CommonPeaks(const std::vector<DeviceSummary>& devices, bool simulated,
                               std::string* why) {
  if (devices.empty()) {
    *why = "the device is not known";
    return nullptr;
  }
  for (const DeviceSummary& device : devices) {
    if (!device.peaks.has_value()) {
      // No rate that anybody could give is that of a card that is not there.
      *why = simulated ? std::string(kSimulatedCard)
                       : absl::StrCat("the peak of ", device.name,
                                      " is not known; give it: --peak TYPE=FLOPS");
      return nullptr;
    }
    if (device.peaks->card != devices.front().peaks->card) {
      *why = "the rank used different cards";
      return nullptr;
    }
  }
  return &*devices.front().peaks;
}

bool IsComplete(const v1::StepRow& row) {
  return row.complete() && row.end_mono_ns() > row.begin_mono_ns();
}

struct StepWork {
  std::vector<std::pair<uint64_t, uint64_t>> walls;
  FlopCount model_flops = 0;
  FlopCount other_flops = 0;  // executed, but no work of the model
};

void Add(const v1::StepRow& row, StepWork* work) {
  work->walls.emplace_back(row.begin_mono_ns(), row.end_mono_ns());
  for (int phase = 0; phase < row.flops_size() && phase < kPhaseCount; ++phase) {
    FlopCount& flops = IsModelWork(phase) ? work->model_flops : work->other_flops;
    flops += ToFlopCount(row.flops(phase));
  }
}

// The complete steps of a rank, without step 0 and those in which something was compiled or tuned
// where there are others.
StepWork SteadySteps(const RankGroup& group) {
  StepWork first, others;
  for (const v1::ProcessProfile* process : group.processes) {
    std::set<uint32_t> disturbed = {0};
    for (const v1::StepLabelRow& row : process->step_labels()) {
      if (row.disturbed()) disturbed.insert(row.number());
    }
    for (const v1::StepRow& row : process->steps()) {
      if (IsComplete(row)) Add(row, disturbed.count(row.step()) != 0 ? &first : &others);
    }
  }
  return others.walls.empty() ? first : others;
}

// Share of the compute time (neither copies nor communication) whose flops are known.
std::optional<double> CountedShare(const v1::RunInfo& run, const RankGroup& group) {
  uint64_t counted_ns = 0;
  uint64_t compute_ns = 0;
  for (const v1::ProcessProfile* process : group.processes) {
    if (MayHaveUnseenKernels(*process)) return std::nullopt;  // a share of what is not known
    for (const v1::TimeRow& row : process->times()) {
      if (!InWindow(run, row)) continue;
      switch (row.category()) {
        case v1::TIME_CATEGORY_EXACT:
        case v1::TIME_CATEGORY_MODELLED:
        case v1::TIME_CATEGORY_NO_PRODUCTS:
          counted_ns += row.gpu_time_ns();
          compute_ns += row.gpu_time_ns();
          break;
        case v1::TIME_CATEGORY_COMMUNICATION:
        case v1::TIME_CATEGORY_COPY:
          break;
        default:
          compute_ns += row.gpu_time_ns();
      }
    }
  }
  if (compute_ns == 0) return std::nullopt;
  return static_cast<double>(counted_ns) / static_cast<double>(compute_ns);
}

}  // namespace

Utilisation UtilisationOf(const v1::RunInfo& run, const RankGroup& group, const RankSummary& rank) {
  Utilisation result;
  result.counted_share = CountedShare(run, group);
  const bool simulated =
      std::any_of(group.processes.begin(), group.processes.end(),
                  [](const v1::ProcessProfile* process) { return process->info().simulated(); });
  const DevicePeaks* peaks = CommonPeaks(rank.devices, simulated, &result.why);
  if (peaks == nullptr) return result;
  if (!DevicesAreThoseInUse(group, rank.devices)) {
    result.why = "which of the devices did the work is not known";
    return result;
  }
  FlopsByType model, executed;
  for (const v1::ProcessProfile* process : group.processes) {
    AddFlopsByType(run, *process, true, false, &model);
    AddFlopsByType(run, *process, true, true, &executed);
  }
  const StepWork steps = SteadySteps(group);
  const uint64_t wall_ns = UnionNs(steps.walls);
  const FlopCount executed_in_steps = steps.model_flops + steps.other_flops;
  if (wall_ns == 0 || executed_in_steps == 0 || Sum(executed) == 0) {
    result.why = "no complete step with counted flops";
    return result;
  }
  const std::optional<double> executed_s = SecondsAtPeak(*peaks, executed, &result.why);
  if (!executed_s.has_value()) return result;
  const std::optional<double> model_s = SecondsAtPeak(*peaks, model, &result.why);
  result.available_s =
      static_cast<double>(wall_ns) * 1e-9 * static_cast<double>(rank.devices.size());
  // Types are known for the sum of all steps; those that do not count here (step 0, one cut off
  // by the end of the job) are taken out in proportion.
  if (Sum(model) != 0) {
    result.model_peak_s = *model_s * ToDouble(steps.model_flops) / ToDouble(Sum(model));
    result.model_peak_flop_per_s = ToDouble(Sum(model)) / *model_s;
  }
  result.executed_peak_s = *executed_s * ToDouble(executed_in_steps) / ToDouble(Sum(executed));
  result.peak_flop_per_s = ToDouble(Sum(executed)) / *executed_s;
  result.mfu = result.model_peak_s / result.available_s;
  result.hfu = result.executed_peak_s / result.available_s;
  return result;
}

Utilisation Together(const std::vector<RankSummary>& ranks) {
  Utilisation all;
  // The smallest: what is true of each rank. Unknown of one rank: unknown.
  bool all_counted = !ranks.empty();
  double counted = 1;
  for (const RankSummary& rank : ranks) {
    const Utilisation& one = rank.utilisation;
    all_counted = all_counted && one.counted_share.has_value();
    if (one.counted_share.has_value()) counted = std::min(counted, *one.counted_share);
    if (!one.why.empty() && all.why.empty()) {
      all.why = absl::StrCat(rank.label, ": ", one.why);
    }
    all.available_s += one.available_s;
    all.model_peak_s += one.model_peak_s;
    all.executed_peak_s += one.executed_peak_s;
  }
  if (all_counted) all.counted_share = counted;
  if (ranks.empty()) all.why = "no rank used a GPU";
  if (!all.why.empty() || all.available_s == 0) return all;
  all.mfu = all.model_peak_s / all.available_s;
  all.hfu = all.executed_peak_s / all.available_s;
  return all;
}

std::vector<StepUtilisation> UtilisationBySteps(const RankGroups& groups,
                                                const std::vector<RankSummary>& ranks) {
  struct Line {
    double model_s = 0, executed_s = 0, available_s = 0;
    bool whole = true;
    bool has_unknown = false;
  };
  std::map<uint32_t, Line> lines;
  for (size_t i = 0; i < ranks.size() && i < groups.ranks.size(); ++i) {
    const std::optional<double> peak = ranks[i].utilisation.peak_flop_per_s;
    for (const v1::ProcessProfile* process : groups.ranks[i].processes) {
      const std::set<uint32_t> unknown = StepsWithUnknownWork(*process);
      for (const v1::StepRow& row : process->steps()) {
        Line& line = lines[row.step()];
        if (!IsComplete(row) || !peak.has_value()) {
          line.whole = false;
          continue;
        }
        StepWork work;
        Add(row, &work);
        line.has_unknown = line.has_unknown || unknown.count(row.step()) != 0;
        line.model_s +=
            ToDouble(work.model_flops) / ranks[i].utilisation.model_peak_flop_per_s.value_or(*peak);
        line.executed_s += ToDouble(work.model_flops + work.other_flops) / *peak;
        line.available_s += static_cast<double>(row.end_mono_ns() - row.begin_mono_ns()) * 1e-9 *
                            static_cast<double>(ranks[i].devices.size());
      }
    }
  }
  std::vector<StepUtilisation> result;
  for (const auto& [step, line] : lines) {
    if (!line.whole || line.available_s == 0) continue;
    StepUtilisation one;
    one.step = step;
    if (line.executed_s > 0 || !line.has_unknown) {
      one.mfu = line.model_s / line.available_s;
      one.hfu = line.executed_s / line.available_s;
    }
    result.push_back(one);
  }
  return result;
}

}  // namespace flopsprof::model
