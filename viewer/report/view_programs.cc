// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// The programs of a job, where it is several: each with its own figures, steps and modules.

#include <algorithm>

#include "viewer/report/csv.h"
#include "viewer/report/markdown.h"
#include "viewer/report/text.h"
#include "viewer/report/views.h"

namespace flopsprof::viewer {
namespace {

constexpr size_t kMostPrograms = 12;

std::string Head(const ReportContext& context, const model::ProgramSummary& program) {
  const std::string name = "program " + std::to_string(program.number);
  std::string facts;
  if (program.launched) {
    facts = Plural(program.own.ranks.size(), "rank");
  } else if (program.processes.size() > 1) {
    facts = Plural(program.processes.size(), "process", "processes");
  } else if (!program.processes.empty()) {
    facts = "pid " + std::to_string(program.processes.front().pid) + ", " +
            context.terminal.Clean(program.state);
    if (program.state == "exited" && program.exit_code.has_value()) {
      facts += " " + std::to_string(*program.exit_code);
    }
  }
  const std::string command =
      "$ " + ShortenMiddle(context.terminal.Clean(program.command), context.terminal.width - 2,
                           context.terminal.utf8);
  if (context.style.output == Output::kMarkdown) {
    return "\n## " + MarkdownText(name + "  " + facts) + "\n\n" + MarkdownText(command) + "\n";
  }
  return "\n" + context.terminal.Paint(Tone::kTitle, "== " + name + "  " + facts + " ==") + "\n" +
         context.terminal.Paint(Tone::kDim, command) + "\n";
}

ReportContext ContextOf(const ReportContext& context, size_t program) {
  return {context.summary.programs[program].own,
          context.sums.programs[program],
          context.run,
          context.folder,
          context.style,
          context.terminal};
}

}  // namespace

std::string CsvOfPrograms(const ReportContext& context, std::string (*view)(const ReportContext&)) {
  std::vector<CsvRows> tables;
  for (size_t i = 0; i < context.summary.programs.size(); ++i) {
    tables.push_back(RowsOfCsv(view(ContextOf(context, i))));
    for (size_t row = 0; row < tables.back().size(); ++row) {
      const std::string program = std::to_string(context.summary.programs[i].number);
      std::vector<std::string>& fields = tables.back()[row];
      fields.insert(fields.begin(), row == 0 ? "program" : program);
    }
  }
  return JoinedCsv(tables);
}

std::string ProgramsView(const ReportContext& context,
                         const std::vector<std::string (*)(const ReportContext&)>& views) {
  std::string text;
  if (views.empty()) return text;
  for (size_t i = 0; i < context.summary.programs.size(); ++i) {
    const model::ProgramSummary& program = context.summary.programs[i];
    if (i >= kMostPrograms) {
      return text + "\n" + Plural(context.summary.programs.size() - kMostPrograms, "more program") +
             " in summary.json\n";
    }
    const ReportContext own = ContextOf(context, i);
    const bool markdown = context.style.output == Output::kMarkdown;
    text += Head(context, program);
    text += markdown ? "\n" + MarkdownLines(SpeedLine(own)) : SpeedLine(own);
    for (const auto view : views) text += view(own);
  }
  return text;
}

}  // namespace flopsprof::viewer
