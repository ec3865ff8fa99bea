// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// DeepSpeed since 0.10.1.

#include "absl/strings/str_format.h"
#include "viewer/deepspeed/layout.h"
#include "viewer/deepspeed/python_text.h"
#include "viewer/deepspeed/words.h"

namespace flopsprof::viewer::deepspeed {
namespace {

constexpr size_t kNewestWidth = 70;

std::string NewestSummary(const Figures& figures, const Module& total) {
  const Units& units = NewestUnits();
  const auto line = [](const std::string& label, const std::string& value) {
    return Line(kNewestWidth, label, value);
  };
  return absl::StrFormat("%s\nProfile Summary at step %s:\n%s\n", kTitle, StepText(figures),
                         kNotations) +
         line("world size: ", WholeText(figures.world_size)) +
         line("data parallel size: ", WholeText(figures.dp_size)) +
         line("model parallel size: ", WholeText(figures.mp_size)) +
         line("batch size per GPU: ", WholeText(figures.batch)) +
         line("params per GPU: ", units.params(total.params)) +
         line("params of model = params per GPU * mp_size: ",
              units.params(Product(figures.mp_size, total.params))) +
         line("fwd MACs per GPU: ", units.macs(total.macs)) +
         line("fwd flops per GPU: ", units.number(total.flops)) +
         line("fwd flops of model = fwd flops per GPU * mp_size: ",
              units.number(Product(figures.mp_size, total.flops))) +
         line("fwd latency: ", units.timer(figures.forward)) +
         line("fwd FLOPS per GPU = fwd flops per GPU / fwd latency: ",
              units.rate(Rate(total.flops, figures.forward))) +
         BackwardLines(figures, total.flops, units,
                       {"GPU", kNewestWidth, 2 + figures.recompute_fwd_factor});
}

std::string NewestModule(const Module& module, const Module& total) {
  const Units& units = NewestUnits();
  Count rate = Rate(module.flops, module.seconds);
  // DeepSpeed rounds twice.
  if (rate.has_value()) rate->value = Round2(rate->value);
  return units.params(module.params) + " = " +
         units.share(Value(module.params), Value(total.params)) + " Params, " +
         units.macs(module.macs) + " = " + units.share(Value(module.macs), Value(total.macs)) +
         " MACs, " + units.duration(module.seconds) + " = " +
         units.share(module.seconds, total.seconds) + " latency, " + units.rate(rate);
}

}  // namespace

std::string NewestPage(const Figures& figures, const PageOptions& options) {
  const Module total = Total(figures);
  std::string text = NewestSummary(figures, total) + "\n" +
                     absl::StrFormat(kAggregatedLine, "GPU") + "\n" +
                     AggregatedByDepth(figures, options, NewestUnits());
  if (options.detailed) {
    text += DetailedPart(figures, absl::StrFormat(kNote, " ", "floating-point", kShorterThanAbove),
                         "GPU", [&](const Module& module) { return NewestModule(module, total); });
  }
  return text + kEnd + "\n";
}

}  // namespace flopsprof::viewer::deepspeed
