// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/performance_findings.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace flopsprof::model {
namespace {

constexpr double kNotable = 0.02;       // of the step's time
constexpr double kGrave = 0.2;          // the same: a warning
constexpr double kShortKernelNs = 1e4;  // about what PyTorch takes on the CPU to launch one
constexpr double kLaunchNs = 1e5;       // no launch takes so long: the host does other things
constexpr double kSlowRank = 1.1;       // times the median
constexpr double kEqualWork = 0.01;     // flops of ranks that do the same
constexpr double kNotableType = 0.1;    // of the flops
constexpr char kWhoLaunches[] =
    "flopsprof-run --stacks shows launches outside of modules; for the rest use a profiler of "
    "Python, such as py-spy";

struct Judged {
  double share;     // of the step's time
  double gain = 0;  // the same: what it would gain at most
  Finding finding;
  std::string but = {};  // behind the gain
};

std::string Percent(double share) { return absl::StrFormat("%.1f%%", 100 * share); }

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

// As a share of the steps' time, what is a share of GPU time. Of the latter where there are no
// steps.
double ShareOfStep(const Summary& summary, double share_of_gpu_time) {
  const std::optional<StepParts>& parts = summary.steps.parts;
  if (!parts.has_value()) return share_of_gpu_time;
  return share_of_gpu_time * static_cast<double>(parts->busy_ns) /
         static_cast<double>(parts->wall_ns);
}

double ShareOfGpuTime(const Summary& summary, double ns) {
  const auto all_ns = static_cast<double>(summary.coverage.gpu_time_ns);
  return all_ns > 0 ? ns / all_ns : 0;
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
    return absl::StrCat(": ", Time(each_ns * 1e-9), " idle for each kernel");
  }
  return mean_ns < kShortKernelNs ? ": PyTorch needs about 10 us to launch one" : "";
}

