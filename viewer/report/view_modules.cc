// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// The module tree.

#include <absl/strings/str_format.h>

#include <algorithm>

#include "collector/model/module_paths.h"
#include "viewer/report/module_tree.h"
#include "viewer/report/numbers.h"
#include "viewer/report/text.h"
#include "viewer/report/views.h"

namespace flopsprof::viewer {
namespace {

// Columns of phases that only some runs have.
struct PhaseColumn {
  v1::Phase phase;
  const char* header;
};
constexpr PhaseColumn kForwardColumns[] = {{v1::PHASE_EVALUATION, "evaluation"},
                                           {v1::PHASE_GENERATE, "generate"}};
constexpr PhaseColumn kTimeColumns[] = {
    {v1::PHASE_CLIPPING, "clip"},   {v1::PHASE_SCALING, "scale"},   {v1::PHASE_OPTIMIZER, "optim."},
    {v1::PHASE_EVALUATION, "eval"}, {v1::PHASE_GENERATE, "gener."}, {v1::PHASE_OTHER, "other"}};

constexpr size_t kMostRows = 60;
constexpr size_t kLongestTree = 200;  // where even the top level has more
constexpr double kSpreadWorthSaying = 1.05;

// Keeps the first lines and the last, "(outside)"; returns how many went.
size_t CutLongTree(ModuleTree* tree) {
  if (tree->rows.size() <= kLongestTree) return 0;
  const size_t cut = tree->rows.size() - kLongestTree;
  tree->rows.erase(tree->rows.begin() + (kLongestTree - 1), tree->rows.end() - 1);
  return cut;
}

std::string Branch(const TreeRow& row, const Terminal& terminal) {
  if (row.depth == 0) return "";
  std::string lines;
  for (const bool open : row.open_levels) lines += open ? (terminal.utf8 ? "│ " : "| ") : "  ";
  if (!terminal.utf8) return lines + (row.is_last ? "` " : "+ ");
  return lines + (row.is_last ? "└ " : "├ ");
}

// Numbers of one line, divided by steps and ranks unless sums are wanted.
class RowText {
 public:
  RowText(const ReportContext& context, double divisor) : context_(context), divisor_(divisor) {}

  std::string Count(const std::optional<model::FlopCount>& count, unsigned halves) const {
    if (!count.has_value()) return "?";
    if (!context_.style.exact) {
      return FormatSi(static_cast<double>(*count) / divisor_ / halves);
    }
    const auto whole = static_cast<uint64_t>(divisor_) * halves;
    if (*count % whole == 0) return FormatExact(*count / whole);
    return absl::StrFormat("%.2f", static_cast<double>(*count) / static_cast<double>(whole));
  }
  std::string Time(const std::optional<uint64_t>& ns, bool incomplete) const {
    if (!ns.has_value() || (incomplete && *ns == 0)) return "?";
    return (incomplete ? AtLeast(context_) : "") +
           FormatSeconds(static_cast<double>(*ns) * 1e-9 / divisor_, context_.terminal.utf8);
  }

