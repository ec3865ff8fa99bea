// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Wall time of each step and where it went, over all ranks.

#include <algorithm>
#include <vector>

#include "absl/strings/str_join.h"
#include "viewer/report/cells.h"
#include "viewer/report/numbers.h"
#include "viewer/report/text.h"
#include "viewer/report/views.h"

namespace flopsprof::viewer {
namespace {

std::optional<double> MeanSeconds(uint64_t sum_ns, uint64_t count) {
  if (count == 0) return std::nullopt;
  return static_cast<double>(sum_ns) * 1e-9 / static_cast<double>(count);
}

// One character a step, the highest for the longest. At most `width` of them.
std::string Sparkline(const ReportContext& context, size_t width) {
  std::vector<uint64_t> values;
  for (const model::StepSums& line : context.sums.steps) {
    if (line.complete > 0) values.push_back(line.slowest_ns);
  }
  if (values.size() < 4) return "";
  const uint64_t longest = *std::max_element(values.begin(), values.end());
  const size_t stride = (values.size() + width - 1) / width;
  std::string text;
  for (size_t i = 0; i < values.size(); i += stride) {
    // The slowest of those that share a character: a spike is never hidden.
    const size_t end = std::min(i + stride, values.size());
    const uint64_t value = *std::max_element(values.begin() + static_cast<long>(i),
                                             values.begin() + static_cast<long>(end));
    text += Level(static_cast<double>(value) / static_cast<double>(std::max<uint64_t>(longest, 1)),
                  context.terminal);
  }
  return text;
}

// The line of all steps, and what it is.
std::string SparkLines(const ReportContext& context) {
  const std::vector<model::StepSums>& lines = context.sums.steps;
  const size_t width = std::min<size_t>(context.terminal.width, 200) - 2;
  const std::string spark = Sparkline(context, width);
  if (spark.empty() || context.style.output == Output::kCsv) return "";
  const auto slowest =
      std::max_element(lines.begin(), lines.end(),
                       [](const auto& a, const auto& b) { return a.slowest_ns < b.slowest_ns; });
  const std::string text = "slowest rank of each step, " + std::to_string(lines.front().step) +
                           " to " + std::to_string(lines.back().step) + ", from 0 to " +
                           FormatSeconds(Seconds(slowest->slowest_ns), context.terminal.utf8) +
                           " in step " + std::to_string(slowest->step);
  return NoteLine(context, spark, Tone::kStrong) + NoteLine(context, text, Tone::kDim);
}

// "?" where nothing is counted of what ran, a lower bound where a part is not.
Cell StepFlops(const ReportContext& context, const model::StepSums& line) {
  if (line.has_unknown && line.flops == 0) return {"?"};
  return FlopsCell(context, line.flops, line.has_unknown);
}

// MFU of a step, "-" where only this one has none, "?" where nothing of it is counted.
Cell StepMfu(const ReportContext& context, uint32_t step) {
  for (const model::StepUtilisation& one : context.summary.steps.utilisation) {
    if (one.step == step) return ShareCell(one.mfu);
  }
  return {"-"};
}

// What was taken for a step, where no optimizer says it, and how to say it.
std::string HowToSay(const ReportContext& context) {
  const model::StepsSummary& steps = context.summary.steps;
  const char* taken = steps.taken_from == "forwards" ? "each outermost forward"
                      : steps.taken_from == "passes" ? "forwards up to a backward pass"
                                                     : nullptr;
  if (taken == nullptr) return "";
  const std::string text =
      std::string("A step here is ") + taken +
      ": no optimizer of torch.optim has stepped. Say it: flopsprof.step() "
      "where one begins, or flopsprof-run --step-at NAME (a module, a range or "
      "a function).";
  return NoteLine(context, text);
}

bool AnyIncomplete(const model::StepsSummary& steps) {
  return std::any_of(steps.list.begin(), steps.list.end(),
                     [](const model::StepLine& line) { return line.step != 0 && !line.complete; });
}

// An evaluation between two steps.
void AddBeside(const ReportContext& context, uint32_t step, Table* table) {
  for (const model::StepLine& line : context.summary.steps.beside) {
    if (line.step != step) continue;
    std::optional<double> wall_s;
    if (line.wall_ns != 0) wall_s = static_cast<double>(line.wall_ns) * 1e-9;
    model::FlopCount flops = 0;
    for (const auto& count : line.flops) flops += count.value_or(0);
    const double busy_s = static_cast<double>(line.gpu_busy_ns) * 1e-9 / line.processes;
    const std::string ranks = std::to_string(line.processes);
    table->AddRow({{"eval"},
                   {ranks, Tone::kPlain, ranks},
                   SecondsCell(context, wall_s),
                   {"-"},
                   context.summary.coverage.times_known ? SecondsCell(context, busy_s) : Cell{"?"},
                   {"-"},
                   {"-"},
                   FlopsCell(context, flops)});
  }
}

void AddRow(const ReportContext& context, const model::StepSums& line, Table* table) {
  std::optional<double> median_s, slowest_s;
  if (line.complete > 0) {
    median_s = static_cast<double>(line.middle_two_ns) * 0.5e-9;
    slowest_s = static_cast<double>(line.slowest_ns) * 1e-9;
  }
  const std::optional<double> busy_s = MeanSeconds(line.busy_ns, line.ranks);
  std::optional<double> idle_s;
  if (line.complete > 0) {
    // Work that runs on after the step's end can exceed its wall time.
    const uint64_t idle_ns =
        line.wall_ns > line.complete_busy_ns ? line.wall_ns - line.complete_busy_ns : 0;
    idle_s = MeanSeconds(idle_ns, line.complete);
  }
  const bool times = context.summary.coverage.times_known && !line.unseen_kernels;
  const auto time = [&](std::optional<double> s) {
    return times ? SecondsCell(context, s) : Cell{"?"};
  };
  std::vector<Cell> row = {
      {std::to_string(line.step)},
      {std::to_string(line.ranks)},
      SecondsCell(context, median_s),
      SecondsCell(context, slowest_s),
      time(busy_s),
      time(idle_s),
      line.exposed_unknown ? Cell{"?"} : time(MeanSeconds(line.exposed_ns, line.ranks)),
      StepFlops(context, line)};
  if (!context.summary.steps.utilisation.empty()) row.push_back(StepMfu(context, line.step));
  table->AddRow(std::move(row));
}

std::string StepTable(const ReportContext& context) {
  const std::vector<model::StepSums>& lines = context.sums.steps;
  std::vector<Column> columns = {
      {.header = "step"},
      {.header = "ranks", .drop_order = 1},
      {.header = "median", .group = "wall", .unit = "s"},
      {.header = "slowest", .group = "wall", .drop_order = 2, .key = SortKey::kTime, .unit = "s"},
      {.header = "GPU busy", .group = "mean of ranks", .drop_order = 4, .unit = "s"},
      {.header = "idle", .group = "mean of ranks", .drop_order = 5, .unit = "s"},
      {.header = "exposed comm.", .group = "mean of ranks", .drop_order = 3, .unit = "s"},
      {.header = "flops", .drop_order = 6, .key = SortKey::kFlops}};
  if (!context.summary.steps.utilisation.empty()) {
    columns.push_back({.header = "MFU", .key = SortKey::kMfu, .unit = "ratio"});
  }
  Table table(std::move(columns));
  const auto most = static_cast<size_t>(std::max(context.style.top, 1));
  const bool sorted = context.style.sort.has_value();
  const size_t head = sorted || lines.size() <= most ? lines.size() : (most + 1) / 2;
  const size_t tail = head == lines.size() ? 0 : most - head;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i < head || i >= lines.size() - tail) {
      AddRow(context, lines[i], &table);
      AddBeside(context, lines[i].step, &table);
    } else if (i == head) {
      table.AddRow({{context.terminal.utf8 ? "…" : "..."}});
    }
  }
  const std::string unsorted = SortRows(context, &table);
  if (sorted) table.Keep(most);
  return RenderTable(context, &table) + unsorted;
}

}  // namespace

