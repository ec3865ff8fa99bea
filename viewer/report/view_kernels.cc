// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Kernels and library calls with the most GPU time.

#include <algorithm>
#include <map>
#include <tuple>

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
  struct Sum {
    uint64_t calls = 0;
    model::FlopCount flops = 0;
    bool flops_known = true;
    uint64_t kernels = 0;
    uint64_t gpu_time_ns = 0;
    // A rate needs the times of all calls.
    bool lacks_times = false;
  };
  using Key =
      std::tuple<std::string, std::string, std::string, bool>;  // api, shape, type, captured
  std::map<Key, Sum> sums;
  for (const v1::ProcessProfile& process : context.run.processes) {
    for (const v1::CallRow& row : process.calls()) {
      if (row.kind() == v1::CALL_KIND_COLLECTIVE) continue;
      Sum& sum = sums[{row.api(), row.shape(), row.compute_type(), row.captured()}];
      sum.calls += row.calls();
      sum.flops += model::ToFlopCount(row.flops());
      sum.flops_known = sum.flops_known && row.flops_known();
      sum.kernels += row.kernels();
      sum.gpu_time_ns += row.gpu_time_ns();
      // A call with an empty dimension launches nothing.
      const bool products = !row.flops_known() || model::ToFlopCount(row.flops()) != 0;
      sum.lacks_times = sum.lacks_times || (products && row.kernels() < row.calls());
    }
  }
  if (sums.empty()) return "";
  std::vector<std::pair<Key, Sum>> rows(sums.begin(), sums.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return std::tie(a.second.gpu_time_ns, a.second.flops) >
           std::tie(b.second.gpu_time_ns, b.second.flops);
  });
  Table table({{.header = "library call",
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
  const bool times = context.summary.coverage.times_known;
  const size_t shown = std::min(Most(context), rows.size());
  for (size_t i = 0; i < shown; ++i) {
    const auto& [api, shape, type, captured] = rows[i].first;
    const Sum& sum = rows[i].second;
    const std::optional<model::FlopCount> flops =
        sum.flops_known ? std::optional<model::FlopCount>(sum.flops) : std::nullopt;
    const std::optional<uint64_t> time_ns =
        times && sum.kernels > 0 ? std::optional<uint64_t>(sum.gpu_time_ns) : std::nullopt;
    const std::optional<double> seconds = Seconds(time_ns);
    const std::optional<double> rate =
        sum.lacks_times ? std::nullopt : Ratio(AsDouble(flops), seconds);
    table.AddRow({{context.terminal.Clean(api) + (captured ? " (captured)" : "")},
                  {context.terminal.Clean(shape)},
                  {context.terminal.Clean(type)},
                  {FormatCount(static_cast<double>(sum.calls))},
                  {context.style.exact ? FormatExact(flops) : FormatSi(AsDouble(flops)),
                   sum.flops_known ? Tone::kPlain : Tone::kWarning},
                  {TimeText(context, time_ns, sum.lacks_times && !captured)},
                  {FormatSi(rate)}});
  }
  return Title(context, "Library calls", TopNote(shown, rows.size(), "kinds by GPU time")) +
         RenderTable(context, &table);
}

}  // namespace flopsprof::viewer
