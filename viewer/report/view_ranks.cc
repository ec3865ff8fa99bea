// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Ranks side by side: the spread of each figure, then each rank or the worst ones.

#include <algorithm>
#include <functional>
#include <numeric>

#include "viewer/report/numbers.h"
#include "viewer/report/text.h"
#include "viewer/report/views.h"

namespace flopsprof::viewer {
namespace {

constexpr size_t kAllRanksUpTo = 16;
constexpr size_t kWorstRanks = 5;

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

// A row "metric  min  median  max  worst"; `high_is_bad` says which end is the worst.
void AddSpread(const ReportContext& context, const std::string& name, bool high_is_bad,
               const std::function<std::optional<double>(const RankSummary&)>& value,
               const std::function<std::string(std::optional<double>)>& format, Table* table) {
  std::vector<std::pair<double, const RankSummary*>> values;
  for (const RankSummary& rank : context.summary.ranks) {
    if (const std::optional<double> v = value(rank); v.has_value()) values.emplace_back(*v, &rank);
  }
  if (values.empty()) return;
  std::stable_sort(values.begin(), values.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  const size_t count = values.size();
  const double median = (values[(count - 1) / 2].first + values[count / 2].first) / 2;
  const double low = values.front().first;
  const double high = values.back().first;
  const RankSummary& worst = high_is_bad ? *values.back().second : *values.front().second;
  // Equal ranks have no worst one.
  const std::string worst_text = low == high ? "-" : "rank " + RankName(context, worst);
  table->AddRow({{name}, {format(low)}, {format(median)}, {format(high)}, {worst_text}});
}

std::string SpreadTable(const ReportContext& context) {
  Table table({{.header = "over the ranks", .right = false},
               {.header = "min"},
               {.header = "median"},
               {.header = "max"},
               {.header = "worst"}});
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
  AddSpread(context, "  forward", true, phase_time(v1::PHASE_FORWARD), time, &table);
  AddSpread(context, "  backward", true, phase_time(v1::PHASE_BACKWARD), time, &table);
  AddSpread(
      context, "flops", false,
      [](const RankSummary& r) { return AsDouble(KnownSum(r.work.flops)); }, count, &table);
  AddSpread(
      context, "FLOPS", false, [](const RankSummary& r) { return r.work.flop_per_s; }, count,
      &table);
  AddSpread(
      context, "MFU", false, [](const RankSummary& r) { return r.utilisation.mfu; }, FormatShare,
      &table);
  return table.row_count() > 0 ? table.Render(context.terminal, 2) + "\n" : "";
}

}  // namespace

std::string RanksView(const ReportContext& context) {
  const std::vector<RankSummary>& ranks = context.summary.ranks;
  if (ranks.empty()) return "";
  std::vector<const RankSummary*> shown;
  for (const RankSummary& rank : ranks) shown.push_back(&rank);
  std::string note;
  if (ranks.size() > kAllRanksUpTo) {
    // Those that did not end well first, then those with the most GPU time.
    std::stable_sort(shown.begin(), shown.end(), [](const RankSummary* a, const RankSummary* b) {
      const bool a_bad = a->state != "exited";
      const bool b_bad = b->state != "exited";
      if (a_bad != b_bad) return a_bad;
      return GpuSeconds(*a).value_or(0) > GpuSeconds(*b).value_or(0);
    });
    shown.resize(kWorstRanks);
    note = "the worst " + std::to_string(kWorstRanks) + " of " + std::to_string(ranks.size());
  }
  const bool programs = !context.summary.programs.empty();
  Table table(
      {{.header = programs ? "program, rank" : "rank", .right = false},
       {.header = "node", .right = false, .drop_order = 3, .flexible = true, .min_width = 8},
       {.header = "GPU", .drop_order = 2},
       {.header = "pid", .drop_order = 1},
       {.header = "state", .right = false},
       {.header = "forward", .group = "flops"},
       {.header = "backward", .group = "flops"},
       {.header = "GPU time"},
       {.header = "FLOPS", .drop_order = 5},
       {.header = "MFU", .drop_order = 4},
       {.header = "lost", .drop_order = 6}});
  for (const RankSummary* rank : shown) {
    const bool bad = rank->state != "exited" || rank->exit_code.value_or(0) != 0;
    std::string state = rank->state;
    if (rank->state == "exited" && rank->exit_code.has_value()) {
      state += " " + std::to_string(*rank->exit_code);
    }
    std::string device;
    for (const model::DeviceSummary& d : rank->devices) {
      device += (device.empty() ? "" : ",") + std::to_string(d.ordinal);
    }
    const auto flops = [&](int phase) {
      const auto& count = rank->work.flops[static_cast<size_t>(phase)];
      return context.style.exact ? FormatExact(count) : FormatSi(AsDouble(count));
    };
    const uint64_t lost = Lost(*rank);
    table.AddRow(
        {{(programs ? std::to_string(rank->program) + ", " : "") + RankName(context, *rank)},
         {context.terminal.Clean(rank->node)},
         {device},
         {std::to_string(rank->pid)},
         {(bad ? "! " : "") + context.terminal.Clean(state), bad ? Tone::kBad : Tone::kPlain},
         {flops(v1::PHASE_FORWARD)},
         {flops(v1::PHASE_BACKWARD)},
         {TimeText(context, KnownSum(rank->work.gpu_time_ns), AnyOf(rank->work.time_incomplete))},
         {rank->work.flop_per_s.has_value() ? FormatSi(rank->work.flop_per_s) : "-"},
         {rank->utilisation.mfu.has_value() ? FormatShare(rank->utilisation.mfu) : "-"},
         {FormatCount(static_cast<double>(lost)), lost > 0 ? Tone::kWarning : Tone::kPlain}});
  }
  std::string text = Title(context, "Ranks", note);
  if (ranks.size() > 1 && !programs) text += SpreadTable(context);
  return text + RenderTable(context, &table);
}

}  // namespace flopsprof::viewer
