// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Kernels and library calls with the most GPU time.

#include <algorithm>

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
  return Table({{.header = "library call",
                 .right = false,
                 .flexible = true,
                 .min_width = 16,
                 .shorten_middle = true},
                {.header = "sizes", .right = false, .flexible = true, .min_width = 20},
                {.header = "type", .right = false, .drop_order = 1},
                {.header = "calls"},
                {.header = "flops"},
                {.header = "GPU time"},
                {.header = "FLOPS", .drop_order = 2}});
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
                 {FormatCount(static_cast<double>(sum.calls))},
                 {context.style.exact ? FormatExact(flops) : FormatSi(AsDouble(flops)),
                  sum.flops_known ? Tone::kPlain : Tone::kWarning},
                 {TimeText(context, time_ns, sum.lacks_times && !sum.captured)},
                 {FormatSi(rate)}});
}

}  // namespace

std::string KernelsView(const ReportContext& context) {
  if (context.style.focus.has_value()) return FocusView(context);
  const std::vector<model::KernelSummary>& kernels = context.summary.kernels;
  std::string text;
  if (!kernels.empty()) {
    Table table({{.header = "kernel",
                  .right = false,
                  .flexible = true,
                  .min_width = 24,
                  .shorten_middle = true},
                 {.header = "counted as", .right = false},
                 {.header = "phase", .right = false, .drop_order = 2},
                 {.header = "count"},
                 {.header = "mean", .drop_order = 1},
                 {.header = "GPU time"},
                 {.header = "share"}});
    const std::optional<double> whole_s =
        Seconds(KnownSum(context.summary.totals.work.gpu_time_ns));
    const size_t shown = std::min(Most(context), kernels.size());
    for (size_t i = 0; i < shown; ++i) {
      const model::KernelSummary& row = kernels[i];
      const std::string name = row.name.empty() ? "(" + row.kind + " without a name)" : row.name;
      const bool unknown = row.category == "unknown";
      const std::optional<double> seconds =
          row.max_ns > 0 ? Seconds(row.gpu_time_ns) : std::nullopt;
      table.AddRow(
          {{context.terminal.Clean(ReadableKernelName(name))},
           {context.terminal.Clean(row.category), unknown ? Tone::kWarning : Tone::kPlain},
           {context.terminal.Clean(row.phase)},
           {FormatCount(static_cast<double>(row.count))},
           {FormatSeconds(Ratio(seconds, static_cast<double>(row.count)), context.terminal.utf8)},
           {FormatSeconds(seconds, context.terminal.utf8)},
           {FormatShare(Ratio(seconds, whole_s))}});
    }
    text = Title(context, "Kernels",
                 TopNote(shown, kernels.size() + context.summary.kernels_left_out,
                         context.summary.coverage.times_incomplete ? "by the GPU time that came"
                                                                   : "by GPU time")) +
           RenderTable(context, &table);
  }
  return text + KernelStacks(context) + CommunicationView(context);
}

std::string CallsView(const ReportContext& context) {
  const std::vector<model::CallSums>& kinds = context.sums.calls;
  if (kinds.empty()) return "";
  const size_t shown = std::min(Most(context), kinds.size());
  Table table = NewCallTable();
  for (size_t i = 0; i < shown; ++i) AddCallRow(context, kinds[i], &table);
  return Title(context, "Library calls", TopNote(shown, kinds.size(), "kinds by GPU time")) +
         RenderTable(context, &table);
}

}  // namespace flopsprof::viewer
