// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// DeepSpeed 0.6.0 to 0.9, 0.4.0 to 0.5.8, and 0.3.11.

#include <algorithm>

#include "absl/strings/str_format.h"
#include "viewer/deepspeed/layout.h"
#include "viewer/deepspeed/python_text.h"
#include "viewer/deepspeed/words.h"

namespace flopsprof::viewer::deepspeed {
namespace {

constexpr size_t kOldWidth = 60;

std::string Row(const std::string& label, const std::string& value) {
  return Line(kOldWidth, label, value);
}

std::string EngineLines(const Figures& figures, const char* model_parallel) {
  return Row("world size: ", WholeText(figures.world_size)) +
         Row("data parallel size: ", WholeText(figures.dp_size)) +
         Row(model_parallel, WholeText(figures.mp_size)) +
         Row("batch size per GPU: ", WholeText(figures.batch));
}

// `flops`: of the layout; the first line after "fwd MACs" has them.
std::string Timed(const Figures& figures, const Count& flops) {
  const Units& units = OldUnits();
  return Row("fwd flops of model = fwd flops per GPU * mp_size: ",
             units.number(Product(figures.mp_size, flops))) +
         Row("fwd latency: ", units.timer(figures.forward)) +
         Row("fwd FLOPS per GPU = fwd flops per GPU / fwd latency: ",
             units.rate(Rate(flops, figures.forward))) +
         BackwardLines(figures, flops, units, {"GPU", kOldWidth, 2});
}

std::string OldModule(const Module& module, const Module& total, const Count& flops) {
  const Units& units = OldUnits();
  return units.params(module.params) + ", " +
         units.share(Value(module.params), Value(total.params)) + " Params, " +
         units.macs(module.macs) + ", " + units.share(Value(module.macs), Value(total.macs)) +
         " MACs, " + units.duration(module.seconds) + ", " +
         units.share(module.seconds, total.seconds) + " latency, " +
         units.rate(Rate(flops, module.seconds)) + ", ";
}

std::string Rest(const Figures& figures, const PageOptions& options, const std::string& note,
                 const ModuleLine& line) {
  std::string text = "\n" + absl::StrFormat(kAggregatedLine, "GPU") + "\n" +
                     AggregatedByDepth(figures, options, OldUnits());
  if (options.detailed) text += DetailedPart(figures, note, "GPU", line);
  return text + kEnd + "\n";
}

}  // namespace

std::string PageOf2022(const Figures& figures, const PageOptions& options) {
  const Units& units = OldUnits();
  const Module total = Total(figures);
  return absl::StrFormat("%s\nProfile Summary at step %s:\n%s\n", kTitle, StepText(figures),
                         kNotations) +
         EngineLines(figures, "model parallel size: ") +
         Row("params per gpu: ", units.params(total.params)) +
         Row("params of model = params per GPU * mp_size: ",
             units.params(Product(figures.mp_size, total.params))) +
         Row("fwd MACs per GPU: ", units.macs(total.macs)) +
         Row("fwd flops per GPU: ", units.number(total.flops)) + Timed(figures, total.flops) +
         Rest(figures, options, absl::StrFormat(kNote, " ", "floating-point", kShorterThanAbove),
              [&](const Module& module) { return OldModule(module, total, module.flops); });
}

// Flops are twice the MACs.
std::string PageOfMay2021(const Figures& figures, const PageOptions& options) {
  const Units& units = OldUnits();
  const Module total = Total(figures);
  const Count flops = Times(2, total.macs);
  return absl::StrFormat("%s\nProfile Summary at step %s:\n%s\n", kTitle, StepText(figures),
                         kNotationsOf2021) +
         EngineLines(figures, "model paralel size: ") +
         Row("params per gpu: ", units.params(total.params)) +
         Row("params of model = params per GPU * mp_size: ",
             units.params(Product(figures.mp_size, total.params))) +
         Row("fwd MACs per GPU: ", units.number(total.macs)) +
         Row("fwd flops per GPU = 2 * fwd MACs per GPU: ", units.number(flops)) +
         Timed(figures, flops) +
         Rest(
             figures, options, absl::StrFormat(kNote, "", "floating point", kShorterThanAbove),
             [&](const Module& module) { return OldModule(module, total, Times(2, module.macs)); });
}

// The model's text and three lines; numbers are means over steps, so that MACs are floats.
std::string PageOf2021(const Figures& figures, const PageOptions& options) {
  const Units& units = OldUnits();
  const Module total = Total(figures);
  const auto macs = [&](const Module& module) {
    return module.macs.has_value() ? units.macs(Number{module.macs->value, false}) : kUnknown;
  };
  const auto seconds = [&](const Module& module) { return units.timer(module.seconds); };
  const auto line = [&](const Module& module) {
    const Count rate = Rate(Times(2, module.macs), module.seconds);
    return units.params(module.params) + ", " +
           units.share(Value(module.params), Value(total.params)) + " Params, " + macs(module) +
           ", " + units.share(Value(module.macs), Value(total.macs)) + " MACs, " + seconds(module) +
           ", " + units.share(module.seconds, total.seconds) + " time, " +
           (rate.has_value() ? TwoDigits(rate->value / 1e12) + " TFLOPS" : kUnknown) + ", " +
           (module.calls.has_value() ? OldUnits().number(module.calls) : kUnknown) + ", ";
  };
  const uint32_t deepest = std::max<uint32_t>(Depths(figures), 1) - 1;
  const uint32_t depth = options.module_depth < 0
                             ? deepest
                             : std::min(deepest, static_cast<uint32_t>(options.module_depth));
  const std::vector<ClassFigures> classes = ClassesAt(figures, depth);
  const int count = std::min(options.top_modules, static_cast<int>(classes.size()));
  const auto top = [&](const char* name, auto figure, auto text) {
    return absl::StrFormat("Top %d modules in %s at depth %d are ", count, name, depth) +
           Top(classes, count, figure, text) + "\n";
  };
  return ModelText(figures.modules, line) +
         top(
             "flops", [](const Module& m) { return Value(m.macs); }, macs) +
         top(
             "params", [](const Module& m) { return Value(m.params); },
             [&](const Module& m) { return units.params(m.params); }) +
         top(
             "time", [](const Module& m) { return m.seconds; }, seconds);
}

}  // namespace flopsprof::viewer::deepspeed
