// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/performance_findings.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "collector/model/rank_summary.h"
#include "collector/model/step_summary.h"

namespace flopsprof::model {
namespace {

constexpr double kNotable = 0.02;       // of the step's time
constexpr double kGrave = 0.2;          // the same: a warning
constexpr double kShortKernelNs = 1e4;  // about what PyTorch takes on the CPU to launch one
constexpr double kSlowRank = 1.1;       // times the median
constexpr double kEqualWork = 0.01;     // flops of ranks that do the same
constexpr double kNotableType = 0.1;    // of the flops

struct Judged {
  double share;  // of the step's time, or of GPU time
  Finding finding;
};

std::string Percent(double share) { return absl::StrFormat("%.1f %%", 100 * share); }

// "17.2 ms"
std::string Time(double seconds) {
  if (seconds >= 1) return absl::StrFormat("%.3g s", seconds);
  if (seconds >= 1e-3) return absl::StrFormat("%.3g ms", seconds * 1e3);
  return absl::StrFormat("%.3g us", seconds * 1e6);
}

// Of the stand-in GPU: its times are a model, and nobody waits for it.
std::string Severity(const Summary& summary, double share) {
  return share >= kGrave && !summary.simulated ? "warning" : "note";
}

// Mean wall time of a step.
double StepSeconds(const StepParts& parts) {
  return static_cast<double>(parts.wall_ns) * 1e-9 / static_cast<double>(parts.device_steps);
}

std::string GainOf(double share, double step_s) {
  return absl::StrCat("at most ", Time(share * step_s), " of each step (", Percent(share), ")");
}

// Kernels that compute, not those that communicate or copy.
std::pair<uint64_t, uint64_t> CountAndTimeOfKernels(const Summary& summary) {
  uint64_t count = 0, time_ns = 0;
  // Of more names than are kept the shortest are missing.
  if (summary.kernels_left_out > 0) return {0, 0};
  for (const KernelSummary& kernel : summary.kernels) {
    if (kernel.category == "communication" || kernel.category == "copy") continue;
    if (kernel.max_ns == 0) continue;  // none of them has a time
    count += kernel.count;
    time_ns += kernel.gpu_time_ns;
  }
  return {count, time_ns};
}

void AddIdle(const Summary& summary, const StepParts& parts, std::vector<Judged>* judged) {
  const double share =
      static_cast<double>(parts.wall_ns - parts.busy_ns) / static_cast<double>(parts.wall_ns);
  if (share < kNotable) return;
  const double step_s = StepSeconds(parts);
  const auto [count, time_ns] = CountAndTimeOfKernels(summary);
  const double mean_ns = count == 0 ? 0 : static_cast<double>(time_ns) / static_cast<double>(count);
  const bool short_kernels = count > 0 && mean_ns < kShortKernelNs;
  std::string evidence = absl::StrCat("no work on the GPU for ", Time(share * step_s), " of ",
                                      Time(step_s), ": mean of ", parts.device_steps,
                                      " steps, each counted for each rank and GPU, "
                                      "step 0 left out");
  if (count > 0) {
    absl::StrAppend(&evidence, "; a kernel takes ", Time(mean_ns * 1e-9), " on average",
                    short_kernels ? ": PyTorch needs about 10 us to launch one" : "");
  }
  judged->push_back(
      {share,
       {Severity(summary, share),
        absl::StrCat("the GPU waits: it is idle for ", Percent(share), " of the step"), evidence,
        short_kernels
            ? (summary.coverage.graphs.empty()
                   ? "more work for each kernel: a larger batch, torch.compile, or CUDA graphs"
                   : "more work for each kernel: a larger batch, or more of the step in CUDA "
                     "graphs")
            : "see what the host does meanwhile (data, .item(), prints, checkpoints): "
              "flopsprof-run --stacks shows who launches",
        GainOf(share, step_s)}});
}

// The collective whose calls nothing hides for the longest time.
const CollectiveSummary* LongestExposed(const Summary& summary) {
  // Of what was not compared it is not known.
  const auto exposed = [](const CollectiveSummary& one) {
    return one.compared_time_ns - std::min(one.compared_time_ns, one.hidden_ns);
  };
  const CollectiveSummary* longest = nullptr;
  for (const CollectiveSummary& one : summary.collectives) {
    if (longest == nullptr || exposed(one) > exposed(*longest)) longest = &one;
  }
  return longest == nullptr || exposed(*longest) == 0 ? nullptr : longest;
}

void AddExposedCommunication(const Summary& summary, const StepParts& parts,
                             std::vector<Judged>* judged) {
  if (!parts.exposed_communication_ns.has_value()) return;
  const double share =
      static_cast<double>(*parts.exposed_communication_ns) / static_cast<double>(parts.wall_ns);
  if (share < kNotable) return;
  std::string evidence = "communication while the GPU computes nothing";
  uint64_t wait_ns = 0, matched_ns = 0, all_ns = 0;
  for (const CollectiveSummary& one : summary.collectives) {
    wait_ns += one.wait_ns;
    matched_ns += one.matched_time_ns;
    all_ns += one.gpu_time_ns;
  }
  if (const CollectiveSummary* one = LongestExposed(summary); one != nullptr) {
    absl::StrAppend(&evidence, "; most: ", one->api, " in ",
                    one->module.empty() ? "(model)" : one->module, ", ", one->phase);
  }
  // Of what is not matched the waiting is not known: a lower bound.
  const double waiting =
      all_ns == 0 ? 0 : static_cast<double>(wait_ns) / static_cast<double>(all_ns);
  if (matched_ns > 0) {
    absl::StrAppend(&evidence, "; ", matched_ns < all_ns ? "at least " : "", Percent(waiting),
                    " of communication is waiting for the last rank to begin");
  }
  judged->push_back(
      {share,
       {Severity(summary, share),
        absl::StrCat("exposed communication takes ", Percent(share), " of the step"), evidence,
        waiting > 0.5
            ? "ranks arrive at different times: even out their input and work first"
            : "overlap it with compute (larger or earlier buckets, prefetch), or send less",
        GainOf(share, StepSeconds(parts))}});
}

// What the ratio of a rank to the median is of.
std::string Times(const Summary& summary, double ratio) {
  return absl::StrFormat("%.2f times %s", ratio,
                         summary.ranks.size() == 2 ? "the other rank" : "the median rank");
}

// Ranks that do the same work in different time, or different work.
void AddRanks(const Summary& summary, const StepParts& parts, std::vector<Judged>* judged) {
  const std::optional<UnevenRanks>& uneven = summary.steps.uneven;
  if (!uneven.has_value() || uneven->median_ns == 0 || uneven->most >= summary.ranks.size()) return;
  const double ratio =
      static_cast<double>(uneven->most_ns) / static_cast<double>(uneven->median_ns);
  if (ratio < kSlowRank) return;
  // Its devices work at the same time.
  const double steps = static_cast<double>(uneven->steps) *
                       static_cast<double>(parts.device_steps) /
                       static_cast<double>(parts.rank_steps);
  const double more_s = static_cast<double>(uneven->most_ns - uneven->median_ns) * 1e-9 / steps;
  const double share = more_s / StepSeconds(parts);
  if (share < kNotable) return;
  const RankSummary& rank = summary.ranks[uneven->most];
  const bool same_flops = std::abs(uneven->flops_ratio.value_or(0) - 1) <= kEqualWork;
  const bool same_work = same_flops && std::abs(uneven->activities_ratio - 1) <= kEqualWork;
  const bool more_flops = uneven->flops_ratio.value_or(0) > 1 + kEqualWork;
  std::string what = "takes longer";
  std::string next =
      "compare it with another rank: --view ranks, and flopsprof query for kernels by rank";
  if (same_work) {
    what = "is slow";
    next = absl::StrCat(
        "compare its clocks and temperature with another's: nvidia-smi -q -d "
        "PERFORMANCE on ",
        rank.node);
  } else if (more_flops) {
    what = "has more to do";
    next = "even out stages, experts or batches; stages of a pipeline may differ on purpose";
  }
  std::string evidence =
      absl::StrCat("node ", rank.node,
                   rank.devices.empty() ? "" : absl::StrCat(", GPU ", rank.devices.front().ordinal),
                   ": ", Time(static_cast<double>(uneven->most_ns) * 1e-9 / steps),
                   " of GPU time a step without exposed communication, against ",
                   Time(static_cast<double>(uneven->median_ns) * 1e-9 / steps));
  absl::StrAppend(&evidence,
                  uneven->flops_ratio.has_value()
                      ? absl::StrFormat("; flops %.2f times", *uneven->flops_ratio)
                      : "; not all flops are known",
                  absl::StrFormat(", GPU records %.2f times", uneven->activities_ratio));
  judged->push_back(
      {share,
       {Severity(summary, share), absl::StrCat(rank.label, " ", what, ": ", Times(summary, ratio)),
        evidence, next,
        absl::StrCat("at most ", Time(more_s), " of each step (", Percent(share),
                     "); others may wait for it so long")}});
}

void AddRecompute(const Summary& summary, std::vector<Judged>* judged) {
  uint64_t all_ns = 0;
  for (const std::optional<uint64_t>& ns : summary.totals.work.gpu_time_ns)
    all_ns += ns.value_or(0);
  const uint64_t again_ns = summary.totals.work.gpu_time_ns[v1::PHASE_RECOMPUTE].value_or(0);
  if (all_ns == 0) return;
  const double share = static_cast<double>(again_ns) / static_cast<double>(all_ns);
  if (share < kNotable) return;
  judged->push_back(
      {share,
       {"note", absl::StrCat("recomputing forwards takes ", Percent(share), " of GPU time"),
        absl::StrCat(Time(static_cast<double>(again_ns) * 1e-9),
                     " in the run, all ranks together: activation checkpointing"),
        "where memory allows checkpoint fewer modules; which: --view modules",
        absl::StrCat("at most ", Percent(share), " of GPU time, for memory")}});
}

// Products in plain fp32 on a card that has tf32.
void AddPlainFp32(const Summary& summary, std::vector<Judged>* judged) {
  double all = 0, plain = 0;
  for (const auto& [type, flops] : summary.totals.flops_by_type) {
    all += static_cast<double>(flops);
    if (type == "fp32") plain += static_cast<double>(flops);
  }
  if (all <= 0 || plain < kNotableType * all || summary.simulated) return;
  for (const RankSummary& rank : summary.ranks) {
    for (const DeviceSummary& device : rank.devices) {
      if (!device.peaks.has_value()) return;
      const std::optional<double> fp32 = device.peaks->For("fp32");
      const std::optional<double> tf32 = device.peaks->For("tf32");
      if (!fp32.has_value() || !tf32.has_value() || *tf32 <= *fp32) return;
      judged->push_back(
          {0,
           {"note",
            absl::StrCat(Percent(plain / all), " of flops are plain fp32: not on the tensor cores"),
            absl::StrFormat("dense peak of %s: fp32 %.3g T, tf32 %.3g T", device.peaks->card,
                            *fp32 * 1e-12, *tf32 * 1e-12),
            "if the accuracy suffices: torch.set_float32_matmul_precision(\"high\"), "
            "torch.backends.cudnn.allow_tf32, or autocast to bf16",
            absl::StrCat("at most ", Time(plain / *fp32 - plain / *tf32),
                         " of GPU time, all ranks together, if all ran at peak")}});
      return;
    }
  }
}

}  // namespace

std::optional<StepParts> PartsOfSteps(const RankGroups& groups, const Totals& totals) {
  if (!totals.idle_ns.has_value()) return std::nullopt;
  StepParts parts;
  uint64_t exposed_ns = 0;
  for (const RankGroup& group : groups.ranks) {
    const uint64_t devices = DevicesInUse(group);
    const StepTime time = MeasuredSteps(group);
    const uint64_t wall_ns = time.wall_ns * devices;
    parts.rank_steps += time.complete;
    parts.device_steps += time.complete * devices;
    parts.wall_ns += wall_ns;
    // Work that runs on after the step's end can exceed its wall time.
    parts.busy_ns += std::min(time.busy_ns, wall_ns);
    exposed_ns += std::min({time.exposed_communication_ns, time.busy_ns, wall_ns});
  }
  if (parts.wall_ns == 0) return std::nullopt;
  if (totals.exposed_communication_ns.has_value()) parts.exposed_communication_ns = exposed_ns;
  return parts;
}

namespace {

// Of one rank.
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

// Of an even number the lower one in the middle: of two ranks the other one.
template <typename T>
T LowerMedian(std::vector<T> values) {
  const auto middle = values.begin() + static_cast<long>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double Ratio(double value, double of) { return of == value ? 1 : of > 0 ? value / of : 0; }

}  // namespace

std::optional<UnevenRanks> CompareRanks(const RankGroups& groups, const Totals& totals) {
  if (groups.ranks.size() < 2 || groups.launched.size() > 1 || !groups.conflicts.empty() ||
      !totals.exposed_communication_ns.has_value()) {
    return std::nullopt;
  }
  std::vector<uint64_t> times;
  std::vector<double> flops, activities;
  bool unknown = false;
  std::set<uint32_t> steps;
  size_t most = 0;
  for (const RankGroup& group : groups.ranks) {
    MeasuredWork work = WorkOfSteps(group);
    if (times.empty()) steps = work.steps;
    if (work.steps.empty() || work.steps != steps) return std::nullopt;
    times.push_back(work.compute_ns);
    flops.push_back(work.flops);
    activities.push_back(work.activities);
    unknown = unknown || work.unknown;
    if (work.compute_ns > times[most]) most = times.size() - 1;
  }
  UnevenRanks uneven;
  uneven.most = static_cast<uint32_t>(most);
  uneven.steps = steps.size();
  uneven.most_ns = times[most];
  uneven.median_ns = LowerMedian(times);
  const double median_flops = LowerMedian(flops);
  if (!unknown && median_flops > 0) uneven.flops_ratio = Ratio(flops[most], median_flops);
  uneven.activities_ratio = Ratio(activities[most], LowerMedian(activities));
  return uneven;
}

void AddPerformanceFindings(const Summary& summary, std::vector<Finding>* findings) {
  std::vector<Judged> judged;
  // Steps of programs that have nothing to do with each other have no common time.
  const std::optional<StepParts>& parts = summary.steps.parts;
  if (parts.has_value() && summary.programs.empty()) {
    AddIdle(summary, *parts, &judged);
    AddExposedCommunication(summary, *parts, &judged);
    AddRanks(summary, *parts, &judged);
  }
  if (summary.coverage.times_known && !summary.coverage.times_incomplete) {
    AddRecompute(summary, &judged);
  }
  AddPlainFp32(summary, &judged);
  std::stable_sort(judged.begin(), judged.end(),
                   [](const Judged& a, const Judged& b) { return a.share > b.share; });
  for (Judged& one : judged) findings->push_back(std::move(one.finding));
}

}  // namespace flopsprof::model
