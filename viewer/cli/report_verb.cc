// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "collector/model/summary_json.h"
#include "viewer/cli/ds_page.h"
#include "viewer/cli/exit_codes.h"
#include "viewer/cli/messages.h"
#include "viewer/cli/run_output.h"
#include "viewer/cli/verb_functions.h"
#include "viewer/deepspeed/run_page.h"
#include "viewer/report/focus.h"

namespace flopsprof::viewer {
namespace {

// In a layout of DeepSpeed.
int PrintPage(const ReportOptions& options, const LoadedRun& run) {
  const model::RunSums& sums = run.sums;
  const std::string error = deepspeed::ErrorInSizes(sums, options.given);
  if (!error.empty()) {
    SayError("report: " + error, {"help: flopsprof help report"});
    return kExitUsage;
  }
  std::optional<deepspeed::StepParts> parts;
  if (options.steps.has_value()) {
    parts = deepspeed::PartsOfSteps(run.profile, sums.summary, *options.steps);
    if (parts->run.rank_steps == 0) {
      SayError(absl::StrCat("report: --step: ", RecordedStepsText(sums.summary.steps)),
               {"the page of all steps: leave --step out"});
      return kExitNothing;
    }
  }
  // What each version has without an argument.
  const int usual_top = *options.layout == deepspeed::Layout::k2021 ? 3 : 1;
  const std::string page = deepspeed::RunPage(sums,
                                              {.layout = *options.layout,
                                               .module_depth = options.depth.value_or(-1),
                                               .top_modules = options.top.value_or(usual_top),
                                               .detailed = options.detailed},
                                              options.given, parts ? &*parts : nullptr);
  if (page.empty()) {
    SayError("report: no module was seen, and a layout of DeepSpeed is one of modules",
             {absl::StrCat("what was seen: flopsprof report ", options.folder)});
    return kExitNothing;
  }
  WriteAll(STDOUT_FILENO, page);
  return kExitOk;
}

}  // namespace

int ReportVerb(const ReportOptions& options) {
  if (options.folder.empty()) {
    SayError("report: which run?", {"usage: flopsprof report RUN", "help: flopsprof help report"});
    return kExitUsage;
  }
  model::SummaryOptions reading;
  reading.peaks = options.peaks;
  reading.raw_names = options.raw_names;
  const auto parts = options.focus.empty() ? store::RunParts::kForSummary : store::RunParts::kAll;
  // Stays until the process ends: giving back so many small pieces takes a tenth of the whole time.
  static const absl::StatusOr<LoadedRun>* kept = nullptr;
  kept = new absl::StatusOr<LoadedRun>(LoadRun(
      options.folder, reading, parts, options.steps.has_value() ? Kept::kRows : Kept::kSums));
  const absl::StatusOr<LoadedRun>& run = *kept;
  if (!run.ok()) {
    SayError(absl::StrCat("report: ", run.status().message()),
             {"a run folder is what flopsprof-run writes: flopsprof-JOB-TIME or the -o DIR"});
    return absl::IsPermissionDenied(run.status()) ? kExitNotPermitted : kExitNothing;
  }
  if (options.json) {
    const std::string text = model::ToJson(run->sums.summary);
    WriteAll(STDOUT_FILENO, text + (text.empty() || text.back() != '\n' ? "\n" : ""));
    return run->sums.summary.empty ? kExitNothing : kExitOk;
  }
  if (run->sums.summary.empty) {
    Say(EmptyReason(run->sums.summary));
    return kExitNothing;
  }
  if (options.layout.has_value()) return PrintPage(options, *run);
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
                             .top = options.top.value_or(10),
                             .fold = options.fold,
                             .totals = options.totals,
                             .exact = options.exact,
                             .focus = focus};
  const Terminal terminal = DetectTerminal(STDOUT_FILENO, options.colour, options.ascii);
  std::string folder = options.folder;
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  WriteAll(STDOUT_FILENO, RenderReport(run->sums, run->profile, folder, style, terminal));
  return kExitOk;
}

}  // namespace flopsprof::viewer
