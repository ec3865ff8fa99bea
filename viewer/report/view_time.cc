// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Where the time of a step goes: by what the GPU did, by phase and by kind of kernel.

#include <algorithm>
#include <array>
#include <numeric>

#include "viewer/report/cells.h"
#include "viewer/report/numbers.h"
#include "viewer/report/text.h"
#include "viewer/report/views.h"

namespace flopsprof::viewer {
namespace {

// Kinds of kernels that a reader tells apart; each is some of v1::TimeCategory.
struct KernelKind {
  const char* name;
  std::array<int, 2> categories;
  int drop_order;
};
constexpr KernelKind kKinds[] = {
    {"products", {v1::TIME_CATEGORY_EXACT, v1::TIME_CATEGORY_MODELLED}, 0},
    {"no products", {v1::TIME_CATEGORY_NO_PRODUCTS, -1}, 4},
    {"unknown", {v1::TIME_CATEGORY_UNKNOWN, v1::TIME_CATEGORY_UNSPECIFIED}, 5},
    {"comm.", {v1::TIME_CATEGORY_COMMUNICATION, -1}, 6},
    {"copies", {v1::TIME_CATEGORY_COPY, -1}, 3}};
constexpr size_t kKindCount = std::size(kKinds);

using KindTimes = std::array<uint64_t, kKindCount>;

KindTimes TimesOf(const model::CategoryTimes& times, int phase) {
  KindTimes sums = {};
  for (size_t i = 0; i < kKindCount; ++i) {
    for (const int category : kKinds[i].categories) {
      if (category >= 0) {
        sums[i] += times[static_cast<size_t>(phase)][static_cast<size_t>(category)];
      }
    }
  }
  return sums;
}

uint64_t SumOf(const KindTimes& times) {
  return std::accumulate(times.begin(), times.end(), uint64_t{0});
}

// What a step of one rank and GPU is, on average: work, exposed communication, idle.
std::string PartsTable(const ReportContext& context) {
  const std::optional<model::StepParts>& parts = context.summary.steps.parts;
  if (!parts.has_value() || parts->device_steps == 0 || parts->wall_ns == 0) return "";
  Table table({{.header = "of a step", .right = false},
               {.header = "time", .key = SortKey::kTime, .unit = "s"},
               {.header = "share", .unit = "ratio"},
               {.header = "", .right = false, .drop_order = 1}});
  const auto wall = static_cast<double>(parts->wall_ns);
  const auto add = [&](const char* name, uint64_t ns) {
    const double share = static_cast<double>(ns) / wall;
    const double seconds =
        static_cast<double>(ns) * 1e-9 / static_cast<double>(parts->device_steps);
    table.AddRow({{name},
                  SecondsCell(context, seconds),
                  ShareCell(share),
                  {Bar(share, context.terminal, 30), Tone::kDim}});
  };
  const std::optional<uint64_t>& exposed_ns = parts->exposed_communication_ns;
  if (exposed_ns.has_value()) {
    add("GPU works", parts->busy_ns - std::min(*exposed_ns, parts->busy_ns));
    add("exposed communication", *exposed_ns);
  } else {
    add("GPU is busy", parts->busy_ns);
  }
  add("idle", parts->wall_ns - std::min(parts->busy_ns, parts->wall_ns));
  return RenderTable(context, &table);
}

using KindFlags = std::array<bool, kKindCount>;

std::vector<Column> PhaseColumns(const KindFlags& shown) {
  std::vector<Column> columns = {
      {.header = "phase", .right = false, .key = SortKey::kName},
      {.header = "flops", .drop_order = 8, .key = SortKey::kFlops},
      {.header = "FLOPS", .drop_order = 2, .key = SortKey::kRate, .csv_name = "flop_per_s"}};
  for (size_t i = 0; i < kKindCount; ++i) {
    const KernelKind& kind = kKinds[i];
    if (!shown[i]) continue;
    columns.push_back(
        {.header = kind.name, .group = "GPU time", .drop_order = kind.drop_order, .unit = "s"});
  }
  columns.push_back({.header = "all", .group = "GPU time", .key = SortKey::kTime, .unit = "s"});
  columns.push_back({.header = "share", .unit = "ratio"});
  columns.push_back({.header = "", .right = false, .drop_order = 1});
  return columns;
}

struct PhaseFacts {
  std::optional<model::FlopCount> flops;
  bool flops_bound = false;
  bool incomplete = false;
  KindTimes times = {};
};

PhaseFacts FactsOf(const ReportContext& context, int phase) {
  const model::Work& work = context.summary.totals.work;
  const auto at = static_cast<size_t>(phase);
  PhaseFacts facts;
  // What is not known of the phase is not known of its part in steps either.
  facts.flops = work.flops[at];
  if (facts.flops.has_value() && context.sums.rank_steps > 0) {
    facts.flops = context.sums.in_steps.flops[at];
  }
  facts.incomplete = work.time_incomplete[at];
  facts.times = TimesOf(context.sums.category_times, phase);
  return facts;
}

void AddPhase(const ReportContext& context, const std::string& name, const PhaseFacts& facts,
              double divisor, std::optional<double> whole_ns, Tone tone, const KindFlags& shown,
              Table* table) {
  const uint64_t all_ns = SumOf(facts.times);
  const auto mean = [&](uint64_t ns) {
    return SecondsCell(context, static_cast<double>(ns) * 1e-9 / divisor, facts.incomplete, tone);
  };
  const std::optional<double> flops = AsDouble(facts.flops);
  const bool no_rate = facts.incomplete || facts.flops_bound || flops == 0.0;
  std::vector<Cell> cells = {
      {name, tone},
      divisor == 1
          ? FlopsCell(context, facts.flops, facts.flops_bound)
          : SiCell(context, flops.has_value() ? std::optional<double>(*flops / divisor) : flops,
                   facts.flops_bound),
      SiCell(context, no_rate ? std::nullopt : Ratio(flops, Seconds(all_ns)), false, "-")};
  for (size_t i = 0; i < kKindCount; ++i) {
    if (shown[i]) cells.push_back(mean(facts.times[i]));
  }
  cells.push_back(mean(all_ns));
  const std::optional<double> share = Ratio(static_cast<double>(all_ns), whole_ns);
  cells.push_back(ShareCell(share));
  cells.push_back({share.has_value() ? Bar(*share, context.terminal, 15) : "", Tone::kDim});
  table->AddRow(std::move(cells));
}

std::string PhaseTable(const ReportContext& context) {
  const bool per_step = context.sums.rank_steps > 0 && context.style.output != Output::kCsv;
  const double divisor = per_step ? static_cast<double>(context.sums.rank_steps) : 1;
  PhaseFacts all;
  all.flops = model::FlopCount{0};
  std::vector<std::pair<int, PhaseFacts>> phases;
  for (const int phase : kPhaseOrder) {
    const PhaseFacts facts = FactsOf(context, phase);
    const bool idle = SumOf(facts.times) == 0 && facts.flops == model::FlopCount{0};
    if (idle && phase != v1::PHASE_FORWARD && phase != v1::PHASE_BACKWARD) continue;
    phases.emplace_back(phase, facts);
    for (size_t i = 0; i < kKindCount; ++i) all.times[i] += facts.times[i];
    all.incomplete = all.incomplete || facts.incomplete;
    all.flops_bound = all.flops_bound || !facts.flops.has_value();
    *all.flops += facts.flops.value_or(0);
  }
  std::optional<double> whole_ns;
  if (!all.incomplete) whole_ns = static_cast<double>(SumOf(all.times));
  KindFlags shown = {true};
  for (size_t i = 1; i < kKindCount; ++i) {
    shown[i] = all.times[i] > 0 || context.style.output == Output::kCsv;
  }
  Table table(PhaseColumns(shown));
  for (const auto& [phase, facts] : phases) {
    AddPhase(context, std::string(model::PhaseName(phase)), facts, divisor, whole_ns, Tone::kPlain,
             shown, &table);
  }
  const std::string unsorted = SortRows(context, &table);
  if (context.style.output != Output::kCsv) {
    AddPhase(context, "all", all, divisor, whole_ns, Tone::kStrong, shown, &table);
  }
  return RenderTable(context, &table) + unsorted;
}

}  // namespace

std::string TimeView(const ReportContext& context) {
  if (!context.summary.coverage.times_known) return "";
  if (context.style.output == Output::kCsv) return PhaseTable(context);
  const std::optional<model::StepParts>& parts = context.summary.steps.parts;
  const std::string note =
      parts.has_value() ? "mean of " + Plural(parts->rank_steps, "step") + ", without the first"
                        : "";
  std::string text = Title(context, "Where the step goes", note) + PartsTable(context);
  if (context.style.output == Output::kText && parts.has_value()) text += "\n";
  if (context.style.output == Output::kMarkdown) text += "\n";
  text += PhaseTable(context);
  const bool per_step = context.sums.rank_steps > 0;
  return text + NoteLine(context,
                         std::string(per_step ? "per step and rank, mean of "
                                              : "there are no steps: sums over all ranks") +
                             (per_step ? std::to_string(context.sums.rank_steps) +
                                             ": times of kernels added up, also where they overlap"
                                       : ""),
                         Tone::kDim);
}

}  // namespace flopsprof::viewer
