// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "collector/base/clock.h"
#include "collector/model/summary_json.h"
#include "viewer/cli/ds_page.h"
#include "viewer/cli/exit_codes.h"
#include "viewer/cli/live_report.h"
#include "viewer/cli/messages.h"
#include "viewer/cli/run_output.h"
#include "viewer/cli/verb_functions.h"
#include "viewer/deepspeed/run_page.h"
#include "viewer/report/focus.h"
#include "viewer/report/selection.h"

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
  if (options.page_steps.has_value()) {
    parts = deepspeed::PartsOfSteps(run.profile, sums.summary, *options.page_steps);
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

// What of the run the report is of, beside its rows.
struct Shown {
  std::string ranks;  // "ranks 0-3 of 512"; "" = all
  std::string steps;
};

// Takes all but the ranks and steps of the options out of the run, and sums the rest; "" or what is
// wrong.
std::string Select(const ReportOptions& options, const model::SummaryOptions& reading,
                   LoadedRun* run, Shown* shown) {
  if (options.ranks.empty() && !options.steps.has_value()) return "";
  if (!options.ranks.empty()) {
    const Selected selected = SelectRanks(options.ranks, &run->profile);
    if (!selected.error.empty()) return selected.error;
    shown->ranks = absl::StrCat(selected.ranks == 1 ? "rank " : "ranks ",
                                RankRangesText(options.ranks), " of ", selected.of);
  }
  if (options.steps.has_value()) {
    const std::string error = SelectSteps(options.steps->first, options.steps->end, &run->profile);
    if (!error.empty()) return error;
    const bool open = options.steps->end == 0xffffffff;
    shown->steps =
        options.steps->end == options.steps->first + 1
            ? absl::StrCat("step ", options.steps->first)
            : absl::StrCat("steps ", options.steps->first,
                           open ? " and later" : absl::StrCat(" to ", options.steps->end - 1));
  }
  const std::map<std::string, std::string> files = run->sums.summary.files;
  run->sums = model::SumRun(run->profile, reading);
  run->sums.summary.files = files;
  return "";
}

// Views that steps A:B have no figures for.
std::string ErrorInViews(const ReportOptions& options) {
  if (!options.steps.has_value()) return "";
  for (const std::string& view : options.views) {
    if (view == "all" || IsViewOfSteps(view)) continue;
    return absl::StrCat("--steps: a run keeps no ", view,
                        " by step; it keeps those of --view steps,timeline");
  }
  return "";
}

ReportStyle StyleOf(const ReportOptions& options, const Shown& shown) {
  constexpr int kTop = 10;
  constexpr int kTopBrief = 5;
  ReportStyle style = {.views = options.views,
                       .depth = options.depth,
                       .fold = options.fold,
                       .totals = options.totals,
                       .exact = options.exact,
                       .sort = options.sort,
                       .group_by = options.group_by,
                       .ranks_shown = shown.ranks,
                       .steps_shown = shown.steps};
  if (style.views.empty() && options.group_by != GroupBy::kNothing) {
    style.views = {options.group_by == GroupBy::kClass ? "modules" : "ranks"};
  }
  if (style.views.empty() && !options.focus.empty()) style.views = {"kernels"};
  // Of some steps little is kept.
  style.brief = style.views.empty() && !options.steps.has_value();
  if (std::find(style.views.begin(), style.views.end(), "all") != style.views.end()) {
    style.views.clear();
  }
  if (options.markdown) style.output = Output::kMarkdown;
  if (options.csv) style.output = Output::kCsv;
  style.top = options.top.value_or(options.csv ? INT_MAX : style.brief ? kTopBrief : kTop);
  if (!options.focus.empty()) style.focus.emplace(options.focus);
  if (!options.ignore.empty()) style.ignore.emplace(options.ignore);
  return style;
}

int PrintReport(const ReportOptions& options, const LoadedRun& run, const Shown& shown) {
  const ReportStyle style = StyleOf(options, shown);
  if (style.focus.has_value() && !AnyInFocus(run.profile, *style.focus)) {
    SayError(absl::StrCat("report: no module or range that launched a kernel matches --focus \"",
                          options.focus, "\""),
             {absl::StrCat("paths are those of: flopsprof report ", options.folder,
                           " --view modules --no-fold --depth=-1")});
    return kExitNothing;
  }
  Terminal terminal = DetectTerminal(STDOUT_FILENO, options.colour, options.ascii);
  if (options.width.has_value()) terminal.width = static_cast<size_t>(*options.width);
  // That of a collector's run is on another machine.
  std::string folder = options.collector.empty() ? options.folder : "";
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  const std::string text = RenderReport(run.sums, run.profile, folder, style, terminal);
  if (text.empty()) {
    SayError(absl::StrCat("report: the run has nothing for --view ",
                          style.views.empty() ? "" : style.views.front()),
             {});
    return kExitNothing;
  }
  WriteAll(STDOUT_FILENO, text);
  return kExitOk;
}

// What an older answer than the newest upload is said with.
void SayAge(const v1::ReportHead& head) {
  if (head.record() == head.newest_record() || head.record_utc_ns() == 0) return;
  const int64_t age_s = (base::Clock::Real().UtcNs() - head.record_utc_ns()) / 1'000'000'000;
  Say(absl::StrCat("report: as of ", std::max<int64_t>(age_s, 0),
                   " s ago: a newer one is being added up by the collector"));
}

LoadedRun FromCollector(CollectorsReport report) {
  SayAge(report.head);
  LoadedRun run;
  run.sums = std::move(report.sums);
  return run;
}

absl::StatusOr<LoadedRun> LoadFromCollector(const ReportOptions& options) {
  absl::StatusOr<CollectorsReport> report = AskCollector(options.collector, options.folder);
  if (report.ok()) return FromCollector(*std::move(report));
  return absl::Status(report.status().code(), absl::StrCat("the collector ", options.collector,
                                                           ": ", report.status().message()));
}

// Of a run that is being written here, from its collector. nullopt: the folder is to be read.
std::optional<LoadedRun> LoadWritten(const ReportOptions& options,
                                     const model::SummaryOptions& reading) {
  if (reading != model::SummaryOptions()) return std::nullopt;
  const WrittenRun written = FindWrittenRun(options.folder);
  if (written.target.empty()) return std::nullopt;
  absl::StatusOr<CollectorsReport> report = AskCollector(written.target, written.run_id);
  if (report.ok()) return FromCollector(*std::move(report));
  Say(absl::StrCat("report: the run's collector gives none (", report.status().message(),
                   "): reading ", options.folder));
  return std::nullopt;
}

absl::StatusOr<LoadedRun> Load(const ReportOptions& options, const model::SummaryOptions& reading) {
  if (!options.collector.empty()) return LoadFromCollector(options);
  const bool selects =
      !options.ranks.empty() || options.steps.has_value() || options.page_steps.has_value();
  if (!options.focus.empty()) return LoadRun(options.folder, reading, store::RunParts::kAll);
  if (!selects) {
    if (std::optional<LoadedRun> written = LoadWritten(options, reading))
      return *std::move(written);
  }
  return LoadRun(options.folder, reading, store::RunParts::kForSummary,
                 selects ? NeedRows::kYes : NeedRows::kNo);
}

}  // namespace

