// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/step_time_findings.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace flopsprof::model {
namespace {

constexpr double kLaunchNs = 1e5;    // no launch takes so long: the host does other things
constexpr double kSlowRank = 1.1;    // times the median
constexpr double kEqualWork = 0.01;  // flops of ranks that do the same
constexpr char kWhoLaunches[] =
    "flopsprof-run --stacks shows launches outside of modules; for the rest use a profiler of "
    "Python, such as py-spy";

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

// Idle time that cannot be between steps, for each activity of the GPU; 0 where there is none.
double IdleNsOfEach(const StepParts& parts) {
  const uint64_t idle_ns = parts.wall_ns - parts.busy_ns;
  const uint64_t within_ns = idle_ns - std::min(idle_ns, parts.between_ns.value_or(0));
  return parts.activities == 0
             ? 0
             : static_cast<double>(within_ns) / static_cast<double>(parts.activities);
}

// What the mean time of a kernel says of why the GPU is idle.
std::string WhyOfKernels(const StepParts& parts, FindingKind kind, double mean_ns) {
  const double each_ns = IdleNsOfEach(parts);
  if (kind == FindingKind::kIdle && each_ns >= kLaunchNs) {
    return absl::StrCat(": ", DurationText(each_ns * 1e-9), " idle for each kernel");
  }
  return mean_ns < kShortKernelNs ? ": PyTorch needs about 10 us to launch one" : "";
}

std::string IdleEvidence(const StepParts& parts, double share, FindingKind kind, uint64_t kernels,
                         double mean_ns) {
  const double step_s = StepSeconds(parts);
  std::string evidence =
      absl::StrCat("no work on the GPU for ", DurationText(share * step_s), " of ",
                   DurationText(step_s), parts.device_steps == 1 ? ": of " : ": mean of ",
                   parts.device_steps, parts.device_steps == 1 ? " step" : " steps",
                   ", each counted for each rank and GPU, step 0 left out");
  if (kernels > 0) {
    absl::StrAppend(&evidence, "; a kernel takes ", DurationText(mean_ns * 1e-9), " on average",
                    WhyOfKernels(parts, kind, mean_ns));
  }
  if (parts.between_ns.has_value()) {
    const double steps = static_cast<double>(parts.device_steps) * 1e9;
    absl::StrAppend(&evidence, "; between the optimizer's end and the next forward: ",
                    DurationText(static_cast<double>(*parts.between_ns) / steps));
    if (parts.between_idle_ns > 0) {
      absl::StrAppend(&evidence, ", idle for at least ",
                      DurationText(static_cast<double>(parts.between_idle_ns) / steps), " of it");
    }
  }
  return evidence;
}

// Why the GPU has nothing to do, if the times prove it. Between steps nothing but data, logging and
// the like happens; the rest of a step is launches. Without the end of optimizers the two cannot be
// told apart, nor where replays of graphs launch many kernels at once.
FindingKind KindOfIdle(const Summary& summary, const StepParts& parts, bool short_kernels) {
  const uint64_t idle_ns = parts.wall_ns - parts.busy_ns;
  if (!parts.between_ns.has_value()) return FindingKind::kIdle;
  if (2 * parts.between_idle_ns >= idle_ns) return FindingKind::kInputBound;
  const uint64_t launching_ns = idle_ns - std::min(idle_ns, *parts.between_ns);
  const bool of_launches = parts.activities > 0 && IdleNsOfEach(parts) < kLaunchNs;
  const bool mostly = 2 * launching_ns >= idle_ns;
  return short_kernels && mostly && of_launches && summary.coverage.graphs.empty()
             ? FindingKind::kLaunchBound
             : FindingKind::kIdle;
}

void AddIdle(const Summary& summary, const StepParts& parts, std::vector<JudgedFinding>* judged) {
  const double share =
      static_cast<double>(parts.wall_ns - parts.busy_ns) / static_cast<double>(parts.wall_ns);
  if (share < kNotableOfStep) return;
  const auto [count, time_ns] = CountAndTimeOfKernels(summary);
  const double mean_ns = count == 0 ? 0 : static_cast<double>(time_ns) / static_cast<double>(count);
  const bool short_kernels = count > 0 && mean_ns < kShortKernelNs;
  const FindingKind kind = KindOfIdle(summary, parts, short_kernels);
  std::string why = "the GPU waits: it is idle for ", next;
  if (kind == FindingKind::kInputBound) {
    why = "the GPU waits between steps, for data or what else the host does there: idle for ";
    next = absl::StrCat(
        "load ahead (DataLoader: num_workers, pin_memory, prefetch_factor), log and save less "
        "often; ",
        kWhoLaunches);
  } else if (kind == FindingKind::kLaunchBound) {
    why = "the GPU waits for launches: it is idle for ";
    next = "more work for each kernel: a larger batch, torch.compile, or CUDA graphs";
  } else if (short_kernels) {
    next = absl::StrCat(
        "more work for each kernel: a larger batch, or more of the step in CUDA graphs; or the "
        "host does other things: ",
        kWhoLaunches);
  } else {
    next = absl::StrCat("see what the host does meanwhile (data, .item(), prints, checkpoints): ",
                        kWhoLaunches);
  }
  judged->push_back(
      {share,
       share,
       {kind, SeverityOf(summary, share), absl::StrCat(why, Percent(share), " of the step"),
        IdleEvidence(parts, share, kind, count, mean_ns), next}});
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
                             std::vector<JudgedFinding>* judged) {
  if (!parts.exposed_communication_ns.has_value()) return;
  const double share =
      static_cast<double>(*parts.exposed_communication_ns) / static_cast<double>(parts.wall_ns);
  if (share < kNotableOfStep) return;
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
       share,
       {FindingKind::kExposedCommunication, SeverityOf(summary, share),
        absl::StrCat("exposed communication takes ", Percent(share), " of the step"), evidence,
        waiting > 0.5
            ? "ranks arrive at different times: even out their input and work first"
            : "overlap it with compute (larger or earlier buckets, prefetch), or send less"}});
}

