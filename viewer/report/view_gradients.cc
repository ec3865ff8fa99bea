// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// The backward, by what it computes the gradient of.

#include "collector/model/module_paths.h"
#include "viewer/report/cells.h"
#include "viewer/report/numbers.h"
#include "viewer/report/views.h"

namespace flopsprof::viewer {
namespace {

constexpr model::Gradient kInOrder[] = {model::Gradient::kData, model::Gradient::kWeight,
                                        model::Gradient::kNotTold};

const model::GradientWork& Part(const model::Work& work, model::Gradient gradient) {
  return work.gradients[static_cast<size_t>(gradient)];
}

model::FlopCount Counted(const model::Work& work) {
  model::FlopCount sum = 0;
  for (const model::Gradient gradient : kInOrder) sum += Part(work, gradient).flops;
  return sum;
}

std::string CountText(const ReportContext& context, model::FlopCount flops) {
  return context.style.exact ? FormatExact(flops) : FormatSi(static_cast<double>(flops));
}

Cell GradientTime(const ReportContext& context, const model::Work& work, model::Gradient gradient) {
  const bool known = work.gpu_time_ns[v1::PHASE_BACKWARD].has_value();
  const std::optional<uint64_t> ns = Part(work, gradient).gpu_time_ns;
  const bool incomplete =
      work.time_incomplete[v1::PHASE_BACKWARD] && Part(work, gradient).flops != 0;
  return TimeCell(context, known ? ns : std::nullopt, incomplete);
}

}  // namespace

std::string GradientsLine(const ReportContext& context) {
  static constexpr const char* kNames[] = {"data gradient", "weight gradient", "not told"};
  const model::Work& work = context.summary.totals.work;
  if (Counted(work) == 0) return "";
  std::string line;
  for (size_t i = 0; i < 3; ++i) {
    const model::FlopCount flops = Part(work, kInOrder[i]).flops;
    line += std::string(i == 0 ? "backward: " : ", ") + kNames[i] + " " + CountText(context, flops);
    if (flops != 0) line += " flops in " + GradientTime(context, work, kInOrder[i]).text;
  }
  return NoteLine(context, line);
}

std::string GradientsView(const ReportContext& context) {
  Table table({{.header = "module",
                .right = false,
                .flexible = true,
                .min_width = 20,
                .key = SortKey::kName},
               {.header = "class", .right = false, .drop_order = 1},
               {.header = "flops", .group = "data gradient", .key = SortKey::kFlops},
               {.header = "time",
                .group = "data gradient",
                .drop_order = 2,
                .key = SortKey::kTime,
                .unit = "s"},
               {.header = "flops", .group = "weight gradient"},
               {.header = "time", .group = "weight gradient", .drop_order = 2, .unit = "s"},
               {.header = "flops", .group = "not told", .drop_order = 3},
               {.header = "time", .group = "not told", .drop_order = 2, .unit = "s"}});
  const int depth = context.style.depth.value_or(-1);
  size_t ignored = 0;
  for (const model::ModuleSummary& module : context.summary.modules) {
    if (Counted(module.inclusive) == 0) continue;
    if (IsIgnored(context, module.path)) {
      ++ignored;
      continue;
    }
    if (depth >= 0 && module.depth > static_cast<uint32_t>(depth)) continue;
    std::vector<Cell> cells = {
        {context.terminal.Clean(module.path.empty() ? "(model)" : module.path)},
        {context.terminal.Clean(module.class_name)}};
    for (const model::Gradient gradient : kInOrder) {
      cells.push_back(FlopsCell(context, Part(module.inclusive, gradient).flops));
      cells.push_back(GradientTime(context, module.inclusive, gradient));
    }
    table.AddRow(std::move(cells));
  }
  const std::string unsorted = SortRows(context, &table);
  return Title(context, "Gradients", "sums over all steps and ranks, modules with all below them") +
         RenderTable(context, &table) + unsorted + IgnoredLine(context, ignored) +
         NoteLine(context, "not told: sizes that do not say which of the two it is", Tone::kDim);
}

}  // namespace flopsprof::viewer
