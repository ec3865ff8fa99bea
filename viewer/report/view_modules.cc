// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// The module tree.

#include <absl/strings/str_format.h>

#include <algorithm>

#include "collector/model/module_paths.h"
#include "viewer/report/cells.h"
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
constexpr size_t kMostRowsBrief = 14;
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
class RowCells {
 public:
  RowCells(const ReportContext& context, double divisor) : context_(context), divisor_(divisor) {}

  Cell Count(const std::optional<model::FlopCount>& count, unsigned halves,
             Tone tone = Tone::kPlain) const {
    if (!count.has_value()) return {"?", tone};
    const double mean = static_cast<double>(*count) / divisor_ / halves;
    const auto whole = static_cast<uint64_t>(divisor_) * halves;
    if (*count % whole == 0) return FlopsCell(context_, *count / whole, false, tone);
    if (!context_.style.exact) return {FormatSi(mean), tone, RawNumber(mean)};
    return {absl::StrFormat("%.2f", mean), tone, RawNumber(mean)};
  }
  Cell Time(const std::optional<uint64_t>& ns, bool incomplete) const {
    if (!ns.has_value() || (incomplete && *ns == 0)) return {"?"};
    return SecondsCell(context_, static_cast<double>(*ns) * 1e-9 / divisor_, incomplete);
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

// Columns and cells of the tree.
class TreeTable {
 public:
  TreeTable(const ReportContext& context, const ModuleTree& tree, double divisor)
      : context_(context), tree_(tree), cells_(context, divisor) {
    for (const PhaseColumn& column : kForwardColumns) {
      if (AnyWork(column.phase)) extra_flops_.push_back(&column);
    }
    for (const PhaseColumn& column : kTimeColumns) {
      if (AnyTime(column.phase)) extra_times_.push_back(&column);
    }
    recompute_ = AnyWork(v1::PHASE_RECOMPUTE);
    recompute_time_ = AnyTime(v1::PHASE_RECOMPUTE);
    // Shares of a part of the time would be those of another run.
    const model::Work& all = context.summary.totals.work;
    if (!AnyOf(all.time_incomplete)) whole_s_ = Seconds(KnownSum(all.gpu_time_ns));
  }

  Table Make() const {
    Table table(Columns());
    for (const TreeRow& row : tree_.rows) table.AddRow(Cells(row));
    return table;
  }

 private:
  bool AnyWork(int phase) const {
    return std::any_of(tree_.rows.begin(), tree_.rows.end(), [phase](const TreeRow& row) {
      const auto& flops = row.flops[static_cast<size_t>(phase)];
      return !flops.has_value() || *flops != 0;
    });
  }
  bool AnyTime(int phase) const {
    return std::any_of(tree_.rows.begin(), tree_.rows.end(), [phase](const TreeRow& row) {
      return row.gpu_time_ns[static_cast<size_t>(phase)].value_or(0) != 0;
    });
  }

  std::vector<Column> Columns() const {
    std::vector<Column> columns = {
        {.header = "module", .right = false, .flexible = true, .min_width = 20},
        {.header = "params", .drop_order = 6},
        {.header = "MACs", .group = "forward", .drop_order = 5},
        {.header = "flops", .group = "forward", .drop_order = 12},
        {.header = "time", .group = "forward", .drop_order = 10, .unit = "s"},
        {.header = "flops", .group = "backward", .drop_order = 13},
        {.header = "time", .group = "backward", .drop_order = 11, .unit = "s"}};
    if (recompute_) {
      columns.push_back({.header = "flops", .group = "recompute", .drop_order = 9});
    }
    if (recompute_time_) {
      columns.push_back({.header = "time", .group = "recompute", .drop_order = 7, .unit = "s"});
    }
    for (const PhaseColumn* column : extra_flops_) {
      columns.push_back({.header = "flops", .group = column->header, .drop_order = 4});
    }
    for (const PhaseColumn* column : extra_times_) {
      columns.push_back({.header = column->header, .drop_order = 2, .unit = "s"});
    }
    columns.push_back({.header = "FLOPS", .drop_order = 8, .csv_name = "flop_per_s"});
    columns.push_back({.header = "unknown", .drop_order = 3, .unit = "ratio"});
    columns.push_back({.header = "share", .unit = "ratio"});
    columns.push_back({.header = "calls", .drop_order = 1});
    return columns;
  }

  std::vector<Cell> Cells(const TreeRow& row) const {
    const Tone tone = row.depth == 0 ? Tone::kStrong : Tone::kPlain;
    const auto flops = [&](int phase, Tone of = Tone::kPlain) {
      return cells_.Count(row.flops[static_cast<size_t>(phase)], 1, of);
    };
    const auto time = [&](int phase) {
      return cells_.Time(row.gpu_time_ns[static_cast<size_t>(phase)],
                         row.time_incomplete[static_cast<size_t>(phase)]);
    };
    std::vector<Cell> cells = {{LabelOf(row, context_.terminal), tone},
                               CountCell(row.params, "-"),
                               cells_.Count(row.flops[v1::PHASE_FORWARD], 2),
                               flops(v1::PHASE_FORWARD, tone),
                               time(v1::PHASE_FORWARD),
                               flops(v1::PHASE_BACKWARD, tone),
                               time(v1::PHASE_BACKWARD)};
    if (recompute_) cells.push_back(flops(v1::PHASE_RECOMPUTE));
    if (recompute_time_) cells.push_back(time(v1::PHASE_RECOMPUTE));
    for (const PhaseColumn* column : extra_flops_) cells.push_back(flops(column->phase));
    for (const PhaseColumn* column : extra_times_) cells.push_back(time(column->phase));
    const std::optional<double> time_s = Seconds(KnownSum(row.gpu_time_ns));
    const std::optional<double> unknown =
        Ratio(static_cast<double>(row.unknown_gpu_time_ns) * 1e-9, time_s);
    cells.push_back(SiCell(context_, row.flop_per_s, false, "-"));
    cells.push_back(ShareCell(unknown, "-"));
    if (unknown.value_or(0) >= 0.02) cells.back().tone = Tone::kWarning;
    cells.push_back(ShareCell(Ratio(time_s, whole_s_)));
    cells.push_back(CountCell(row.calls, "-"));
    return cells;
  }

  const ReportContext& context_;
  const ModuleTree& tree_;
  const RowCells cells_;
  std::vector<const PhaseColumn*> extra_flops_, extra_times_;
  bool recompute_ = false;
  bool recompute_time_ = false;
  std::optional<double> whole_s_;
};

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

// Without those that are ignored, and all below them.
std::vector<model::ModuleSummary> KeptModules(const ReportContext& context) {
  std::vector<model::ModuleSummary> kept;
  std::string above;  // the newest that was ignored
  bool any = false;
  for (const model::ModuleSummary& module : context.summary.modules) {
    if (any && module.path.rfind(above + ".", 0) == 0) continue;
    if (!module.path.empty() && IsIgnored(context, module.path)) {
      any = true;
      above = module.path;
      continue;
    }
    kept.push_back(module);
  }
  return kept;
}

std::string NotesOfTree(const ReportContext& context, const ModuleTree& tree, size_t lines_cut,
                        bool per_step, bool has_unknown) {
  std::string notes;
  const auto note = [&](const std::string& line) { notes += NoteLine(context, line, Tone::kDim); };
  if (lines_cut > 0) {
    note(Plural(lines_cut, "more line") + " before the last: --depth=-1, or summary.json");
  }
  if (tree.cut) note("deeper levels: --view modules, --depth N, --depth=-1 for all");
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
  if (has_unknown) {
    note("unknown: share of the line's GPU time in kernels whose flops are not known");
  }
  return notes;
}

}  // namespace

std::string ModulesView(const ReportContext& context) {
  if (context.summary.modules.empty()) return "";
  if (context.style.output == Output::kCsv || context.style.group_by == GroupBy::kClass) {
    return ClassesView(context);
  }
  TreeOptions options;
  options.fold = context.style.fold;
  options.max_depth = context.style.depth.value_or(-1);
  const size_t rows = context.style.brief ? kMostRowsBrief : kMostRows;
  options.max_rows = context.style.depth.has_value() ? 0 : rows;
  options.sort = context.style.sort;
  const bool some = context.style.ignore.has_value();
  const std::vector<model::ModuleSummary> kept =
      some ? KeptModules(context) : std::vector<model::ModuleSummary>();
  ModuleTree tree = BuildModuleTree(some ? kept : context.summary.modules, options);
  const size_t lines_cut = context.style.depth.has_value() ? 0 : CutLongTree(&tree);

  const bool per_step = !context.style.totals && context.sums.rank_steps > 0;
  Table table =
      TreeTable(context, tree, per_step ? static_cast<double>(context.sums.rank_steps) : 1).Make();
  std::string result =
      Title(context, "Modules",
            per_step ? "per step and rank (mean of " + std::to_string(context.sums.rank_steps) + ")"
                     : "sums over all steps and ranks");
  result += RenderTable(context, &table);
  if (some) result += IgnoredLine(context, context.summary.modules.size() - kept.size());
  const std::vector<std::string>& left_out = table.left_out();
  const bool has_unknown = std::find(left_out.begin(), left_out.end(), "unknown") == left_out.end();
  return result + NotesOfTree(context, tree, lines_cut, per_step, has_unknown) +
         OutsideStacks(context);
}

}  // namespace flopsprof::viewer
