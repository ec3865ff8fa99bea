// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Modules added up by their class: at each depth, or over the whole model; and each on its own.

#include <algorithm>
#include <array>
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

// What the columns tell apart. Phases that seldom run are one.
enum Part { kForward, kBackward, kRecompute, kOptimizer, kOther, kAll, kPartCount };
constexpr const char* kPartNames[kPartCount] = {"forward",   "backward", "recompute",
                                                "optimizer", "other",    "all"};

Part PartOf(size_t phase) {
  switch (phase) {
    case v1::PHASE_FORWARD:
      return kForward;
    case v1::PHASE_BACKWARD:
      return kBackward;
    case v1::PHASE_RECOMPUTE:
      return kRecompute;
    case v1::PHASE_OPTIMIZER:
      return kOptimizer;
    default:
      return kOther;
  }
}

// Sums over modules; what is not known of one is not known of the sum.
struct PartSums {
  std::optional<model::FlopCount> flops = 0;
  uint64_t time_ns = 0;
  bool incomplete = false;
};
struct ModuleSums {
  uint64_t modules = 0;
  std::optional<uint64_t> params = 0;
  std::optional<uint64_t> calls = 0;
  std::array<PartSums, kPartCount> parts;
  bool has_unknown = false;  // work whose flops are not known
};

template <typename T>
void AddKnown(const std::optional<T>& value, std::optional<T>* sum) {
  *sum = value.has_value() && sum->has_value() ? std::optional<T>(**sum + *value) : std::nullopt;
}

void AddWork(const model::Work& work, ModuleSums* sums) {
  for (size_t phase = 0; phase < work.flops.size(); ++phase) {
    for (const Part part : {PartOf(phase), kAll}) {
      PartSums& sum = sums->parts[part];
      AddKnown(work.flops[phase], &sum.flops);
      sum.time_ns += work.gpu_time_ns[phase].value_or(0);
      sum.incomplete |= work.time_incomplete[phase];
    }
  }
  sums->has_unknown |= work.unknown_gpu_time_ns > 0;
}

void AddModule(const model::ModuleSummary& module, const model::Work& work, ModuleSums* sums) {
  ++sums->modules;
  AddKnown(module.params, &sums->params);
  AddKnown(module.calls, &sums->calls);
  AddWork(work, sums);
}

std::optional<double> RateOf(const ModuleSums& sums) {
  const PartSums& all = sums.parts[kAll];
  if (all.incomplete || sums.has_unknown || all.flops == model::FlopCount{0}) return std::nullopt;
  return Ratio(AsDouble(all.flops), Seconds(all.time_ns));
}

// Parts with columns: forward, backward and all; of the others those that the rows, whose sum is
// `rows`, have. CSV has all, so that its columns are the same for each run.
std::vector<Part> PartsShown(const ReportContext& context, const ModuleSums& rows) {
  std::vector<Part> shown;
  for (int i = 0; i < kPartCount; ++i) {
    const PartSums& sum = rows.parts[static_cast<size_t>(i)];
    const bool usual = i == kForward || i == kBackward || i == kAll;
    const bool any = sum.time_ns > 0 || sum.incomplete || sum.flops != model::FlopCount{0};
    if (usual || any || context.style.output == Output::kCsv) shown.push_back(static_cast<Part>(i));
  }
  return shown;
}

// The columns behind the names.
void AddColumns(const std::vector<Part>& parts, std::vector<Column>* columns) {
  // What of a narrow table goes first: of each part its flops and its time; 0: never.
  constexpr std::pair<int, int> kDropOrder[kPartCount] = {{11, 9}, {12, 10}, {8, 7},
                                                          {4, 5},  {2, 3},   {13, 0}};
  columns->push_back({.header = "params", .drop_order = 6, .key = SortKey::kParams});
  columns->push_back({.header = "calls", .drop_order = 1, .key = SortKey::kCalls});
  for (const Part part : parts) {
    Column flops = {
        .header = "flops", .group = kPartNames[part], .drop_order = kDropOrder[part].first};
    Column time = {.header = "time",
                   .group = kPartNames[part],
                   .drop_order = kDropOrder[part].second,
                   .unit = "s"};
    if (part == kAll) {
      flops.key = SortKey::kFlops;
      time.key = SortKey::kTime;
    }
    columns->push_back(std::move(flops));
    columns->push_back(std::move(time));
  }
  columns->push_back(
      {.header = "FLOPS", .drop_order = 5, .key = SortKey::kRate, .csv_name = "flop_per_s"});
  columns->push_back({.header = "share", .unit = "ratio"});
}

