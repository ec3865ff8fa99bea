// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/report/report.h"

#include <algorithm>

#include "viewer/report/markdown.h"
#include "viewer/report/numbers.h"
#include "viewer/report/text.h"
#include "viewer/report/views.h"

namespace flopsprof::viewer {
namespace {

struct View {
  std::string name;
  std::string (*render)(const ReportContext&);
  bool brief = false;         // on the two screens
  bool of_program = false;    // each of several programs has one of its own
  bool by_step = false;       // from figures that are kept by step
  bool usual = true;          // false: printed when it is asked for
  bool says_program = false;  // by its paths
};

const std::vector<View>& Views() {
  static const std::vector<View> views = {
      {.name = "time", .render = TimeView, .brief = true, .of_program = true},
      {.name = "summary", .render = SummaryView, .of_program = true},
      {.name = "steps", .render = StepsView, .brief = true, .of_program = true, .by_step = true},
      {.name = "timeline",
       .render = TimelineView,
       .brief = true,
       .of_program = true,
       .by_step = true},
      {.name = "modules",
       .render = ModulesView,
       .brief = true,
       .of_program = true,
       .says_program = true},
      {.name = "depths", .render = DepthsView, .of_program = true},
      {.name = "ranges", .render = RangesView, .of_program = true},
      {.name = "ranks", .render = RanksView, .brief = true},
      {.name = "kernels", .render = KernelsView, .brief = true},
      {.name = "communication", .render = CommunicationView, .brief = true},
      {.name = "calls", .render = CallsView},
      {.name = "overhead", .render = OverheadView},
      {.name = "losses", .render = LossesView, .brief = true},
      {.name = "method", .render = MethodView},
      {.name = "gradients", .render = GradientsView, .usual = false},
      {.name = "findings", .render = FindingsView, .usual = false},
  };
  return views;
}

bool IsWanted(const View& view, const ReportStyle& style, const model::Summary& summary) {
  if (!style.steps_shown.empty() && !view.by_step) return false;
  if (style.views.empty() && style.brief) return view.brief;
  if (style.views.empty()) {
    // The head has the first ones.
    const bool more = view.name == "findings" && summary.findings.size() > kFindingsOfHead;
    return view.usual || more;
  }
  return std::find(style.views.begin(), style.views.end(), view.name) != style.views.end();
}

}  // namespace

const std::vector<std::string>& ReportViews() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const View& view : Views()) list.push_back(view.name);
    return list;
  }();
  return names;
}

bool IsViewOfSteps(const std::string& name) {
  return std::any_of(Views().begin(), Views().end(),
                     [&name](const View& view) { return view.name == name && view.by_step; });
}

namespace {

std::string HeadOf(const ReportContext& context) {
  switch (context.style.output) {
    case Output::kText:
      break;
    case Output::kMarkdown:
      return "# " + MarkdownLines(HeaderView(context));
    case Output::kCsv:
      return "";
  }
  return HeaderView(context);
}

std::string FootOf(const ReportContext& context) {
  switch (context.style.output) {
    case Output::kText:
      break;
    case Output::kMarkdown:
      return MarkdownLines(FooterView(context));
    case Output::kCsv:
      return "";
  }
  return FooterView(context);
}

std::string RenderViews(const ReportContext& context) {
  const model::Summary& summary = context.summary;
  std::vector<std::string (*)(const ReportContext&)> of_program;
  std::string whole;
  for (const View& view : Views()) {
    if (!IsWanted(view, context.style, summary)) continue;
    if (summary.empty && view.name != "losses" && view.name != "method") continue;
    if (summary.programs.empty() || !view.of_program) {
      whole += view.render(context);
    } else if (context.style.output != Output::kCsv) {
      of_program.push_back(view.render);
    } else if (view.says_program && context.style.group_by == GroupBy::kNothing) {
      whole += view.render(context);
    } else {
      whole += CsvOfPrograms(context, view.render);
    }
  }
  return ProgramsView(context, of_program) + whole;
}

std::string Render(const ReportContext& given) {
  Terminal terminal = given.terminal;
  if (given.style.output != Output::kText) {
    terminal.width = kNoWidth;
    terminal.height = 0;
    terminal.colour = false;
  }
  const ReportContext context{given.summary, given.sums,  given.run,
                              given.folder,  given.style, terminal};
  return HeadOf(context) + RenderViews(context) + FootOf(context);
}

}  // namespace

std::string RenderReport(const model::RunSums& sums, const model::RunProfile& run,
                         const std::string& folder, const ReportStyle& style,
                         const Terminal& terminal) {
  return Render({sums.summary, sums.report, run, folder, style, terminal});
}

std::string RenderReport(const model::Summary& summary, const model::RunProfile& run,
                         const std::string& folder, const ReportStyle& style,
                         const Terminal& terminal) {
  const model::ReportSums sums = model::SumForReport(run, summary);
  return Render({summary, sums, run, folder, style, terminal});
}

std::string EmptyReason(const model::Summary& summary) {
  std::string reasons;
  for (const std::string& reason : summary.coverage.reasons) {
    reasons += (reasons.empty() ? "" : "; ") + CleanText(reason);
  }
  return "nothing to report: " + (reasons.empty() ? "no GPU work was seen" : reasons);
}

