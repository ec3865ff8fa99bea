// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// What we cost, what we lost, how it was measured, where it is written.

#include <map>
#include <string>

#include "collector/model/coverage.h"
#include "viewer/report/cells.h"
#include "viewer/report/numbers.h"
#include "viewer/report/text.h"
#include "viewer/report/views.h"

namespace flopsprof::viewer {
namespace {

std::string Paths(const ReportContext& context) {
  std::string names;
  for (const auto& [key, path] : context.summary.files) {
    const std::string name = path.substr(path.rfind('/') + 1);
    names += (names.empty() ? "" : ", ") + context.terminal.Clean(name);
  }
  return names.empty() ? "report.txt, summary.json, profile.db" : names;
}

}  // namespace

std::string OverheadView(const ReportContext& context) {
  model::Overhead sum;
  for (const model::RankSummary& rank : context.summary.ranks) {
    const model::Overhead& one = rank.overhead;
    sum.hook_calls += one.hook_calls;
    sum.module_calls += one.module_calls;
    sum.backward_nodes += one.backward_nodes;
    sum.launches += one.launches;
    sum.activities += one.activities;
    sum.own_cpu_ns += one.own_cpu_ns;
    sum.cupti_overhead_ns += one.cupti_overhead_ns;
    sum.estimated_s += one.estimated_s;
    sum.incomplete |= one.incomplete;
  }
  const bool utf8 = context.terminal.utf8;
  const std::string bound = !sum.incomplete ? "" : utf8 ? "≥" : ">=";
  const auto count = [&](uint64_t v) {
    return bound.empty() || v > 0 ? bound + FormatCount(static_cast<double>(v)) : "?";
  };
  const auto seconds = [&](double s) {
    return bound.empty() || s > 0 ? SecondsCell(context, s, sum.incomplete) : Cell{"?"};
  };
  Table table({{.header = "what", .right = false},
               {.header = "time", .unit = "s"},
               {.header = "of", .right = false, .flexible = true, .min_width = 20}});
  table.AddRow(
      {{"our hooks, estimate"},
       seconds(sum.estimated_s),
       {count(sum.hook_calls) + " library calls, " + count(sum.module_calls) + " module calls, " +
        count(sum.backward_nodes) + " backward nodes; launches are not in it"}});
  table.AddRow({{"CPU of our own threads"},
                seconds(1e-9 * static_cast<double>(sum.own_cpu_ns)),
                {"flushing, clocks, descriptions"}});
  table.AddRow({{"launches and GPU records"},
                {"?"},
                {count(sum.launches) + " launches, " + count(sum.activities) +
                 " GPU records: on threads of the job and of CUPTI, not measured"}});
  if (sum.cupti_overhead_ns > 0) {
    table.AddRow({{"CUPTI's own records"},
                  SecondsCell(context, Seconds(sum.cupti_overhead_ns)),
                  {"its OVERHEAD activities"}});
  }
  return Title(context, "Own overhead", "all ranks together") + RenderTable(context, &table);
}

std::string LossesView(const ReportContext& context) {
  std::map<std::string, uint64_t> sums;
  for (const model::RankSummary& rank : context.summary.ranks) {
    for (const auto& [name, value] : rank.loss) sums[name] += value;
  }
  const model::Coverage& coverage = context.summary.coverage;
  std::string text = Title(context, "Losses", "");
  const bool csv = context.style.output == Output::kCsv;  // its head alone where nothing is lost
  if (!csv && sums.empty() && coverage.records_lost == 0 && coverage.invalid_timestamps == 0 &&
      coverage.calls_unmatched == 0 && coverage.launches_without_activity == 0 &&
      coverage.activities_without_launch == 0) {
    if (!coverage.times_known) {
      return text + NoteLine(context, "no record lost; no GPU times to be judged");
    }
    return text + NoteLine(context, "none: no record lost, no time invalid, every launch matched",
                           Tone::kGood);
  }
  Table table({{.header = "what", .right = false},
               {.header = "count"},
               {.header = "meaning", .right = false, .flexible = true, .min_width = 30}});
  const auto add = [&](const std::string& name, uint64_t value, const std::string& meaning) {
    table.AddRow({{name, Tone::kWarning},
                  {FormatExact(model::FlopCount{value}), Tone::kPlain, std::to_string(value)},
                  {meaning}});
  };
  if (coverage.records_lost > 0) {
    add("records_lost", coverage.records_lost, "records lost on the way, all causes");
  }
  if (coverage.invalid_timestamps > 0) {
    add("invalid_timestamps", coverage.invalid_timestamps, "activities without usable times");
  }
  if (coverage.calls_unmatched > 0) {
    add("calls_unmatched", coverage.calls_unmatched, "library calls without a kernel time");
  }
  if (coverage.launches_without_activity > 0) {
    add("launches_without_activity", coverage.launches_without_activity,
        "launches whose GPU times never came");
  }
  if (coverage.activities_without_launch > 0) {
    add("activities_without_launch", coverage.activities_without_launch,
        "GPU activity outside of any module, since its launch was not seen");
  }
  for (const auto& [name, value] : sums) {
    add(context.terminal.Clean(name), value, std::string(model::LossText(name)));
  }
  return text + RenderTable(context, &table);
}

std::string MethodView(const ReportContext& context) {
  if (context.summary.method.empty()) return "";
  if (context.style.output != Output::kText) {
    Table table({{.header = "what", .right = false}, {.header = "how", .right = false}});
    for (const auto& [key, value] : context.summary.method) {
      table.AddRow({{context.terminal.Clean(key)}, {context.terminal.Clean(value)}});
    }
    return Title(context, "Method", "") + RenderTable(context, &table);
  }
  size_t widest = 0;
  for (const auto& [key, unused] : context.summary.method) {
    widest = std::max(widest, DisplayWidth(context.terminal.Clean(key)));
  }
  std::string text = Title(context, "Method", "");
  for (const auto& [key, value] : context.summary.method) {
    text += "  " +
            context.terminal.Paint(Tone::kDim, PadRight(context.terminal.Clean(key), widest)) +
            "  " + Wrap(context.terminal.Clean(value), context.terminal.width, widest + 4) + "\n";
  }
  return text;
}

std::string FooterView(const ReportContext& context) {
  if (context.folder.empty()) return "";
  const std::string folder = context.terminal.Clean(context.folder);
  std::string text = "\n" + context.terminal.Paint(Tone::kDim, "files") + "  " +
                     Wrap(folder + "/ : " + Paths(context), context.terminal.width, 7) + "\n";
  text += context.terminal.Paint(Tone::kDim, "next") + "   flopsprof report " + folder +
          " --view modules --depth=-1\n";
  if (!context.style.brief) {
    return text + "       flopsprof query " + folder + " \"select name from sqlite_schema\"\n";
  }
  std::string views;
  for (const std::string& view : ReportViews()) views += (views.empty() ? "" : ", ") + view;
  text += "       flopsprof report " + folder + " --view all\n";
  return text + context.terminal.Paint(Tone::kDim, "views") + "  " +
         Wrap(views, context.terminal.width, 7) + "\n";
}

}  // namespace flopsprof::viewer
