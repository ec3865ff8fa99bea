// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Wall time of each step and where it went, over all ranks.

#include <algorithm>
#include <vector>

#include "absl/strings/str_join.h"
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
std::string Sparkline(const std::vector<model::StepSums>& lines, size_t width) {
  constexpr const char* kLevels[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::vector<uint64_t> values;
  for (const model::StepSums& line : lines) {
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
    text += kLevels[std::min<uint64_t>(7, value * 8 / std::max<uint64_t>(longest, 1))];
  }
  return text;
}

// "?" where nothing is counted of what ran, a lower bound where a part is not.
std::string FlopsText(const ReportContext& context, const model::StepSums& line) {
  if (line.has_unknown && line.flops == 0) return "?";
  const char* least = !line.has_unknown ? "" : context.terminal.utf8 ? "≥" : ">=";
  return least + (context.style.exact ? FormatExact(line.flops)
                                      : FormatSi(static_cast<double>(line.flops)));
}

// MFU of a step, "-" where only this one has none, "?" where nothing of it is counted.
std::string StepMfu(const ReportContext& context, uint32_t step) {
  for (const model::StepUtilisation& one : context.summary.steps.utilisation) {
    if (one.step == step) return one.mfu.has_value() ? FormatShare(one.mfu) : "?";
  }
  return "-";
}

// What was taken for a step, where no optimizer says it, and how to say it.
std::string HowToSay(const model::StepsSummary& steps, size_t width) {
  const char* taken = steps.taken_from == "forwards" ? "each outermost forward"
                      : steps.taken_from == "passes" ? "forwards up to a backward pass"
                                                     : nullptr;
  if (taken == nullptr) return "";
  const std::string text =
      std::string("A step here is ") + taken +
      ": no optimizer of torch.optim has stepped. Say it: flopsprof.step() "
      "where one begins, or flopsprof-run --step-at NAME (a module, a range or "
      "a function).";
  return "  " + Wrap(text, width, 2) + "\n";
}

bool AnyIncomplete(const model::StepsSummary& steps) {
  return std::any_of(steps.list.begin(), steps.list.end(),
                     [](const model::StepLine& line) { return line.step != 0 && !line.complete; });
}

// An evaluation between two steps.
void AddBeside(const ReportContext& context, uint32_t step, Table* table) {
  for (const model::StepLine& line : context.summary.steps.beside) {
    if (line.step != step) continue;
    const bool utf8 = context.terminal.utf8;
    std::optional<double> wall_s;
    if (line.wall_ns != 0) wall_s = static_cast<double>(line.wall_ns) * 1e-9;
    model::FlopCount flops = 0;
    for (const auto& count : line.flops) flops += count.value_or(0);
    const double busy_s = static_cast<double>(line.gpu_busy_ns) * 1e-9 / line.processes;
    table->AddRow(
        {{"eval"},
         {std::to_string(line.processes)},
         {FormatSeconds(wall_s, utf8)},
         {"-"},
         {context.summary.coverage.times_known ? FormatSeconds(busy_s, utf8) : "?"},
         {"-"},
         {"-"},
         {context.style.exact ? FormatExact(flops) : FormatSi(static_cast<double>(flops))}});
  }
}

void AddRow(const ReportContext& context, const model::StepSums& line, Table* table) {
  const bool utf8 = context.terminal.utf8;
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
    return times ? FormatSeconds(s, utf8) : std::string("?");
  };
  std::vector<Cell> row = {
      {std::to_string(line.step)},
      {std::to_string(line.ranks)},
      {FormatSeconds(median_s, utf8)},
      {FormatSeconds(slowest_s, utf8)},
      {time(busy_s)},
      {time(idle_s)},
      {line.exposed_unknown ? "?" : time(MeanSeconds(line.exposed_ns, line.ranks))},
      {FlopsText(context, line)}};
  if (!context.summary.steps.utilisation.empty()) row.push_back({StepMfu(context, line.step)});
  table->AddRow(std::move(row));
}

}  // namespace

std::string StepsView(const ReportContext& context) {
  const std::vector<model::StepSums>& lines = context.sums.steps;
  if (lines.empty()) return "";
  std::vector<Column> columns = {{.header = "step"},
                                 {.header = "ranks", .drop_order = 1},
                                 {.header = "median", .group = "wall"},
                                 {.header = "slowest", .group = "wall", .drop_order = 2},
                                 {.header = "GPU busy", .group = "mean of ranks"},
                                 {.header = "idle", .group = "mean of ranks"},
                                 {.header = "exposed comm.", .group = "mean of ranks"},
                                 {.header = "flops"}};
  if (!context.summary.steps.utilisation.empty()) columns.push_back({.header = "MFU"});
  Table table(std::move(columns));
  const auto most = static_cast<size_t>(std::max(context.style.top, 1));
  const size_t head = lines.size() <= most ? lines.size() : (most + 1) / 2;
  const size_t tail = lines.size() <= most ? 0 : most - head;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i < head || i >= lines.size() - tail) {
      AddRow(context, lines[i], &table);
      AddBeside(context, lines[i].step, &table);
    } else if (i == head) {
      table.AddRow({{context.terminal.utf8 ? "…" : "..."}});
    }
  }
  std::string note;
  const model::StepsSummary& steps = context.summary.steps;
  if (steps.median_ns.has_value()) {
    note = "median " + FormatSeconds(Seconds(steps.median_ns), context.terminal.utf8) + ", p95 " +
           FormatSeconds(Seconds(steps.p95_ns), context.terminal.utf8) + " of " +
           Plural(steps.measured, "step") + (context.summary.ranks.size() > 1 ? ", all ranks" : "");
  }
  std::string text = Title(context, "Steps", note) + RenderTable(context, &table);
  if (steps.left_out > 0) {
    std::vector<std::string> kinds;
    if (steps.first == 0u) kinds.emplace_back("step 0");
    if (AnyIncomplete(steps)) kinds.emplace_back("incomplete ones");
    if (steps.disturbed > 0) kinds.emplace_back("with compilation or tuning");
    text += "  " + std::to_string(steps.left_out) + " not in them" + (kinds.empty() ? "" : ": ") +
            absl::StrJoin(kinds, ", ") + "\n";
  }
  if (!steps.beside.empty()) text += "  eval: an evaluation between two steps, in neither\n";
  text += HowToSay(steps, context.terminal.width);
  if (context.terminal.utf8) {
    const std::string line = Sparkline(lines, context.terminal.width - 12);
    if (!line.empty()) text += "  slowest  " + context.terminal.Paint(Tone::kDim, line) + "\n";
  }
  return text;
}

}  // namespace flopsprof::viewer
