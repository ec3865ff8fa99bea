// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Collectives: by function and group, and by the module that they serve.

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "viewer/report/cells.h"
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

Cell KnownTime(const ReportContext& context, uint64_t ns, bool known) {
  return known ? SecondsCell(context, Seconds(ns)) : Cell{"?"};
}

// What is known of the time spent waiting; a lower bound while calls are without a match.
Cell WaitCell(const ReportContext& context, const Row& row) {
  if (row.matched_calls == 0) return {"?"};
  return SecondsCell(context, Seconds(row.wait_ns), row.matched_calls < row.calls);
}

uint64_t TransferNs(const Row& row) {
  return row.matched_time_ns - std::min(row.wait_ns, row.matched_time_ns);
}

// Only where every call's wait is known.
Cell TransferCell(const ReportContext& context, const Row& row) {
  return KnownTime(context, TransferNs(row), row.matched_calls >= row.calls && row.calls > 0);
}

// What of the time ran while the device did nothing else.
Cell ExposedCell(const ReportContext& context, const Row& row) {
  const std::optional<uint64_t> hidden_ns = row.known_hidden_ns();
  const bool known = hidden_ns.has_value() && row.gpu_time_ns != 0;
  return KnownTime(context, known ? row.gpu_time_ns - std::min(*hidden_ns, row.gpu_time_ns) : 0,
                   known);
}

// The rest of it, as a share.
Cell OverlapCell(const Row& row) {
  const std::optional<uint64_t> hidden_ns = row.known_hidden_ns();
  if (!hidden_ns.has_value() || row.gpu_time_ns == 0) return {"?"};
  return ShareCell(Ratio(static_cast<double>(*hidden_ns), static_cast<double>(row.gpu_time_ns)));
}

// "2 ranks: 0,4".
std::string GroupText(const ReportContext& context, const Row& row) {
  return context.terminal.Clean(row.ranks.empty() ? row.detail : row.detail + ": " + row.ranks);
}

// Only where every call's wait is known: a rate over waiting time says nothing of the network.
Cell PayloadRate(const Row& row) {
  if (row.matched_calls < row.calls) return {"?"};
  const std::optional<double> rate =
      Ratio(static_cast<double>(row.bytes), Seconds(TransferNs(row)));
  if (!rate.has_value()) return {"?"};
  return {FormatBytes(rate) + "/s", Tone::kPlain, RawNumber(*rate)};
}

// The columns behind the names, and their cells.
void AddColumnsOfCalls(std::vector<Column>* columns) {
  const std::vector<Column> more = {
      {.header = "calls", .drop_order = 6, .key = SortKey::kCalls},
      {.header = "payload", .drop_order = 7, .key = SortKey::kBytes, .unit = "bytes"},
      {.header = "GPU time", .key = SortKey::kTime, .unit = "s"},
      {.header = "exposed", .drop_order = 4, .unit = "s"},
      {.header = "overlap", .drop_order = 3, .unit = "ratio"},
      {.header = "wait", .drop_order = 8, .key = SortKey::kWait, .unit = "s"},
      {.header = "transfer", .drop_order = 5, .unit = "s"},
      {.header = "payload/s",
       .drop_order = 2,
       .key = SortKey::kRate,
       .csv_name = "payload_bytes_per_s"}};
  columns->insert(columns->end(), more.begin(), more.end());
}

void AddCellsOfCalls(const ReportContext& context, const Row& row, std::vector<Cell>* cells) {
  const Cell more[] = {CountCell(static_cast<double>(row.calls)),
                       BytesCell(static_cast<double>(row.bytes)),
                       KnownTime(context, row.gpu_time_ns, row.gpu_time_ns != 0),
                       ExposedCell(context, row),
                       OverlapCell(row),
                       WaitCell(context, row),
                       TransferCell(context, row),
                       PayloadRate(row)};
  cells->insert(cells->end(), std::begin(more), std::end(more));
}

std::string TopNote(size_t shown, size_t all) {
  return shown < all ? "top " + std::to_string(shown) + " of " + std::to_string(all) + " rows" : "";
}

