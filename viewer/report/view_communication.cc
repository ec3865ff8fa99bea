// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Collectives: by function and group, and by the module that they serve.

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "viewer/report/numbers.h"
#include "viewer/report/views.h"

namespace flopsprof::viewer {
namespace {

using Row = model::CollectiveSummary;

void Add(const Row& row, Row* sum) {
  sum->calls += row.calls;
  sum->bytes += row.bytes;
  sum->gpu_time_ns += row.gpu_time_ns;
  sum->matched_calls += row.matched_calls;
  sum->matched_time_ns += row.matched_time_ns;
  sum->wait_ns += row.wait_ns;
  sum->compared_time_ns += row.compared_time_ns;
  sum->hidden_ns += row.hidden_ns;
}

// Rows added up where `key` is equal, longest time first.
template <typename Key>
std::vector<Row> SumBy(const std::vector<Row>& rows, Key key) {
  std::map<decltype(key(rows.front())), Row> sums;
  for (const Row& row : rows) {
    const auto [found, is_new] = sums.try_emplace(key(row), row);
    if (!is_new) Add(row, &found->second);
  }
  std::vector<Row> result;
  for (auto& [unused, sum] : sums) result.push_back(std::move(sum));
  std::stable_sort(result.begin(), result.end(),
                   [](const Row& a, const Row& b) { return a.gpu_time_ns > b.gpu_time_ns; });
  return result;
}

std::string KnownTime(const ReportContext& context, uint64_t ns, bool known) {
  return known ? FormatSeconds(Seconds(ns), context.terminal.utf8) : "?";
}

// What is known of the time spent waiting; a lower bound while calls are without a match.
std::string WaitText(const ReportContext& context, const Row& row) {
  if (row.matched_calls == 0) return "?";
  const char* least = row.matched_calls >= row.calls ? "" : context.terminal.utf8 ? "≥" : ">=";
  return least + KnownTime(context, row.wait_ns, true);
}

// What of the time ran while the device did nothing else.
std::string ExposedText(const ReportContext& context, const Row& row) {
  const std::optional<uint64_t> hidden_ns = row.known_hidden_ns();
  const bool known = hidden_ns.has_value() && row.gpu_time_ns != 0;
  return KnownTime(context, known ? row.gpu_time_ns - std::min(*hidden_ns, row.gpu_time_ns) : 0,
                   known);
}

// "2 ranks: 0,4".
std::string GroupText(const ReportContext& context, const Row& row) {
  return context.terminal.Clean(row.ranks.empty() ? row.detail : row.detail + ": " + row.ranks);
}

// Only where every call's wait is known: a rate over waiting time says nothing of the network.
std::string RateText(const Row& row) {
  if (row.matched_calls < row.calls) return "?";
  const uint64_t transfer_ns = row.matched_time_ns - std::min(row.wait_ns, row.matched_time_ns);
  const std::optional<double> rate = Ratio(static_cast<double>(row.bytes), Seconds(transfer_ns));
  return rate.has_value() ? FormatBytes(rate) + "/s" : "?";
}

std::string TopNote(size_t shown, size_t all) {
  return shown < all ? "top " + std::to_string(shown) + " of " + std::to_string(all) + " rows" : "";
}

std::string ByGroup(const ReportContext& context, size_t most) {
  const std::vector<Row> rows = SumBy(context.summary.collectives, [](const Row& row) {
    return std::make_tuple(row.api, row.detail, row.ranks, row.phase);
  });
  Table table({{.header = "collective", .right = false},
               {.header = "group", .right = false, .flexible = true, .min_width = 10},
               {.header = "phase", .right = false, .drop_order = 1},
               {.header = "calls"},
               {.header = "bytes"},
               {.header = "GPU time"},
               {.header = "exposed", .drop_order = 3},
               {.header = "of it wait", .drop_order = 4},
               {.header = "payload/s", .drop_order = 2}});
  const size_t shown = std::min(most, rows.size());
  bool any_unknown = false;
  for (size_t i = 0; i < shown; ++i) {
    const Row& row = rows[i];
    any_unknown = any_unknown || row.matched_calls < row.calls;
    table.AddRow({{context.terminal.Clean(row.api)},
                  {GroupText(context, row)},
                  {context.terminal.Clean(row.phase)},
                  {FormatCount(static_cast<double>(row.calls))},
                  {FormatBytes(static_cast<double>(row.bytes))},
                  {KnownTime(context, row.gpu_time_ns, row.gpu_time_ns != 0)},
                  {ExposedText(context, row)},
                  {WaitText(context, row)},
                  {RateText(row)}});
  }
  std::string text =
      Title(context, "Communication", TopNote(shown, rows.size())) + RenderTable(context, &table);
  if (any_unknown) {
    text += NoteLine(context,
                     "wait: until the last rank began; known where all ranks of a group ran on one "
                     "node",
                     Tone::kDim);
  }
  return text;
}

std::string ByModule(const ReportContext& context, size_t most) {
  const std::vector<Row> rows = SumBy(context.summary.collectives, [](const Row& row) {
    return std::make_tuple(row.module, row.api, row.phase);
  });
  Table table({{.header = "module", .right = false, .flexible = true, .min_width = 16},
               {.header = "collective", .right = false},
               {.header = "phase", .right = false, .drop_order = 3},
               {.header = "calls"},
               {.header = "bytes"},
               {.header = "GPU time"},
               {.header = "exposed", .drop_order = 1},
               {.header = "of it wait", .drop_order = 2}});
  const size_t shown = std::min(most, rows.size());
  for (size_t i = 0; i < shown; ++i) {
    const Row& row = rows[i];
    table.AddRow({{context.terminal.Clean(row.module.empty() ? "(model)" : row.module)},
                  {context.terminal.Clean(row.api)},
                  {context.terminal.Clean(row.phase)},
                  {FormatCount(static_cast<double>(row.calls))},
                  {FormatBytes(static_cast<double>(row.bytes))},
                  {KnownTime(context, row.gpu_time_ns, row.gpu_time_ns != 0)},
                  {ExposedText(context, row)},
                  {WaitText(context, row)}});
  }
  return Title(context, "Communication by module", TopNote(shown, rows.size())) +
         RenderTable(context, &table);
}

}  // namespace

std::string CommunicationView(const ReportContext& context) {
  if (context.summary.collectives.empty()) return "";
  const auto most = static_cast<size_t>(std::max(context.style.top, 1));
  return ByGroup(context, most) + ByModule(context, most);
}

}  // namespace flopsprof::viewer
