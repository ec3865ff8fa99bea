// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/kernel_time_findings.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

namespace flopsprof::model {
namespace {

constexpr double kNotableType = 0.1;  // of the flops

void AddRecompute(const Summary& summary, std::vector<JudgedFinding>* judged) {
  uint64_t all_ns = 0;
  for (const std::optional<uint64_t>& ns : summary.totals.work.gpu_time_ns)
    all_ns += ns.value_or(0);
  const uint64_t again_ns = summary.totals.work.gpu_time_ns[v1::PHASE_RECOMPUTE].value_or(0);
  if (all_ns == 0) return;
  const double of_gpu = static_cast<double>(again_ns) / static_cast<double>(all_ns);
  const double share = ShareOfStep(summary, of_gpu);
  if (share < kNotableOfStep) return;
  judged->push_back({share,
                     share,
                     {FindingKind::kRecompute, "note",
                      absl::StrCat("recomputing forwards takes ", Percent(of_gpu), " of GPU time"),
                      absl::StrCat(DurationText(static_cast<double>(again_ns) * 1e-9),
                                   " in the run, all ranks together: activation checkpointing"),
                      "where memory allows checkpoint fewer modules; which: --view modules"},
                     ", for memory"});
}

// Kernels without products, and short products: most of their time is begin and end. Where the GPU
// waits for launches that is said already.
void AddSmallKernels(const Summary& summary, std::vector<JudgedFinding>* judged) {
  if (summary.kernels_left_out > 0) return;
  const bool launch_bound = std::any_of(
      judged->begin(), judged->end(),
      [](const JudgedFinding& one) { return one.finding.kind == FindingKind::kLaunchBound; });
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
  if (share < kNotableOfStep) return;
  std::string evidence = "shorter than 10 us on average";
  if (longest != nullptr) {
    absl::StrAppend(&evidence, ": ", count, " kernels without products, ",
                    DurationText(static_cast<double>(time_ns) * 1e-9), "; most: ", longest->name,
                    " (", longest->count, " of ",
                    DurationText(static_cast<double>(longest->gpu_time_ns) * 1e-9 /
                                 static_cast<double>(longest->count)),
                    ")");
  }
  if (products.gpu_time_ns > 0) {
    absl::StrAppend(&evidence,
                    "; products: ", DurationText(static_cast<double>(products.gpu_time_ns) * 1e-9),
                    ", most: ", products.worst);
  }
  judged->push_back(
      {share,
       share,
       {FindingKind::kSmallKernels, SeverityOf(summary, share),
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
                 std::vector<JudgedFinding>* judged) {
  const double of_gpu =
      ShareOfGpuTime(summary, static_cast<double>(lost.gpu_time_ns) - lost.best_ns);
  const double share = ShareOfStep(summary, of_gpu);
  if (share < kNotableOfStep) return;
  judged->push_back(
      {share,
       share,
       {words.kind, SeverityOf(summary, share),
        absl::StrCat(words.text, Percent(lost.best_ns / static_cast<double>(lost.gpu_time_ns)),
                     " of what the card can do at their shapes"),
        absl::StrCat(DurationText(static_cast<double>(lost.gpu_time_ns) * 1e-9),
                     " of GPU time where ", DurationText(lost.best_ns * 1e-9),
                     " is the least; most: ", lost.worst, ", ", Rate(lost.worst_flop_per_s), " of ",
                     Rate(lost.worst_best_flop_per_s),
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
void AddPlainFp32(const Summary& summary, std::vector<JudgedFinding>* judged) {
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
  if (share < kNotableOfStep) return;
  std::string evidence = absl::StrFormat("dense peak of %s: fp32 %.3g T, tf32 %.3g T", card->card,
                                         fp32 * 1e-12, tf32 * 1e-12);
  if (timed) {
    absl::StrAppend(&evidence, "; they take ",
                    DurationText(static_cast<double>(products.gpu_time_ns) * 1e-9),
                    ", all ranks together, and as tf32 ", DurationText(products.best_ns * 1e-9),
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

}  // namespace

void AddKernelTimeFindings(const Summary& summary, std::vector<JudgedFinding>* judged) {
  AddRecompute(summary, judged);
  AddSmallKernels(summary, judged);
  AddProducts(summary, summary.products.slow,
              {FindingKind::kSlowProducts, "products reach ",
               "larger products (batch, fused projections), or another version of the library; "
               "which: flopsprof report --view calls"},
              judged);
  AddProducts(summary, summary.products.misaligned,
              {FindingKind::kMisalignedProducts,
               "products with a size that is no multiple of 16 bytes reach ",
               "pad that size (vocabulary, classes, heads) to a multiple of 64; which: flopsprof "
               "report --view calls"},
              judged);
  AddPlainFp32(summary, judged);
}

}  // namespace flopsprof::model
