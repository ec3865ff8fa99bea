// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Ranks side by side: the spread of each figure, then each rank or the worst ones.

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include "viewer/report/cells.h"
#include "viewer/report/numbers.h"
#include "viewer/report/text.h"
#include "viewer/report/views.h"

namespace flopsprof::viewer {
namespace {

constexpr size_t kAllRanksUpTo = 16;
constexpr size_t kWorstRanks = 5;
constexpr size_t kAllRanksBrief = 4;  // on the two screens
constexpr size_t kWorstRanksBrief = 3;
constexpr size_t kRanksOfHistogram = 8;

using model::RankSummary;

std::optional<double> GpuSeconds(const RankSummary& rank) {
  return Seconds(KnownSum(rank.work.gpu_time_ns));
}

// All counters of losses, but that of what was left out on purpose.
uint64_t Lost(const RankSummary& rank) {
  return std::accumulate(
      rank.loss.begin(), rank.loss.end(), uint64_t{0}, [](uint64_t sum, const auto& entry) {
        return sum + (entry.first == "activity_outside_windows" ? 0 : entry.second);
      });
}

std::string RankName(const ReportContext& context, const RankSummary& rank) {
  return std::to_string(rank.rank) +
         (rank.restart > 0 ? " (restart " + std::to_string(rank.restart) + ")" : "") +
         (rank.claimed_twice ? " (" + context.terminal.Clean(rank.node) + ")" : "");
}

// Values of the ranks that have one, from low to high.
using RankValues = std::vector<std::pair<double, const RankSummary*>>;

RankValues ValuesOf(const ReportContext& context,
                    const std::function<std::optional<double>(const RankSummary&)>& value) {
  RankValues values;
  for (const RankSummary& rank : context.summary.ranks) {
    if (const std::optional<double> v = value(rank); v.has_value()) values.emplace_back(*v, &rank);
  }
  std::stable_sort(values.begin(), values.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  return values;
}

// How many ranks have about which value: one character for each of equal parts from the least to
// the greatest.
std::string Histogram(const ReportContext& context, const RankValues& values) {
  constexpr size_t kBins = 12;
  std::array<size_t, kBins> bins = {};
  const double low = values.front().first;
  const double range = values.back().first - low;
  if (range <= 0) return "";
  for (const auto& [value, unused] : values) {
    ++bins[std::min(kBins - 1, static_cast<size_t>((value - low) / range * kBins))];
  }
  const size_t most = *std::max_element(bins.begin(), bins.end());
  std::string text;
  for (const size_t count : bins) {
    const double height = static_cast<double>(count) / static_cast<double>(most);
    text += count == 0 ? std::string(" ") : Level(height, context.terminal);
  }
  return text;
}

// A row "metric  min  median  p95  max  worst"; `high_is_bad` says which end is the worst.
void AddSpread(const ReportContext& context, const std::string& name, bool high_is_bad,
               const std::function<std::optional<double>(const RankSummary&)>& value,
               const std::function<std::string(std::optional<double>)>& format, Table* table) {
  const RankValues values = ValuesOf(context, value);
  if (values.empty()) return;
  const size_t count = values.size();
  const double median = (values[(count - 1) / 2].first + values[count / 2].first) / 2;
  const double low = values.front().first;
  const double high = values.back().first;
  const double p95 = values[(count * 95 + 99) / 100 - 1].first;  // nearest rank
  const RankSummary& worst = high_is_bad ? *values.back().second : *values.front().second;
  // Equal ranks have no worst one.
  const std::string worst_text = low == high ? "-" : "rank " + RankName(context, worst);
  table->AddRow({{name},
                 {format(low)},
                 {format(median)},
                 {format(p95)},
                 {format(high)},
                 {worst_text},
                 {count >= kRanksOfHistogram ? Histogram(context, values) : "", Tone::kDim}});
}

std::string SpreadTable(const ReportContext& context) {
  Table table({{.header = "over the ranks", .right = false},
               {.header = "min", .drop_order = 2},
               {.header = "median"},
               {.header = "p95", .drop_order = 3},
               {.header = "max"},
               {.header = "worst"},
               {.header = context.summary.ranks.size() >= kRanksOfHistogram ? "min to max" : "",
                .right = false,
                .drop_order = 1}});
  const auto time = [&](std::optional<double> s) {
    return FormatSeconds(s, context.terminal.utf8);
  };
  const auto count = [](std::optional<double> v) { return FormatSi(v); };
  const auto phase_time = [](int phase) {
    return [phase](const RankSummary& r) {
      return Seconds(r.work.gpu_time_ns[static_cast<size_t>(phase)]);
    };
  };
  AddSpread(context, "GPU time", true, GpuSeconds, time, &table);
  if (!context.style.brief) {
    AddSpread(context, "  forward", true, phase_time(v1::PHASE_FORWARD), time, &table);
    AddSpread(context, "  backward", true, phase_time(v1::PHASE_BACKWARD), time, &table);
  }
  AddSpread(
      context, "flops", false,
      [](const RankSummary& r) { return AsDouble(KnownSum(r.work.flops)); }, count, &table);
  AddSpread(
      context, "FLOPS", false, [](const RankSummary& r) { return r.work.flop_per_s; }, count,
      &table);
  AddSpread(
      context, "MFU", false, [](const RankSummary& r) { return r.utilisation.mfu; }, FormatShare,
      &table);
  return table.row_count() > 0 ? RenderTable(context, &table) + "\n" : "";
}

// Those that did not end well first, then those with the most GPU time.
void SortByTrouble(std::vector<const RankSummary*>* ranks) {
  std::stable_sort(ranks->begin(), ranks->end(), [](const RankSummary* a, const RankSummary* b) {
    const bool a_bad = a->state != "exited";
    const bool b_bad = b->state != "exited";
    if (a_bad != b_bad) return a_bad;
    return GpuSeconds(*a).value_or(0) > GpuSeconds(*b).value_or(0);
  });
}

Table NewRankTable(bool programs) {
  return Table(
      {{.header = programs ? "program, rank" : "rank", .right = false, .key = SortKey::kName},
       {.header = "node", .right = false, .drop_order = 3, .flexible = true, .min_width = 8},
       {.header = "GPU", .drop_order = 2},
       {.header = "pid", .drop_order = 1},
       {.header = "state", .right = false},
       {.header = "forward", .group = "flops", .drop_order = 7},
       {.header = "backward", .group = "flops", .drop_order = 8, .key = SortKey::kFlops},
       {.header = "GPU time", .key = SortKey::kTime, .unit = "s"},
       {.header = "FLOPS", .drop_order = 5, .key = SortKey::kRate, .csv_name = "flop_per_s"},
       {.header = "MFU", .drop_order = 4, .key = SortKey::kMfu, .unit = "ratio"},
       {.header = "lost", .drop_order = 6, .key = SortKey::kLost}});
}

void AddRank(const ReportContext& context, const RankSummary& rank, Table* table) {
  const bool programs = !context.summary.programs.empty();
  const bool bad = rank.state != "exited" || rank.exit_code.value_or(0) != 0;
  std::string state = rank.state;
  if (rank.state == "exited" && rank.exit_code.has_value()) {
    state += " " + std::to_string(*rank.exit_code);
  }
  std::string device;
  for (const model::DeviceSummary& d : rank.devices) {
    device += (device.empty() ? "" : ",") + std::to_string(d.ordinal);
  }
  const auto flops = [&](int phase) {
    return FlopsCell(context, rank.work.flops[static_cast<size_t>(phase)]);
  };
  const uint64_t lost = Lost(rank);
  Cell lost_cell = CountCell(static_cast<double>(lost));
  if (lost > 0) lost_cell.tone = Tone::kWarning;
  const bool marked = bad && context.style.output != Output::kCsv;
  table->AddRow(
      {{(programs ? std::to_string(rank.program) + ", " : "") + RankName(context, rank)},
       {context.terminal.Clean(rank.node)},
       {device},
       {std::to_string(rank.pid)},
       {(marked ? "! " : "") + context.terminal.Clean(state), bad ? Tone::kBad : Tone::kPlain},
       flops(v1::PHASE_FORWARD),
       flops(v1::PHASE_BACKWARD),
       TimeCell(context, KnownSum(rank.work.gpu_time_ns), AnyOf(rank.work.time_incomplete)),
       SiCell(context, rank.work.flop_per_s, false, "-"),
       ShareCell(rank.utilisation.mfu, "-"),
       lost_cell});
}

}  // namespace

std::string RanksView(const ReportContext& context) {
  const std::vector<RankSummary>& ranks = context.summary.ranks;
  if (ranks.empty()) return "";
  if (context.style.group_by == GroupBy::kNode) return NodesView(context);
  std::vector<const RankSummary*> shown;
  for (const RankSummary& rank : ranks) shown.push_back(&rank);
  std::string note;
  const bool all = context.style.group_by == GroupBy::kRank || context.style.output == Output::kCsv;
  const bool sorted = context.style.sort.has_value();
  const bool brief = context.style.brief;
  const size_t up_to = brief ? kAllRanksBrief : kAllRanksUpTo;
  size_t most = all ? ranks.size() : brief ? kWorstRanksBrief : kWorstRanks;
  if (ranks.size() > up_to && !all && !sorted) {
    SortByTrouble(&shown);
    shown.resize(most);
    note = "the worst " + std::to_string(most) + " of " + std::to_string(ranks.size());
  } else if (ranks.size() > up_to && !all) {
    most = static_cast<size_t>(std::max(context.style.top, 1));
    note = std::to_string(std::min(most, ranks.size())) + " of " + std::to_string(ranks.size());
  } else {
    most = ranks.size();
  }
  const bool programs = !context.summary.programs.empty();
  Table table = NewRankTable(programs);
  for (const RankSummary* rank : shown) AddRank(context, *rank, &table);
  const std::string unsorted = SortRows(context, &table);
  if (sorted) table.Keep(most);
  std::string text = Title(context, "Ranks", note);
  const bool spread = ranks.size() > 1 && !programs && context.style.output != Output::kCsv;
  if (spread) text += SpreadTable(context);
  return text + RenderTable(context, &table) + unsorted;
}

}  // namespace flopsprof::viewer