std::string IdleEvidence(const StepParts& parts, double share, FindingKind kind, uint64_t kernels,
                         double mean_ns) {
  const double step_s = StepSeconds(parts);
  std::string evidence =
      absl::StrCat("no work on the GPU for ", Time(share * step_s), " of ", Time(step_s),
                   parts.device_steps == 1 ? ": of " : ": mean of ", parts.device_steps,
                   parts.device_steps == 1 ? " step" : " steps",
                   ", each counted for each rank and GPU, step 0 left out");
  if (kernels > 0) {
    absl::StrAppend(&evidence, "; a kernel takes ", Time(mean_ns * 1e-9), " on average",
                    WhyOfKernels(parts, kind, mean_ns));
  }
  if (parts.between_ns.has_value()) {
    const double steps = static_cast<double>(parts.device_steps) * 1e9;
    absl::StrAppend(&evidence, "; between the optimizer's end and the next forward: ",
                    Time(static_cast<double>(*parts.between_ns) / steps));
    if (parts.between_idle_ns > 0) {
      absl::StrAppend(&evidence, ", idle for at least ",
                      Time(static_cast<double>(parts.between_idle_ns) / steps), " of it");
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

void AddIdle(const Summary& summary, const StepParts& parts, std::vector<Judged>* judged) {
  const double share =
      static_cast<double>(parts.wall_ns - parts.busy_ns) / static_cast<double>(parts.wall_ns);
  if (share < kNotable) return;
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
       {kind, Severity(summary, share), absl::StrCat(why, Percent(share), " of the step"),
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
       share,
       {FindingKind::kExposedCommunication, Severity(summary, share),
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
void AddRanks(const Summary& summary, const StepParts& parts, std::vector<Judged>* judged) {
  const std::optional<UnevenRanks>& uneven = summary.steps.uneven;
  if (!uneven.has_value() || uneven->median_ns == 0 || uneven->most >= summary.ranks.size()) return;
  const auto most_ns = static_cast<double>(uneven->most_ns);
  const auto median_ns = static_cast<double>(uneven->median_ns);
  if (most_ns < kSlowRank * median_ns) return;
  const double steps = DeviceSteps(uneven->steps, parts);
  const double more_s = (most_ns - median_ns) * 1e-9 / steps;
  const double share = more_s / StepSeconds(parts);
  if (share < kNotable) return;
  const RankSummary& rank = summary.ranks[uneven->most];
  const RankVerdict verdict = JudgeRank(*uneven, rank);
  std::string evidence = absl::StrCat(
      "node ", rank.node,
      rank.devices.empty() ? "" : absl::StrCat(", GPU ", rank.devices.front().ordinal), ": ",
      Time(most_ns * 1e-9 / steps), " of GPU time a step without exposed communication, against ",
      Time(median_ns * 1e-9 / steps));
  absl::StrAppend(&evidence, CompareFlops(uneven->flops_ratio),
                  absl::StrFormat(", GPU records %.2f times", uneven->activities_ratio));
  judged->push_back(
      {share,
       share,
       {verdict.kind, Severity(summary, share),
        absl::StrCat(rank.label, " ", verdict.what, ": ", Times(*uneven)), evidence, verdict.next},
       "; others may wait for it so long"});
}

// Of a pipeline all stages take as long as the longest.
void AddStages(const Summary& summary, const StepParts& parts, std::vector<Judged>* judged) {
  const std::optional<UnevenStages>& uneven = summary.steps.uneven_stages;
  if (!uneven.has_value() || uneven->mean_ns == 0 || uneven->most >= summary.ranks.size()) return;
  const auto most_ns = static_cast<double>(uneven->most_ns);
  const auto mean_ns = static_cast<double>(uneven->mean_ns);
  if (most_ns < kSlowRank * mean_ns) return;
  const double steps = DeviceSteps(uneven->steps, parts);
  const double share = (most_ns - mean_ns) * 1e-9 / steps / StepSeconds(parts);
  if (share < kNotable) return;
  judged->push_back(
      {share,
       share,
       {FindingKind::kUnevenStages, Severity(summary, share),
        absl::StrFormat("pipeline stages are uneven: that of %s takes %.2f times the mean",
                        summary.ranks[uneven->most].label, most_ns / mean_ns),
        absl::StrCat(Time(most_ns * 1e-9 / steps),
                     " of GPU time a step without exposed communication, against a mean of ",
                     Time(mean_ns * 1e-9 / steps), " of ", uneven->stages,
                     " stages (ranks with equal modules)", CompareFlops(uneven->flops_ratio)),
        "move layers to the other stages: flopsprof report --view ranks,modules shows what each "
        "has"},
       "; the other stages wait for it so long"});
}

void AddRecompute(const Summary& summary, std::vector<Judged>* judged) {
  uint64_t all_ns = 0;
  for (const std::optional<uint64_t>& ns : summary.totals.work.gpu_time_ns)
    all_ns += ns.value_or(0);
  const uint64_t again_ns = summary.totals.work.gpu_time_ns[v1::PHASE_RECOMPUTE].value_or(0);
  if (all_ns == 0) return;
  const double of_gpu = static_cast<double>(again_ns) / static_cast<double>(all_ns);
  const double share = ShareOfStep(summary, of_gpu);
  if (share < kNotable) return;
  judged->push_back({share,
                     share,
                     {FindingKind::kRecompute, "note",
                      absl::StrCat("recomputing forwards takes ", Percent(of_gpu), " of GPU time"),
                      absl::StrCat(Time(static_cast<double>(again_ns) * 1e-9),
                                   " in the run, all ranks together: activation checkpointing"),
                      "where memory allows checkpoint fewer modules; which: --view modules"},
                     ", for memory"});
}

// Kernels without products, and short products: most of their time is begin and end. Where the GPU
// waits for launches that is said already.
void AddSmallKernels(const Summary& summary, std::vector<Judged>* judged) {
  if (summary.kernels_left_out > 0) return;
  const bool launch_bound = std::any_of(judged->begin(), judged->end(), [](const Judged& one) {
    return one.finding.kind == FindingKind::kLaunchBound;
  });
  if (launch_bound) return;
  uint64_t time_ns = 0, count = 0;
  const KernelSummary* longest = nullptr;
  for (const KernelSummary& kernel : summary.kernels) {
    const bool computes = kernel.category == "no_products" || kernel.category == "unknown";
    if (!computes || kernel.kind != "kernel" || kernel.max_ns == 0 ||
        kernel.phase == PhaseName(v1::PHASE_RECOMPUTE) ||
        static_cast<double>(kernel.gpu_time_ns) >=
            kShortKernelNs * static_cast<double>(kernel.count)) {
      continue;
    }
    time_ns += kernel.gpu_time_ns;
    count += kernel.count;
    if (longest == nullptr) longest = &kernel;  // by GPU time
  }
  const LostProducts& products = summary.products.small;
  const double lost_ns = static_cast<double>(time_ns + products.gpu_time_ns) - products.best_ns;
  const double of_gpu = ShareOfGpuTime(summary, lost_ns);
  const double share = ShareOfStep(summary, of_gpu);
  if (share < kNotable) return;
  std::string evidence = "shorter than 10 us on average";
  if (longest != nullptr) {
    absl::StrAppend(&evidence, ": ", count, " kernels without products, ",
                    Time(static_cast<double>(time_ns) * 1e-9), "; most: ", longest->name, " (",
                    longest->count, " of ",
                    Time(static_cast<double>(longest->gpu_time_ns) * 1e-9 /
                         static_cast<double>(longest->count)),
                    ")");
  }
  if (products.gpu_time_ns > 0) {
    absl::StrAppend(&evidence,
                    "; products: ", Time(static_cast<double>(products.gpu_time_ns) * 1e-9),
                    ", most: ", products.worst);
  }
  judged->push_back(
      {share,
       share,
       {FindingKind::kSmallKernels, Severity(summary, share),
        absl::StrCat("small kernels take ", Percent(of_gpu), " of GPU time"), evidence,
        "fuse them: torch.compile, a fused optimizer (fused=True), a larger batch; "
        "which: flopsprof report --view kernels"}});
}

std::string Rate(double flop_per_s) { return absl::StrFormat("%.3g TFLOPS", flop_per_s * 1e-12); }

struct ProductWords {
  FindingKind kind;
  const char* text;
  const char* next;
};

// Products that lose time against the roofline of the card.
void AddProducts(const Summary& summary, const LostProducts& lost, const ProductWords& words,
                 std::vector<Judged>* judged) {
  const double of_gpu =
      ShareOfGpuTime(summary, static_cast<double>(lost.gpu_time_ns) - lost.best_ns);
  const double share = ShareOfStep(summary, of_gpu);
  if (share < kNotable) return;
  judged->push_back(
      {share,
       share,
       {words.kind, Severity(summary, share),
        absl::StrCat(words.text, Percent(lost.best_ns / static_cast<double>(lost.gpu_time_ns)),
                     " of what the card can do at their shapes"),
        absl::StrCat(Time(static_cast<double>(lost.gpu_time_ns) * 1e-9), " of GPU time where ",
                     Time(lost.best_ns * 1e-9), " is the least; most: ", lost.worst, ", ",
                     Rate(lost.worst_flop_per_s), " of ", Rate(lost.worst_best_flop_per_s),
                     " (peak and memory bandwidth: flopsprof peaks)"),
        words.next}});
}

// A card of the run whose tf32 is faster than its fp32.
const DevicePeaks* CardWithTf32(const Summary& summary) {
  for (const RankSummary& rank : summary.ranks) {
    for (const DeviceSummary& device : rank.devices) {
      if (!device.peaks.has_value()) return nullptr;
      const std::optional<double> fp32 = device.peaks->For("fp32");
      const std::optional<double> tf32 = device.peaks->For("tf32");
      return fp32.has_value() && tf32.has_value() && *tf32 > *fp32 ? &*device.peaks : nullptr;
    }
  }
  return nullptr;
}

// Products in plain fp32 on a card that has tf32. Where the times of the products are known, what
// they take beyond their least time as tf32; else the difference between the two peaks.
void AddPlainFp32(const Summary& summary, std::vector<Judged>* judged) {
  double all = 0, plain = 0;
  for (const auto& [type, flops] : summary.totals.flops_by_type) {
    all += static_cast<double>(flops);
    if (type == "fp32") plain += static_cast<double>(flops);
  }
  const DevicePeaks* card = CardWithTf32(summary);
  if (all <= 0 || plain < kNotableType * all || card == nullptr) return;
  const double fp32 = *card->For("fp32"), tf32 = *card->For("tf32");
  const LostProducts& products = summary.products.plain_fp32;
  const bool timed = products.gpu_time_ns > 0;
  const double gain_ns = timed ? static_cast<double>(products.gpu_time_ns) - products.best_ns
                               : 1e9 * (plain / fp32 - plain / tf32);
  const double share = ShareOfStep(summary, ShareOfGpuTime(summary, gain_ns));
  if (share < kNotable) return;
  std::string evidence = absl::StrFormat("dense peak of %s: fp32 %.3g T, tf32 %.3g T", card->card,
                                         fp32 * 1e-12, tf32 * 1e-12);
  if (timed) {
    absl::StrAppend(&evidence, "; they take ",
                    Time(static_cast<double>(products.gpu_time_ns) * 1e-9),
                    ", all ranks together, and as tf32 ", Time(products.best_ns * 1e-9),
                    " at least; most: ", products.worst);
  }
  judged->push_back(
      {share,
       share,
       {FindingKind::kPlainFp32, "note",
        absl::StrCat(Percent(plain / all), " of flops are plain fp32: not on the tensor cores"),
        evidence,
        "if the accuracy suffices: torch.set_float32_matmul_precision(\"high\"), "
        "torch.backends.cudnn.allow_tf32, or autocast to bf16"}});
}

// What can be gained together is no more than there is: what an earlier one has is not counted
// again.
void AddGains(const Summary& summary, std::vector<Judged>* judged) {
  const std::optional<StepParts>& parts = summary.steps.parts;
  double left = 1;
  for (Judged& one : *judged) {
    const double gain = std::min(one.gain, left);
    left -= gain;
    one.finding.gain_ratio = gain;
    one.finding.gain = parts.has_value()
                           ? absl::StrCat("at most ", Time(gain * StepSeconds(*parts)),
                                          " of each step (", Percent(gain), ")")
                           : absl::StrCat("at most ", Percent(gain), " of GPU time");
    absl::StrAppend(&one.finding.gain, one.but,
                    gain < one.gain ? "; the rest is in the gains before this one" : "");
  }
}

}  // namespace

void AddPerformanceFindings(const Summary& summary, std::vector<Finding>* findings) {
  std::vector<Judged> judged;
  // Steps of programs that have nothing to do with each other have no common time.
  const std::optional<StepParts>& parts = summary.steps.parts;
  const bool one_job = summary.programs.empty();
  if (parts.has_value() && one_job) {
    AddIdle(summary, *parts, &judged);
    AddExposedCommunication(summary, *parts, &judged);
    AddRanks(summary, *parts, &judged);
    AddStages(summary, *parts, &judged);
  }
  if (summary.coverage.times_known && !summary.coverage.times_incomplete && one_job) {
    AddRecompute(summary, &judged);
    AddSmallKernels(summary, &judged);
    AddProducts(summary, summary.products.slow,
                {FindingKind::kSlowProducts, "products reach ",
                 "larger products (batch, fused projections), or another version of the library; "
                 "which: flopsprof report --view calls"},
                &judged);
    AddProducts(summary, summary.products.misaligned,
                {FindingKind::kMisalignedProducts,
                 "products with a size that is no multiple of 16 bytes reach ",
                 "pad that size (vocabulary, classes, heads) to a multiple of 64; which: flopsprof "
                 "report --view calls"},
                &judged);
    AddPlainFp32(summary, &judged);
  }
  std::stable_sort(judged.begin(), judged.end(),
                   [](const Judged& a, const Judged& b) { return a.share > b.share; });
  AddGains(summary, &judged);
  for (Judged& one : judged) findings->push_back(std::move(one.finding));
}

std::string BoundBy(const Summary& summary) {
  const std::optional<StepParts>& parts = summary.steps.parts;
  if (!parts.has_value() || !summary.programs.empty()) return "";
  const uint64_t exposed_ns = parts->exposed_communication_ns.value_or(0);
  const uint64_t work_ns = parts->busy_ns - exposed_ns;
  const uint64_t idle_ns = parts->wall_ns - parts->busy_ns;
  if (work_ns >= exposed_ns && work_ns >= idle_ns) return "gpu_work";
  if (exposed_ns >= idle_ns) return "exposed_communication";
  for (const Finding& finding : summary.findings) {
    if (finding.kind == FindingKind::kIdle || finding.kind == FindingKind::kLaunchBound ||
        finding.kind == FindingKind::kInputBound) {
      return std::string(NameOf(finding.kind));
    }
  }
  return "idle";
}

}  // namespace flopsprof::model
