// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/report/report.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "viewer/report/numbers.h"
#include "viewer/report/text.h"
#include "viewer/report/views.h"

namespace flopsprof::viewer {
namespace {

using View = std::pair<std::string, std::string (*)(const ReportContext&)>;

const std::vector<View>& Views() {
  static const std::vector<View> views = {
      {"summary", SummaryView}, {"steps", StepsView},       {"modules", ModulesView},
      {"ranges", RangesView},   {"ranks", RanksView},       {"kernels", KernelsView},
      {"calls", CallsView},     {"overhead", OverheadView}, {"losses", LossesView},
      {"method", MethodView},
  };
  return views;
}

// Printed when they are asked for.
const std::vector<View>& MoreViews() {
  static const std::vector<View> views = {{"gradients", GradientsView}, {"findings", FindingsView}};
  return views;
}

// Parts that each of several programs has of its own.
bool IsOfProgram(const std::string& name) {
  return name == "summary" || name == "steps" || name == "modules" || name == "ranges";
}

}  // namespace

const std::vector<std::string>& ReportViews() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const View& view : Views()) list.push_back(view.first);
    for (const View& view : MoreViews()) list.push_back(view.first);
    return list;
  }();
  return names;
}

namespace {

std::string Render(const ReportContext& context) {
  const model::Summary& summary = context.summary;
  const ReportStyle& style = context.style;
  std::string text = HeaderView(context);
  std::vector<std::string (*)(const ReportContext&)> of_program;
  std::string whole;
  for (const auto& [name, view] : Views()) {
    const bool wanted = style.views.empty() || std::find(style.views.begin(), style.views.end(),
                                                         name) != style.views.end();
    if (!wanted || (summary.empty && name != "losses" && name != "method")) continue;
    if (!summary.programs.empty() && IsOfProgram(name)) {
      of_program.push_back(view);
    } else {
      whole += view(context);
    }
  }
  text += ProgramsView(context, of_program) + whole;
  for (const auto& [name, view] : MoreViews()) {
    const auto& wanted = style.views;
    if (std::find(wanted.begin(), wanted.end(), name) != wanted.end() && !summary.empty) {
      text += view(context);
    }
  }
  return text + FooterView(context);
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
  std::string line = "\n" + context.terminal.Paint(Tone::kTitle, title);
  if (note.empty()) return line + "\n";
  const size_t indent = DisplayWidth(title) + 2;
  const std::string wrapped = Wrap(note, context.terminal.width, indent);
  return line + "  " + context.terminal.Paint(Tone::kDim, wrapped) + "\n";
}

std::string NoteLine(const ReportContext& context, const std::string& text, Tone tone) {
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
  const std::string text = table->Render(context.terminal, 2);
  std::string names;
  for (const std::string& name : table->left_out()) names += (names.empty() ? "" : ", ") + name;
  if (names.empty()) return text;
  const std::string line = Wrap("left out here: " + names, context.terminal.width, 2);
  return text + "  " + context.terminal.Paint(Tone::kDim, line) + "\n";
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