// What the ratio of a rank to the median is of.
std::string Times(const UnevenRanks& uneven) {
  const double ratio = static_cast<double>(uneven.most_ns) / static_cast<double>(uneven.median_ns);
  return absl::StrFormat("%.2f times %s%s", ratio,
                         uneven.ranks == 2 ? "the other rank" : "the median rank",
                         uneven.of_stage ? " of its stage" : "");
}

// Of so many steps of each rank, those of one device: its devices work at the same time.
double DeviceSteps(uint64_t steps, const StepParts& parts) {
  return static_cast<double>(steps) * static_cast<double>(parts.device_steps) /
         static_cast<double>(parts.rank_steps);
}

std::string CompareFlops(const std::optional<double>& ratio) {
  return ratio.has_value() ? absl::StrFormat("; flops %.2f times", *ratio)
                           : std::string("; not all flops are known");
}

// What a rank that takes longer is called, and what to do.
struct RankVerdict {
  FindingKind kind = FindingKind::kUnevenRanks;
  std::string what = "takes longer";
  std::string next =
      "compare it with another rank: --view ranks, and flopsprof query for kernels by rank";
};

RankVerdict JudgeRank(const UnevenRanks& uneven, const RankSummary& rank) {
  const bool same_flops = std::abs(uneven.flops_ratio.value_or(0) - 1) <= kEqualWork;
  if (same_flops && std::abs(uneven.activities_ratio - 1) <= kEqualWork) {
    return {FindingKind::kSlowRank, "is slow",
            absl::StrCat("compare its clocks and temperature with another's: nvidia-smi -q -d "
                         "PERFORMANCE on ",
                         rank.node)};
  }
  if (uneven.flops_ratio.value_or(0) <= 1 + kEqualWork) return {};
  return {FindingKind::kUnevenRanks, "has more to do",
          uneven.of_stage
              ? "even out experts or batches"
              : "even out stages, experts or batches; stages of a pipeline may differ on purpose"};
}