std::string StepsView(const ReportContext& context) {
  const std::vector<model::StepSums>& lines = context.sums.steps;
  if (lines.empty()) return "";
  std::string note;
  const model::StepsSummary& steps = context.summary.steps;
  if (steps.median_ns.has_value()) {
    note = "median " + FormatSeconds(Seconds(steps.median_ns), context.terminal.utf8) + ", p95 " +
           FormatSeconds(Seconds(steps.p95_ns), context.terminal.utf8) + " of " +
           Plural(steps.measured, "step") + (context.summary.ranks.size() > 1 ? ", all ranks" : "");
  }
  // A few steps are read sooner than a line of them.
  const bool table = !context.style.brief || lines.size() < 4;
  std::string text = Title(context, "Steps", note) + (table ? StepTable(context) : "");
  if (steps.left_out > 0) {
    std::vector<std::string> kinds;
    if (steps.first == 0u) kinds.emplace_back("step 0");
    if (AnyIncomplete(steps)) kinds.emplace_back("incomplete ones");
    if (steps.disturbed > 0) kinds.emplace_back("with compilation or tuning");
    text += NoteLine(context, std::to_string(steps.left_out) + " not in them" +
                                  (kinds.empty() ? "" : ": ") + absl::StrJoin(kinds, ", "));
  }
  if (table && !steps.beside.empty()) {
    text += NoteLine(context, "eval: an evaluation between two steps, in neither");
  }
  return text + HowToSay(context) + SparkLines(context);
}

}  // namespace flopsprof::viewer