std::string Title(const ReportContext& context, const std::string& title, const std::string& note) {
  if (context.style.output == Output::kCsv) return "";
  if (context.style.output == Output::kMarkdown) {
    return "\n## " + MarkdownText(title) + "\n\n" +
           (note.empty() ? "" : MarkdownText(note) + "\n\n");
  }
  std::string line = "\n" + context.terminal.Paint(Tone::kTitle, title);
  if (note.empty()) return line + "\n";
  const size_t indent = DisplayWidth(title) + 2;
  const std::string wrapped = Wrap(note, context.terminal.width, indent);
  return line + "  " + context.terminal.Paint(Tone::kDim, wrapped) + "\n";
}

std::string NoteLine(const ReportContext& context, const std::string& text, Tone tone) {
  if (context.style.output == Output::kCsv) return "";
  if (context.style.output == Output::kMarkdown) return "\n" + MarkdownText(text) + "\n";
  return "  " + context.terminal.Paint(tone, Wrap(text, context.terminal.width, 2)) + "\n";
}

std::string JoinParts(const ReportContext& context, const std::vector<std::string>& parts) {
  constexpr size_t kGap = 3;
  constexpr size_t kIndent = 2;
  std::string text;
  size_t column = 0;
  for (const std::string& part : parts) {
    if (part.empty()) continue;
    const size_t width = DisplayWidth(part);
    if (column > kIndent && column + kGap + width > context.terminal.width) {
      text += "\n" + std::string(kIndent, ' ');
      column = kIndent;
    } else if (column > 0) {
      text += std::string(kGap, ' ');
      column += kGap;
    }
    // One part may be longer than a line.
    const std::string wrapped = Wrap(part, context.terminal.width, column > 0 ? column : kIndent);
    text += column > 0 ? wrapped : Wrap(part, context.terminal.width, 0);
    column += width;
  }
  return text;
}

const char* AtLeast(const ReportContext& context) { return context.terminal.utf8 ? "≥" : ">="; }

std::string TimeText(const ReportContext& context, std::optional<uint64_t> ns, bool incomplete) {
  if (!ns.has_value() || (incomplete && *ns == 0)) return "?";
  const std::string text = FormatSeconds(static_cast<double>(*ns) * 1e-9, context.terminal.utf8);
  return incomplete ? AtLeast(context) + text : text;
}

bool AnyOf(const model::PhaseFlags& flags) {
  return std::any_of(flags.begin(), flags.end(), [](bool flag) { return flag; });
}

std::string RenderTable(const ReportContext& context, Table* table) {
  if (context.style.output == Output::kCsv) return table->RenderCsv();
  if (context.style.output == Output::kMarkdown) return table->RenderMarkdown();
  const std::string text = table->Render(context.terminal, 2);
  std::string names;
  for (const std::string& name : table->left_out()) names += (names.empty() ? "" : ", ") + name;
  if (names.empty()) return text;
  const std::string line = Wrap("left out here: " + names, context.terminal.width, 2);
  return text + "  " + context.terminal.Paint(Tone::kDim, line) + "\n";
}

std::string SortRows(const ReportContext& context, Table* table) {
  if (!context.style.sort.has_value() || table->Sort(*context.style.sort)) return "";
  return NoteLine(context, "not sorted: this table has no such column", Tone::kDim);
}

bool IsNamed(const ReportContext& context, const std::string& view) {
  const std::vector<std::string>& views = context.style.views;
  return std::find(views.begin(), views.end(), view) != views.end();
}

bool IsIgnored(const ReportContext& context, const std::string& name) {
  constexpr size_t kMostBytes = 2000;  // std::regex recurses
  return context.style.ignore.has_value() &&
         std::regex_search(name.substr(0, kMostBytes), *context.style.ignore);
}

std::string IgnoredLine(const ReportContext& context, size_t ignored) {
  if (ignored == 0) return "";
  return NoteLine(context, Plural(ignored, "row") + " left out by --ignore; sums include them",
                  Tone::kDim);
}

std::optional<model::FlopCount> KnownSum(const model::PhaseCounts& counts) {
  std::optional<model::FlopCount> sum;
  for (const auto& count : counts) {
    if (count.has_value()) sum = sum.value_or(0) + *count;
  }
  return sum;
}

std::optional<uint64_t> KnownSum(const model::PhaseTimes& times) {
  std::optional<uint64_t> sum;
  for (const auto& time : times) {
    if (time.has_value()) sum = sum.value_or(0) + *time;
  }
  return sum;
}

bool AnyUnknown(const model::PhaseCounts& counts) {
  return std::any_of(counts.begin(), counts.end(), [](const auto& c) { return !c.has_value(); });
}

std::string Plural(uint64_t count, const std::string& one, const std::string& many) {
  return std::to_string(count) + " " + (count == 1 ? one : many);
}

std::string Plural(uint64_t count, const std::string& one) { return Plural(count, one, one + "s"); }

}  // namespace flopsprof::viewer
