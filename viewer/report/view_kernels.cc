// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Kernels and library calls with the most GPU time.

#include <absl/strings/str_replace.h>

#include <algorithm>

#include "viewer/report/cells.h"
#include "viewer/report/numbers.h"
#include "viewer/report/text.h"
#include "viewer/report/views.h"

namespace flopsprof::viewer {
namespace {

size_t Most(const ReportContext& context) {
  return static_cast<size_t>(std::max(context.style.top, 1));
}

std::string TopNote(size_t shown, size_t all, const char* noun) {
  return shown < all ? "top " + std::to_string(shown) + " of " + std::to_string(all) + " " + noun
                     : "";
}

Table NewCallTable() {
  return Table(
      {{.header = "library call",
        .right = false,
        .flexible = true,
        .min_width = 16,
        .shorten_middle = true,
        .key = SortKey::kName},
       {.header = "sizes", .right = false, .flexible = true, .min_width = 18},
       {.header = "type", .right = false, .drop_order = 1},
       {.header = "calls", .drop_order = 4, .key = SortKey::kCalls},
       {.header = "flops", .drop_order = 5, .key = SortKey::kFlops},
       {.header = "GPU time", .key = SortKey::kTime, .unit = "s"},
       {.header = "FLOPS", .drop_order = 2, .key = SortKey::kRate, .csv_name = "flop_per_s"}});
}

void AddCallRow(const ReportContext& context, const model::CallSums& sum, Table* table) {
  const std::optional<model::FlopCount> flops =
      sum.flops_known ? std::optional<model::FlopCount>(sum.flops) : std::nullopt;
  const bool has_time = context.summary.coverage.times_known && sum.kernels > 0;
  const std::optional<uint64_t> time_ns =
      has_time ? std::optional<uint64_t>(sum.gpu_time_ns) : std::nullopt;
  const std::optional<double> rate =
      sum.lacks_times ? std::nullopt : Ratio(AsDouble(flops), Seconds(time_ns));
  table->AddRow({{context.terminal.Clean(sum.api) + (sum.captured ? " (captured)" : "")},
                 {context.terminal.Clean(sum.shape)},
                 {context.terminal.Clean(sum.compute_type)},
                 CountCell(static_cast<double>(sum.calls)),
                 FlopsCell(context, flops, false, sum.flops_known ? Tone::kPlain : Tone::kWarning),
                 TimeCell(context, time_ns, sum.lacks_times && !sum.captured),
                 SiCell(context, rate)});
}

Table NewKernelTable() {
  return Table({{.header = "kernel",
                 .right = false,
                 .flexible = true,
                 .min_width = 24,
                 .shorten_middle = true,
                 .key = SortKey::kName},
                {.header = "counted as", .right = false, .drop_order = 4},
                {.header = "phase", .right = false, .drop_order = 2},
                {.header = "count", .drop_order = 3, .key = SortKey::kCalls},
                {.header = "mean", .drop_order = 1, .unit = "s"},
                {.header = "GPU time", .key = SortKey::kTime, .unit = "s"},
                {.header = "share", .unit = "ratio"}});
}

void AddKernelRow(const ReportContext& context, const model::KernelSummary& row,
                  std::optional<double> whole_s, Table* table) {
  const std::string name = row.name.empty() ? "(" + row.kind + " without a name)" : row.name;
  const bool unknown = row.category == "unknown";
  const std::string category = context.terminal.Clean(row.category);
  const std::optional<double> seconds = row.max_ns > 0 ? Seconds(row.gpu_time_ns) : std::nullopt;
  table->AddRow({{context.terminal.Clean(ReadableKernelName(name))},
                 {absl::StrReplaceAll(category, {{"_", " "}}),
                  unknown ? Tone::kWarning : Tone::kPlain, category},
                 {context.terminal.Clean(row.phase)},
                 CountCell(static_cast<double>(row.count)),
                 SecondsCell(context, Ratio(seconds, static_cast<double>(row.count))),
                 SecondsCell(context, seconds),
                 ShareCell(Ratio(seconds, whole_s))});
}

}  // namespace

std::string KernelsView(const ReportContext& context) {
  if (context.style.focus.has_value()) return FocusView(context);
  const std::vector<model::KernelSummary>& kernels = context.summary.kernels;
  if (kernels.empty()) return KernelStacks(context);
  const std::optional<double> whole_s = Seconds(KnownSum(context.summary.totals.work.gpu_time_ns));
  const bool sorted = context.style.sort.has_value();
  const size_t most = Most(context);
  Table table = NewKernelTable();
  size_t ignored = 0;
  for (const model::KernelSummary& row : kernels) {
    if (!sorted && table.row_count() == most) break;
    if (IsIgnored(context, ReadableKernelName(row.name))) {
      ++ignored;
    } else {
      AddKernelRow(context, row, whole_s, &table);
    }
  }
  const std::string unsorted = SortRows(context, &table);
  table.Keep(most);
  const bool as_asked = sorted && *context.style.sort != SortKey::kTime && unsorted.empty();
  const char* order = as_asked                                    ? "in the order asked for"
                      : context.summary.coverage.times_incomplete ? "by the GPU time that came"
                                                                  : "by GPU time";
  const size_t all = kernels.size() + context.summary.kernels_left_out;
  return Title(context, "Kernels", TopNote(table.row_count(), all, order)) +
         RenderTable(context, &table) + unsorted + IgnoredLine(context, ignored) +
         KernelStacks(context);
}

std::string CallsView(const ReportContext& context) {
  const std::vector<model::CallSums>& kinds = context.sums.calls;
  if (kinds.empty()) return "";
  const bool sorted = context.style.sort.has_value();
  const size_t most = Most(context);
  Table table = NewCallTable();
  size_t ignored = 0;
  for (const model::CallSums& sum : kinds) {
    if (!sorted && table.row_count() == most) break;
    if (IsIgnored(context, sum.api) || IsIgnored(context, sum.shape)) {
      ++ignored;
    } else {
      AddCallRow(context, sum, &table);
    }
  }
  const std::string unsorted = SortRows(context, &table);
  table.Keep(most);
  const bool as_asked = sorted && *context.style.sort != SortKey::kTime && unsorted.empty();
  const char* order = as_asked ? "kinds as asked for" : "kinds by GPU time";
  return Title(context, "Library calls", TopNote(table.row_count(), kinds.size(), order)) +
         RenderTable(context, &table) + unsorted + IgnoredLine(context, ignored);
}

}  // namespace flopsprof::viewer