int ReportVerb(const ReportOptions& options) {
  if (options.folder.empty() && options.collector.empty()) {
    SayError("report: which run?", {"usage: flopsprof report RUN", "help: flopsprof help report"});
    return kExitUsage;
  }
  if (const std::string error = ErrorInViews(options); !error.empty()) {
    SayError(absl::StrCat("report: ", error), {});
    return kExitUsage;
  }
  model::SummaryOptions reading;
  reading.peaks = options.peaks;
  reading.raw_names = options.raw_names;
  // Stays until the process ends: giving back so many small pieces takes a tenth of the whole time.
  static absl::StatusOr<LoadedRun>* kept = nullptr;
  kept = new absl::StatusOr<LoadedRun>(Load(options, reading));
  absl::StatusOr<LoadedRun>& run = *kept;
  if (!run.ok()) {
    const bool asked = !options.collector.empty();
    SayError(
        absl::StrCat("report: ", run.status().message()),
        {asked ? "a collector is what `flopsprof collector --listen` starts"
               : "a run folder is what flopsprof-run writes: flopsprof-JOB-TIME or the -o DIR"});
    return absl::IsPermissionDenied(run.status()) ? kExitNotPermitted : kExitNothing;
  }
  Shown shown;
  if (!run->sums.summary.empty) {
    if (const std::string error = Select(options, reading, &*run, &shown); !error.empty()) {
      SayError(absl::StrCat("report: ", error), {});
      return kExitNothing;
    }
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
  return PrintReport(options, *run, shown);
}

}  // namespace flopsprof::viewer
