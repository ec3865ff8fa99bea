// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Modules added up by their class: at each depth, or over the whole model; and each on its own.

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "viewer/report/cells.h"
#include "viewer/report/numbers.h"
#include "viewer/report/views.h"

namespace flopsprof::viewer {
namespace {

constexpr size_t kClassesOfDepth = 3;

// Sums over modules; what is not known of one is not known of the sum.
struct ModuleSums {
  uint64_t modules = 0;
  std::optional<uint64_t> params = 0;
  std::optional<uint64_t> calls = 0;
  std::optional<model::FlopCount> forward = 0;
  std::optional<model::FlopCount> backward = 0;
  std::optional<model::FlopCount> flops = 0;  // of all phases
  uint64_t forward_ns = 0;
  uint64_t backward_ns = 0;
  uint64_t time_ns = 0;  // of all phases
  bool forward_incomplete = false;
  bool backward_incomplete = false;
  bool incomplete = false;
  bool has_unknown = false;  // work whose flops are not known
};

template <typename T>
void AddKnown(const std::optional<T>& value, std::optional<T>* sum) {
  *sum = value.has_value() && sum->has_value() ? std::optional<T>(**sum + *value) : std::nullopt;
}

void AddWork(const model::Work& work, ModuleSums* sums) {
  AddKnown(work.flops[v1::PHASE_FORWARD], &sums->forward);
  AddKnown(work.flops[v1::PHASE_BACKWARD], &sums->backward);
  for (const auto& count : work.flops) AddKnown(count, &sums->flops);
  sums->forward_ns += work.gpu_time_ns[v1::PHASE_FORWARD].value_or(0);
  sums->backward_ns += work.gpu_time_ns[v1::PHASE_BACKWARD].value_or(0);
  sums->time_ns += KnownSum(work.gpu_time_ns).value_or(0);
  sums->forward_incomplete |= work.time_incomplete[v1::PHASE_FORWARD];
  sums->backward_incomplete |= work.time_incomplete[v1::PHASE_BACKWARD];
  sums->incomplete |= AnyOf(work.time_incomplete);
  sums->has_unknown |= work.unknown_gpu_time_ns > 0;
}

void AddModule(const model::ModuleSummary& module, const model::Work& work, ModuleSums* sums) {
  ++sums->modules;
  AddKnown(module.params, &sums->params);
  AddKnown(module.calls, &sums->calls);
  AddWork(work, sums);
}

std::optional<double> RateOf(const ModuleSums& sums) {
  if (sums.incomplete || sums.has_unknown || sums.flops == model::FlopCount{0}) return std::nullopt;
  return Ratio(AsDouble(sums.flops), Seconds(sums.time_ns));
}

// The columns behind the names.
void AddColumns(std::vector<Column>* columns) {
  const std::vector<Column> more = {
      {.header = "params", .drop_order = 3, .key = SortKey::kParams},
      {.header = "calls", .drop_order = 1, .key = SortKey::kCalls},
      {.header = "flops", .group = "forward", .drop_order = 6},
      {.header = "time", .group = "forward", .drop_order = 4, .unit = "s"},
      {.header = "flops", .group = "backward", .drop_order = 7},
      {.header = "time", .group = "backward", .drop_order = 5, .unit = "s"},
      {.header = "flops", .group = "all", .drop_order = 8, .key = SortKey::kFlops},
      {.header = "time", .group = "all", .key = SortKey::kTime, .unit = "s"},
      {.header = "FLOPS", .drop_order = 2, .key = SortKey::kRate, .csv_name = "flop_per_s"},
      {.header = "share", .unit = "ratio"}};
  columns->insert(columns->end(), more.begin(), more.end());
}

double DivisorOf(const ReportContext& context) {
  const bool sums = context.style.totals || context.style.output == Output::kCsv;
  return sums || context.sums.rank_steps == 0 ? 1 : static_cast<double>(context.sums.rank_steps);
}

void AddCells(const ReportContext& context, const ModuleSums& sums, std::vector<Cell>* cells) {
  const double divisor = DivisorOf(context);
  const auto flops = [&](const std::optional<model::FlopCount>& count) {
    if (divisor == 1) return FlopsCell(context, count);
    return count.has_value() ? SiCell(context, static_cast<double>(*count) / divisor) : Cell{"?"};
  };
  const auto time = [&](uint64_t ns, bool incomplete) {
    if (incomplete && ns == 0) return Cell{"?"};
    return SecondsCell(context, static_cast<double>(ns) * 1e-9 / divisor, incomplete);
  };
  const model::Work& all = context.summary.totals.work;
  std::optional<double> whole_s;
  if (!AnyOf(all.time_incomplete)) whole_s = Seconds(KnownSum(all.gpu_time_ns));
  const Cell more[] = {CountCell(sums.params, "-"),
                       CountCell(sums.calls, "-"),
                       flops(sums.forward),
                       time(sums.forward_ns, sums.forward_incomplete),
                       flops(sums.backward),
                       time(sums.backward_ns, sums.backward_incomplete),
                       flops(sums.flops),
                       time(sums.time_ns, sums.incomplete),
                       SiCell(context, RateOf(sums), false, "-"),
                       ShareCell(Ratio(Seconds(sums.time_ns), whole_s))};
  cells->insert(cells->end(), std::begin(more), std::end(more));
}

std::string PerStepNote(const ReportContext& context) {
  const bool per_step = !context.style.totals && context.sums.rank_steps > 0;
  return per_step ? "per step and rank (mean of " + std::to_string(context.sums.rank_steps) + ")"
                  : "sums over all steps and ranks";
}

bool IsOutside(const model::ModuleSummary& module) { return module.path == model::kOutsidePath; }

std::string ClassName(const ReportContext& context, const model::ModuleSummary& module) {
  if (IsOutside(module)) return module.path;
  return module.class_name.empty() ? "-" : context.terminal.Clean(module.class_name);
}

// Each module, with all that is below it.
std::string EachModule(const ReportContext& context) {
  std::vector<Column> columns = {{.header = "path", .right = false, .key = SortKey::kName},
                                 {.header = "class", .right = false},
                                 {.header = "depth"}};
  AddColumns(&columns);
  Table table(std::move(columns));
  const int depth = context.style.depth.value_or(-1);
  for (const model::ModuleSummary& module : context.summary.modules) {
    if (IsIgnored(context, module.path)) continue;
    if (depth >= 0 && module.depth > static_cast<uint32_t>(depth)) continue;
    ModuleSums sums;
    AddModule(module, module.inclusive, &sums);
    std::vector<Cell> cells = {{context.terminal.Clean(module.path)},
                               {context.terminal.Clean(module.class_name)},
                               {std::to_string(module.depth)}};
    AddCells(context, sums, &cells);
    table.AddRow(std::move(cells));
  }
  SortRows(context, &table);
  return RenderTable(context, &table);
}

}  // namespace

std::string ClassesView(const ReportContext& context) {
  if (context.style.group_by != GroupBy::kClass) return EachModule(context);
  std::map<std::string, ModuleSums> classes;
  size_t ignored = 0;
  for (const model::ModuleSummary& module : context.summary.modules) {
    const std::string name = ClassName(context, module);
    if (IsIgnored(context, name)) {
      ++ignored;
    } else {
      AddModule(module, module.self, &classes[name]);
    }
  }
  std::vector<Column> columns = {
      {.header = "class", .right = false, .flexible = true, .min_width = 12, .key = SortKey::kName},
      {.header = "modules"}};
  AddColumns(&columns);
  Table table(std::move(columns));
  size_t idle = 0;
  for (const auto& [name, sums] : classes) {
    const bool works = sums.time_ns > 0 || sums.flops != model::FlopCount{0};
    if (!works && context.style.output != Output::kCsv) {
      ++idle;
      continue;
    }
    std::vector<Cell> cells = {{name}, {std::to_string(sums.modules)}};
    AddCells(context, sums, &cells);
    // Parameters of the modules above hold those of the modules below.
    cells[2] = {"-"};
    table.AddRow(std::move(cells));
  }
  if (!context.style.sort.has_value()) table.Sort(SortKey::kTime);
  const std::string unsorted = SortRows(context, &table);
  return Title(context, "Modules by class", PerStepNote(context) + ", without what is below them") +
         RenderTable(context, &table) + unsorted + IgnoredLine(context, ignored) +
         (idle == 0
              ? ""
              : NoteLine(context, Plural(idle, "class", "classes") + " without work of their own",
                         Tone::kDim));
}

std::string DepthsView(const ReportContext& context) {
  std::map<uint32_t, std::map<std::string, ModuleSums>> depths;
  const int depth = context.style.depth.value_or(-1);
  size_t ignored = 0;
  for (const model::ModuleSummary& module : context.summary.modules) {
    if (IsOutside(module) || (depth >= 0 && module.depth > static_cast<uint32_t>(depth))) continue;
    const std::string name = ClassName(context, module);
    if (IsIgnored(context, name)) {
      ++ignored;
    } else {
      AddModule(module, module.inclusive, &depths[module.depth][name]);
    }
  }
  if (depths.empty()) return "";
  std::vector<Column> columns = {
      {.header = "depth"},
      {.header = "class", .right = false, .flexible = true, .min_width = 12, .key = SortKey::kName},
      {.header = "modules", .drop_order = 2}};
  AddColumns(&columns);
  Table table(columns);
  std::string unsorted;
  const bool csv = context.style.output == Output::kCsv;
  for (const auto& [level, classes] : depths) {
    Table of_depth(columns);
    for (const auto& [name, sums] : classes) {
      std::vector<Cell> cells = {{std::to_string(level)}, {name}, {std::to_string(sums.modules)}};
      AddCells(context, sums, &cells);
      of_depth.AddRow(std::move(cells));
    }
    if (!context.style.sort.has_value()) of_depth.Sort(SortKey::kTime);
    unsorted = SortRows(context, &of_depth);
    if (!csv) of_depth.Keep(kClassesOfDepth);
    table.AddRowsOf(of_depth);
  }
  return Title(context, "Modules by depth",
               PerStepNote(context) + ", with all below them; " + std::to_string(kClassesOfDepth) +
                   " classes at each depth") +
         RenderTable(context, &table) + unsorted + IgnoredLine(context, ignored);
}

}  // namespace flopsprof::viewer
