// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "viewer/cli/doctor_checks.h"
#include "viewer/cli/exit_codes.h"
#include "viewer/cli/install.h"
#include "viewer/cli/messages.h"
#include "viewer/cli/verb_functions.h"
#include "viewer/report/text.h"

namespace flopsprof::viewer {
namespace {

const char* StateName(CheckState state) {
  switch (state) {
    case CheckState::kGood:
      return "ok";
    case CheckState::kNote:
      return "note";
    case CheckState::kWarning:
      return "warning";
    case CheckState::kBad:
      return "missing";
  }
  return "";
}

void PrintJson(const std::vector<Check>& checks) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  for (const Check& check : checks) {
    nlohmann::ordered_json row = {{"name", CleanText(check.name)},
                                  {"state", StateName(check.state)},
                                  {"found", CleanText(check.found)}};
    if (!check.next.empty()) row["next"] = CleanText(check.next);
    rows.push_back(std::move(row));
  }
  const nlohmann::ordered_json all = {{"version", Version()}, {"checks", rows}};
  WriteAll(STDOUT_FILENO, all.dump(2) + "\n");
}

void PrintText(const std::vector<Check>& checks, const Terminal& terminal) {
  size_t widest = 0;
  for (const Check& check : checks) widest = std::max(widest, DisplayWidth(check.name));
  std::string text =
      terminal.Paint(Tone::kTitle, "flopsprof doctor") + "  version " + Version() + "\n\n";
  const size_t indent = widest + 6;
  for (const Check& check : checks) {
    const char* mark = terminal.utf8 ? "✓" : "+";
    Tone tone = Tone::kGood;
    if (check.state == CheckState::kNote) mark = ".", tone = Tone::kPlain;
    if (check.state == CheckState::kWarning) mark = "!", tone = Tone::kWarning;
    if (check.state == CheckState::kBad) mark = terminal.utf8 ? "✗" : "x", tone = Tone::kBad;
    text += "  " + terminal.Paint(tone, mark) + " " + PadRight(check.name, widest) + "  " +
            Wrap(terminal.Clean(check.found), terminal.width, indent) + "\n";
    if (!check.next.empty()) {
      text += std::string(indent, ' ') +
              terminal.Paint(Tone::kDim, "next: " + Wrap(terminal.Clean(check.next), terminal.width,
                                                         indent + 6)) +
              "\n";
    }
  }
  WriteAll(STDOUT_FILENO, text);
}

}  // namespace

int DoctorVerb(const DoctorOptions& options) {
  const std::vector<Check> checks = RunChecks(options.python);
  if (options.json) {
    PrintJson(checks);
  } else {
    PrintText(checks, DetectTerminal(STDOUT_FILENO, options.colour, options.ascii));
  }
  return kExitOk;
}

}  // namespace flopsprof::viewer