// Ranks that do the same work in different time, or different work.
void AddRanks(const Summary& summary, const StepParts& parts, std::vector<JudgedFinding>* judged) {
  const std::optional<UnevenRanks>& uneven = summary.steps.uneven;
  if (!uneven.has_value() || uneven->median_ns == 0 || uneven->most >= summary.ranks.size()) return;
  const auto most_ns = static_cast<double>(uneven->most_ns);
  const auto median_ns = static_cast<double>(uneven->median_ns);
  if (most_ns < kSlowRank * median_ns) return;
  const double steps = DeviceSteps(uneven->steps, parts);
  const double more_s = (most_ns - median_ns) * 1e-9 / steps;
  const double share = more_s / StepSeconds(parts);
  if (share < kNotableOfStep) return;
  const RankSummary& rank = summary.ranks[uneven->most];
  const RankVerdict verdict = JudgeRank(*uneven, rank);
  std::string evidence =
      absl::StrCat("node ", rank.node,
                   rank.devices.empty() ? "" : absl::StrCat(", GPU ", rank.devices.front().ordinal),
                   ": ", DurationText(most_ns * 1e-9 / steps),
                   " of GPU time a step without exposed communication, against ",
                   DurationText(median_ns * 1e-9 / steps));
  absl::StrAppend(&evidence, CompareFlops(uneven->flops_ratio),
                  absl::StrFormat(", GPU records %.2f times", uneven->activities_ratio));
  judged->push_back(
      {share,
       share,
       {verdict.kind, SeverityOf(summary, share),
        absl::StrCat(rank.label, " ", verdict.what, ": ", Times(*uneven)), evidence, verdict.next},
       "; others may wait for it so long"});
}

// Of a pipeline all stages take as long as the longest.
void AddStages(const Summary& summary, const StepParts& parts, std::vector<JudgedFinding>* judged) {
  const std::optional<UnevenStages>& uneven = summary.steps.uneven_stages;
  if (!uneven.has_value() || uneven->mean_ns == 0 || uneven->most >= summary.ranks.size()) return;
  const auto most_ns = static_cast<double>(uneven->most_ns);
  const auto mean_ns = static_cast<double>(uneven->mean_ns);
  if (most_ns < kSlowRank * mean_ns) return;
  const double steps = DeviceSteps(uneven->steps, parts);
  const double share = (most_ns - mean_ns) * 1e-9 / steps / StepSeconds(parts);
  if (share < kNotableOfStep) return;
  judged->push_back(
      {share,
       share,
       {FindingKind::kUnevenStages, SeverityOf(summary, share),
        absl::StrFormat("pipeline stages are uneven: that of %s takes %.2f times the mean",
                        summary.ranks[uneven->most].label, most_ns / mean_ns),
        absl::StrCat(DurationText(most_ns * 1e-9 / steps),
                     " of GPU time a step without exposed communication, against a mean of ",
                     DurationText(mean_ns * 1e-9 / steps), " of ", uneven->stages,
                     " stages (ranks with equal modules)", CompareFlops(uneven->flops_ratio)),
        "move layers to the other stages: flopsprof report --view ranks,modules shows what each "
        "has"},
       "; the other stages wait for it so long"});
}

}  // namespace

void AddStepTimeFindings(const Summary& summary, const StepParts& parts,
                         std::vector<JudgedFinding>* judged) {
  AddIdle(summary, parts, judged);
  AddExposedCommunication(summary, parts, judged);
  AddRanks(summary, parts, judged);
  AddStages(summary, parts, judged);
}

}  // namespace flopsprof::model
