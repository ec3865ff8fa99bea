// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// The stand-alone package flops-profiler 0.1.2.

#include "absl/strings/str_format.h"
#include "viewer/deepspeed/layout.h"
#include "viewer/deepspeed/python_text.h"
#include "viewer/deepspeed/words.h"

namespace flopsprof::viewer::deepspeed {
namespace {

constexpr size_t kMirrorWidth = 60;

std::string MirrorSummary(const Figures& figures, const Module& total) {
  const Units& units = OldUnits();
  const auto line = [](const std::string& label, const std::string& value) {
    return Line(kMirrorWidth, label, value);
  };
  std::string text =
      absl::StrFormat("%s\nProfile on Device: %s\nProfile Summary at step %s:\n%s\n",
                      kTitleOfMirror, figures.device, StepText(figures), kNotations) +
      line("world size: ", WholeText(figures.world_size)) +
      line("data parallel size: ", WholeText(figures.dp_size)) +
      line("model parallel size: ", WholeText(figures.mp_size)) +
      line("batch size per device: ", WholeText(figures.batch)) +
      line("params per device: ", units.params(total.params)) +
      line("params of model = params per device * mp_size: ",
           units.params(Product(figures.mp_size, total.params))) +
      line("fwd MACs per device: ", units.macs(total.macs)) +
      line("fwd flops per device: ", units.number(total.flops)) +
      line("fwd flops of model = fwd flops per device * mp_size: ",
           units.number(Product(figures.mp_size, total.flops)));
  if (figures.forward != 0.0) {
    text += line("fwd latency: ", units.timer(figures.forward)) +
            line("fwd FLOPS per device = fwd flops per device / fwd latency: ",
                 units.rate(Rate(total.flops, figures.forward)));
  }
  return text + BackwardLines(figures, total.flops, units, {"device", kMirrorWidth, 2});
}

// Functionals are not told apart in a run.
std::string MirrorModule(const Module& module, const Module& total) {
  const Units& units = OldUnits();
  return "module = " +
         DictText({
             {"param", units.params(module.params)},
             {"flops", units.number(module.flops)},
             {"macs", units.macs(module.macs)},
             {"duration", units.duration(module.seconds)},
             {"FLOPS", units.rate(Rate(module.flops, module.seconds))},
             {"params%", units.share(Value(module.params), Value(total.params))},
             {"flops%", units.share(Value(module.flops), Value(total.flops))},
             {"macs%", units.share(Value(module.macs), Value(total.macs))},
             {"duration%", units.share(module.seconds, total.seconds)},
         }) +
         ", functionals = unknown, functionals_duration = unknown, ";
}

}  // namespace

std::string MirrorPage(const Figures& figures, const PageOptions& options) {
  const Module total = Total(figures);
  std::string text = MirrorSummary(figures, total) + "\n" +
                     absl::StrFormat(kAggregatedLine, "Device") + "\n" +
                     AggregatedByDepth(figures, options, OldUnits());
  if (options.detailed) {
    text += DetailedPart(figures, absl::StrFormat(kNote, " ", "floating-point", ""), "Device",
                         [&](const Module& module) { return MirrorModule(module, total); });
  }
  return text + kEnd + "\n";
}

}  // namespace flopsprof::viewer::deepspeed