double DivisorOf(const ReportContext& context) {
  const bool sums = context.style.totals || context.style.output == Output::kCsv;
  return sums || context.sums.rank_steps == 0 ? 1 : static_cast<double>(context.sums.rank_steps);
}

void AddCells(const ReportContext& context, const std::vector<Part>& parts, const ModuleSums& sums,
              std::vector<Cell>* cells) {
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
  cells->push_back(CountCell(sums.params, "-"));
  cells->push_back(CountCell(sums.calls, "-"));
  for (const Part part : parts) {
    const PartSums& sum = sums.parts[part];
    cells->push_back(flops(sum.flops));
    cells->push_back(time(sum.time_ns, sum.incomplete));
  }
  cells->push_back(SiCell(context, RateOf(sums), false, "-"));
  cells->push_back(ShareCell(Ratio(Seconds(sums.parts[kAll].time_ns), whole_s)));
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
  const std::vector<Part> parts = PartsShown(context, {});
  std::vector<Column> columns = {{.header = "path", .right = false, .key = SortKey::kName},
                                 {.header = "class", .right = false},
                                 {.header = "depth"}};
  AddColumns(parts, &columns);
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
    AddCells(context, parts, sums, &cells);
    table.AddRow(std::move(cells));
  }
  SortRows(context, &table);
  return RenderTable(context, &table);
}

}  // namespace

std::string ClassesView(const ReportContext& context) {
  if (context.style.group_by != GroupBy::kClass) return EachModule(context);
  std::map<std::string, ModuleSums> classes;
  ModuleSums all_rows;
  size_t ignored = 0;
  for (const model::ModuleSummary& module : context.summary.modules) {
    const std::string name = ClassName(context, module);
    if (IsIgnored(context, name)) {
      ++ignored;
    } else {
      AddModule(module, module.self, &classes[name]);
      AddWork(module.self, &all_rows);
    }
  }
  const std::vector<Part> parts = PartsShown(context, all_rows);
  std::vector<Column> columns = {
      {.header = "class", .right = false, .flexible = true, .min_width = 12, .key = SortKey::kName},
      {.header = "modules"}};
  AddColumns(parts, &columns);
  Table table(std::move(columns));
  size_t idle = 0;
  for (const auto& [name, sums] : classes) {
    const PartSums& all = sums.parts[kAll];
    const bool works = all.time_ns > 0 || all.flops != model::FlopCount{0};
    if (!works && context.style.output != Output::kCsv) {
      ++idle;
      continue;
    }
    std::vector<Cell> cells = {{name}, {std::to_string(sums.modules)}};
    AddCells(context, parts, sums, &cells);
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
  ModuleSums all_rows;
  const int depth = context.style.depth.value_or(-1);
  size_t ignored = 0;
  for (const model::ModuleSummary& module : context.summary.modules) {
    if (IsOutside(module) || (depth >= 0 && module.depth > static_cast<uint32_t>(depth))) continue;
    const std::string name = ClassName(context, module);
    if (IsIgnored(context, name)) {
      ++ignored;
    } else {
      AddModule(module, module.inclusive, &depths[module.depth][name]);
      AddWork(module.inclusive, &all_rows);
    }
  }
  if (depths.empty()) return "";
  const std::vector<Part> parts = PartsShown(context, all_rows);
  std::vector<Column> columns = {
      {.header = "depth"},
      {.header = "class", .right = false, .flexible = true, .min_width = 12, .key = SortKey::kName},
      {.header = "modules", .drop_order = 2}};
  AddColumns(parts, &columns);
  Table table(columns);
  std::string unsorted;
  const bool csv = context.style.output == Output::kCsv;
  for (const auto& [level, classes] : depths) {
    Table of_depth(columns);
    for (const auto& [name, sums] : classes) {
      std::vector<Cell> cells = {{std::to_string(level)}, {name}, {std::to_string(sums.modules)}};
      AddCells(context, parts, sums, &cells);
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
