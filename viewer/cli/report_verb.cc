// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "collector/model/summary_json.h"
#include "viewer/cli/exit_codes.h"
#include "viewer/cli/messages.h"
#include "viewer/cli/run_output.h"
#include "viewer/cli/verb_functions.h"
#include "viewer/report/focus.h"

namespace flopsprof::viewer {

int ReportVerb(const ReportOptions& options) {
  if (options.folder.empty()) {
    SayError("report: which run?", {"usage: flopsprof report RUN", "help: flopsprof help report"});
    return kExitUsage;
  }
  model::SummaryOptions reading;
  reading.peaks = options.peaks;
  reading.raw_names = options.raw_names;
  const absl::StatusOr<LoadedRun> run = LoadRun(options.folder, reading);
  if (!run.ok()) {
    SayError(absl::StrCat("report: ", run.status().message()),
             {"a run folder is what flopsprof-run writes: flopsprof-JOB-TIME or the -o DIR"});
    return absl::IsPermissionDenied(run.status()) ? kExitNotPermitted : kExitNothing;
  }
  if (options.json) {
    const std::string text = model::ToJson(run->summary);
    WriteAll(STDOUT_FILENO, text + (text.empty() || text.back() != '\n' ? "\n" : ""));
    return run->summary.empty ? kExitNothing : kExitOk;
  }
  if (run->summary.empty) {
    Say(EmptyReason(run->summary));
    return kExitNothing;
  }
  std::optional<std::regex> focus;
  if (!options.focus.empty()) {
    focus.emplace(options.focus);
    if (!AnyInFocus(run->profile, *focus)) {
      SayError(absl::StrCat("report: no module or range that launched a kernel matches --focus \"",
                            options.focus, "\""),
               {absl::StrCat("paths are those of: flopsprof report ", options.folder,
                             " --view modules --no-fold --depth=-1")});
      return kExitNothing;
    }
  }
  const ReportStyle style = {.views = options.views,
                             .depth = options.depth,
                             .top = options.top,
                             .fold = options.fold,
                             .totals = options.totals,
                             .exact = options.exact,
                             .focus = focus};
  const Terminal terminal = DetectTerminal(STDOUT_FILENO, options.colour, options.ascii);
  std::string folder = options.folder;
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  WriteAll(STDOUT_FILENO, RenderReport(run->summary, run->profile, folder, style, terminal));
  return kExitOk;
}

}  // namespace flopsprof::viewer