// The groups of one size as one row, where there are more than fit: "64 groups of 8 ranks".
std::vector<Row> MergeGroups(const std::vector<Row>& rows) {
  const auto key = [](const Row& row) { return std::make_tuple(row.api, row.detail, row.phase); };
  std::map<decltype(key(rows.front())), size_t> groups;
  for (const Row& row : rows) ++groups[key(row)];
  std::vector<Row> merged = SumBy(rows, key);
  for (Row& row : merged) {
    const size_t count = groups[key(row)];
    if (count > 1) {
      row.detail = std::to_string(count) + " groups of " + row.detail;
      row.ranks.clear();
    }
  }
  return merged;
}

std::string ByGroup(const ReportContext& context, size_t most) {
  std::vector<Row> rows = SumBy(context.summary.collectives, [](const Row& row) {
    return std::make_tuple(row.api, row.detail, row.ranks, row.phase);
  });
  if (rows.size() > most && !context.style.sort.has_value()) rows = MergeGroups(rows);
  std::vector<Column> columns = {
      {.header = "collective", .right = false, .key = SortKey::kName},
      {.header = "group", .right = false, .flexible = true, .min_width = 8},
      {.header = "phase", .right = false, .drop_order = 1}};
  AddColumnsOfCalls(&columns);
  Table table(std::move(columns));
  bool any_unknown = false;
  size_t ignored = 0;
  for (const Row& row : rows) {
    if (IsIgnored(context, row.api)) {
      ++ignored;
      continue;
    }
    any_unknown = any_unknown || row.matched_calls < row.calls;
    std::vector<Cell> cells = {{context.terminal.Clean(row.api)},
                               {GroupText(context, row)},
                               {context.terminal.Clean(row.phase)}};
    AddCellsOfCalls(context, row, &cells);
    table.AddRow(std::move(cells));
  }
  const std::string unsorted = SortRows(context, &table);
  const size_t all = table.row_count();
  table.Keep(most);
  std::string text = Title(context, "Communication", TopNote(table.row_count(), all)) +
                     RenderTable(context, &table) + unsorted + IgnoredLine(context, ignored);
  if (context.style.brief) return text;
  text += NoteLine(context,
                   "payload: as the caller passed it; wait: until the last rank began; transfer: "
                   "the rest; overlap: share of the time while other work ran",
                   Tone::kDim);
  if (any_unknown) {
    text +=
        NoteLine(context, "wait is known where all ranks of a group ran on one node", Tone::kDim);
  }
  return text;
}

std::string ByModule(const ReportContext& context, size_t most) {
  const std::vector<Row> rows = SumBy(context.summary.collectives, [](const Row& row) {
    return std::make_tuple(row.module, row.api, row.phase);
  });
  std::vector<Column> columns = {{.header = "module",
                                  .right = false,
                                  .flexible = true,
                                  .min_width = 28,
                                  .shorten_middle = true,
                                  .key = SortKey::kName},
                                 {.header = "collective", .right = false},
                                 {.header = "phase", .right = false, .drop_order = 1}};
  AddColumnsOfCalls(&columns);
  Table table(std::move(columns));
  size_t ignored = 0;
  for (const Row& row : rows) {
    if (IsIgnored(context, row.module) || IsIgnored(context, row.api)) {
      ++ignored;
      continue;
    }
    std::vector<Cell> cells = {
        {context.terminal.Clean(row.module.empty() ? "(model)" : row.module)},
        {context.terminal.Clean(row.api)},
        {context.terminal.Clean(row.phase)}};
    AddCellsOfCalls(context, row, &cells);
    table.AddRow(std::move(cells));
  }
  const std::string unsorted = SortRows(context, &table);
  const size_t all = table.row_count();
  table.Keep(most);
  return Title(context, "Communication by module", TopNote(table.row_count(), all)) +
         RenderTable(context, &table) + unsorted + IgnoredLine(context, ignored);
}

}  // namespace

std::string CommunicationView(const ReportContext& context) {
  const bool csv = context.style.output == Output::kCsv;
  if (context.summary.collectives.empty()) {
    if (!IsNamed(context, "communication")) return "";
    if (!csv) return Title(context, "Communication", "") + NoteLine(context, "none recorded");
  }
  const auto most = static_cast<size_t>(std::max(context.style.top, 1));
  const bool one = context.style.brief || csv;
  return ByGroup(context, most) + (one ? "" : ByModule(context, most));
}

}  // namespace flopsprof::viewer