 private:
  const ReportContext& context_;
  const double divisor_;
};

std::string LabelOf(const TreeRow& row, const Terminal& terminal) {
  std::string label = Branch(row, terminal) + terminal.Clean(row.label);
  if (row.module_count > 1) label += " x" + std::to_string(row.module_count);
  if (!row.class_name.empty()) label += "  " + terminal.Clean(row.class_name);
  if (!row.mark.empty()) label += "  (" + terminal.Clean(row.mark) + ")";
  if (row.spread.value_or(1) > kSpreadWorthSaying) {
    label += absl::StrFormat("  (max/min %.2f)", *row.spread);
  }
  return label;
}

bool AnyWork(const ModuleTree& tree, int phase) {
  for (const TreeRow& row : tree.rows) {
    const auto& flops = row.flops[static_cast<size_t>(phase)];
    if (!flops.has_value() || *flops != 0) return true;
  }
  return false;
}

bool AnyTime(const ModuleTree& tree, int phase) {
  for (const TreeRow& row : tree.rows) {
    if (row.gpu_time_ns[static_cast<size_t>(phase)].value_or(0) != 0) return true;
  }
  return false;
}

// "evaluation 32.8 k, generate 1.2 M"; "" where all that is counted was in steps.
std::string FlopsOfNoStep(const ReportContext& context) {
  const model::WorkInSteps& in_steps = context.sums.in_steps;
  std::string text;
  for (size_t phase = 0; phase < in_steps.flops.size(); ++phase) {
    const model::FlopCount all = context.summary.totals.work.flops[phase].value_or(0);
    const model::FlopCount steps = in_steps.flops[phase].value_or(0);
    if (all <= steps) continue;
    text += (text.empty() ? "" : ", ") + std::string(model::PhaseName(static_cast<int>(phase))) +
            " " + FormatSi(static_cast<double>(all - steps));
  }
  return text;
}

}  // namespace

std::string ModulesView(const ReportContext& context) {
  if (context.summary.modules.empty()) return "";
  TreeOptions options;
  options.fold = context.style.fold;
  options.max_depth = context.style.depth.value_or(-1);
  options.max_rows = context.style.depth.has_value() ? 0 : kMostRows;
  ModuleTree tree = BuildModuleTree(context.summary.modules, options);
  const size_t lines_cut = context.style.depth.has_value() ? 0 : CutLongTree(&tree);

  const bool per_step = !context.style.totals && context.sums.rank_steps > 0;
  const RowText text(context, per_step ? static_cast<double>(context.sums.rank_steps) : 1);
  const bool recompute = AnyWork(tree, v1::PHASE_RECOMPUTE);
  const bool recompute_time = AnyTime(tree, v1::PHASE_RECOMPUTE);
  std::vector<const PhaseColumn*> extra_flops, extra_times;
  for (const PhaseColumn& column : kForwardColumns) {
    if (AnyWork(tree, column.phase)) extra_flops.push_back(&column);
  }
  for (const PhaseColumn& column : kTimeColumns) {
    if (AnyTime(tree, column.phase)) extra_times.push_back(&column);
  }

  std::vector<Column> columns = {
      {.header = "module", .right = false, .flexible = true, .min_width = 20},
      {.header = "params", .drop_order = 6},
      {.header = "MACs", .group = "forward", .drop_order = 5},
      {.header = "flops", .group = "forward"},
      {.header = "time", .group = "forward"},
      {.header = "flops", .group = "backward"},
      {.header = "time", .group = "backward"}};
  if (recompute) columns.push_back({.header = "flops", .group = "recompute", .drop_order = 4});
  if (recompute_time) columns.push_back({.header = "time", .group = "recompute", .drop_order = 4});
  for (const PhaseColumn* column : extra_flops) {
    columns.push_back({.header = "flops", .group = column->header, .drop_order = 4});
  }
  for (const PhaseColumn* column : extra_times) {
    columns.push_back({.header = column->header, .drop_order = 2});
  }
  columns.push_back({.header = "FLOPS", .drop_order = 7});
  columns.push_back({.header = "unknown", .drop_order = 3});
  columns.push_back({.header = "share"});
  columns.push_back({.header = "calls", .drop_order = 1});
  Table table(std::move(columns));

  // Shares of a part of the time would be those of another run.
  const model::Work& all = context.summary.totals.work;
  const std::optional<double> whole_s =
      AnyOf(all.time_incomplete) ? std::nullopt : Seconds(KnownSum(all.gpu_time_ns));
  for (const TreeRow& row : tree.rows) {
    const Tone tone = row.depth == 0 ? Tone::kStrong : Tone::kPlain;
    const auto flops = [&](int phase) {
      return text.Count(row.flops[static_cast<size_t>(phase)], 1);
    };
    const auto time = [&](int phase) {
      return text.Time(row.gpu_time_ns[static_cast<size_t>(phase)],
                       row.time_incomplete[static_cast<size_t>(phase)]);
    };
    const std::optional<double> time_s = Seconds(KnownSum(row.gpu_time_ns));
    const std::optional<double> unknown =
        Ratio(static_cast<double>(row.unknown_gpu_time_ns) * 1e-9, time_s);
    std::vector<Cell> cells = {
        {LabelOf(row, context.terminal), tone},
        {row.params.has_value() ? FormatCount(static_cast<double>(*row.params)) : "-"},
        {text.Count(row.flops[v1::PHASE_FORWARD], 2)},
        {flops(v1::PHASE_FORWARD), tone},
        {time(v1::PHASE_FORWARD)},
        {flops(v1::PHASE_BACKWARD), tone},
        {time(v1::PHASE_BACKWARD)}};
    if (recompute) cells.push_back({flops(v1::PHASE_RECOMPUTE)});
    if (recompute_time) cells.push_back({time(v1::PHASE_RECOMPUTE)});
    for (const PhaseColumn* column : extra_flops) cells.push_back({flops(column->phase)});
    for (const PhaseColumn* column : extra_times) cells.push_back({time(column->phase)});
    cells.push_back({row.flop_per_s.has_value() ? FormatSi(row.flop_per_s) : "-"});
    cells.push_back({unknown.has_value() ? FormatShare(unknown) : "-",
                     unknown.value_or(0) >= 0.02 ? Tone::kWarning : Tone::kPlain});
    cells.push_back({FormatShare(Ratio(time_s, whole_s))});
    cells.push_back({row.calls.has_value() ? FormatCount(static_cast<double>(*row.calls)) : "-"});
    table.AddRow(std::move(cells));
  }

  std::string result =
      Title(context, "Modules",
            per_step ? "per step and rank (mean of " + std::to_string(context.sums.rank_steps) + ")"
                     : "sums over all steps and ranks");
  result += RenderTable(context, &table);
  const auto note = [&](const std::string& line) {
    result +=
        "  " + context.terminal.Paint(Tone::kDim, Wrap(line, context.terminal.width, 2)) + "\n";
  };
  if (lines_cut > 0) {
    note(Plural(lines_cut, "more line") + " before the last: --depth=-1, or summary.json");
  }
  if (tree.cut) note("deeper levels: --depth N, --depth=-1 for all");
  if (const std::string more = per_step ? FlopsOfNoStep(context) : ""; !more.empty()) {
    note(
        "these are of all that was recorded, divided by its steps: also what ran in none, flops "
        "of " +
        more);
  }
  if (const uint64_t ns = context.sums.time_in_no_step_ns; per_step && ns > 0) {
    note("the times include " + FormatSeconds(Seconds(ns), context.terminal.utf8) +
         " of work that is in no step (before the first, or between two), all ranks together");
  }
  const std::vector<std::string>& left_out = table.left_out();
  if (std::find(left_out.begin(), left_out.end(), "unknown") == left_out.end()) {
    note("unknown: share of the line's GPU time in kernels whose flops are not known");
  }
  return result + OutsideStacks(context);
}

}  // namespace flopsprof::viewer
