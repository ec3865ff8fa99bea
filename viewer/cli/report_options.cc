// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// The options of `report`: what is shown, of which part of the run, and in which style.

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "viewer/cli/arguments.h"
#include "viewer/cli/define_options.h"
#include "viewer/cli/option_kinds.h"
#include "viewer/report/report.h"

namespace flopsprof::viewer {
namespace {

constexpr int kLeastWidth = 60;
constexpr int kMostWidth = 200;

std::string ViewList() {
  std::string list = "all";
  for (const std::string& view : ReportViews()) list += "," + view;
  return list;
}

// "5", or "5:8" for steps 5 to 7.
bool ParseStepOrRange(const std::string& text, deepspeed::StepRange* range, std::string* error) {
  if (text.find(':') == std::string::npos) {
    if (absl::SimpleAtoi(text, &range->first) && range->first <= kMostNumber) {
      range->end = range->first + 1;
      return true;
    }
    *error = "\"" + text + "\" is no step: they are numbered from 0; A:B takes steps A to B-1";
    return false;
  }
  StepWindowText window;
  if (!ParseStepWindow(text, &window, error)) return false;
  *range = {window.first, window.end};
  return true;
}

struct Style {
  std::optional<deepspeed::Layout> layout;
  bool markdown = false;
};

const std::map<std::string, Style>& Styles() {
  using deepspeed::Layout;
  static const std::map<std::string, Style> styles = {{"flopsprof", {}},
                                                      {"markdown", {std::nullopt, true}},
                                                      {"deepspeed", {Layout::kNewest}},
                                                      {"deepspeed-2022", {Layout::k2022}},
                                                      {"deepspeed-2021-05", {Layout::k2021May}},
                                                      {"deepspeed-2021", {Layout::k2021}},
                                                      {"flops-profiler", {Layout::kMirror}}};
  return styles;
}

void AddStyle(CLI::App* app, ReportOptions* options) {
  std::string list;
  std::vector<std::string> words;
  for (const auto& [word, unused] : Styles()) {
    list += (list.empty() ? "" : "|") + word;
    words.push_back(word);
  }
  app->add_option_function<std::string>(
         "--style",
         [=](const std::string& word) {
           const auto found = Styles().find(word);
           if (found == Styles().end()) {
             throw CLI::ValidationError(ErrorInChoice("--style", word, words, list));
           }
           options->layout = found->second.layout;
           options->markdown = found->second.markdown;
         },
         "style of the report. markdown: tables as GitHub shows them. deepspeed and its older ones "
         "are layouts of DeepSpeed's flops profiler, flops-profiler of the package of that name")
      ->type_name(list);
  app->add_flag(
      "--csv", options->csv,
      "one view as CSV, in seconds, bytes and whole numbers: sums over all steps and ranks; in "
      "steps and timeline of a step; parts of the timeline are worked out from shares");
  app->add_flag("-j,--json", options->json, "print summary.json instead");
  app->add_flag("--detailed,!--no-detailed", options->detailed,
                "with a layout of DeepSpeed: the module tree too (default on)");
  AddNumber(
      app, "--mp-size", 1,
      [options](int size) { options->given.mp_size = static_cast<uint32_t>(size); },
      "with a layout of DeepSpeed: model parallel size, which a run does not record");
  app->add_option_function<std::string>(
         "--step",
         [options](const std::string& text) {
           std::string error;
           if (!ParseStepOrRange(text, &options->page_steps.emplace(), &error)) {
             throw CLI::ValidationError("--step", error);
           }
         },
         "with a layout of DeepSpeed: the page of step N, or of steps A to B-1, numbered from 0; "
         "default all")
      ->type_name("N|A:B");
  app->add_option_function<std::string>(
         "--recompute-fwd-factor",
         [options](const std::string& text) {
           double& factor = options->given.recompute_fwd_factor;
           if (!absl::SimpleAtod(text, &factor) || !(factor >= 0) || factor > kMostNumber) {
             throw CLI::ValidationError("--recompute-fwd-factor",
                                        "\"" + text + "\" is no number from 0 on");
           }
         },
         "with a layout of DeepSpeed: added to the 2 of its formula for the backward (0)")
      ->type_name("NUMBER");
}

void AddWidth(CLI::App* app, ReportOptions* options) {
  AddNumber(
      app, "--width", kLeastWidth, [options](int width) { options->width = width; },
      "columns of the report, 60 to 200; default those of the terminal, else 100", kMostWidth);
}

void AddViews(CLI::App* app, ReportOptions* options) {
  app->add_option_function<std::vector<std::string>>(
         "--view",
         [options](const std::vector<std::string>& views) {
           const std::string known = "," + ViewList() + ",";
           for (const std::string& view : views) {
             if (known.find("," + view + ",") == std::string::npos) {
               throw CLI::ValidationError("--view", "\"" + view + "\" is none of " + ViewList());
             }
             options->views.push_back(view);
           }
         },
         "parts to print, of " + ViewList() +
             "; default what fits two screens; all: everything but gradients")
      ->delimiter(',')
      ->type_name("VIEW,...");
  AddNumber(
      app, "--depth", -1, [options](int depth) { options->depth = depth; },
      "levels of the module tree, -1 for all; default what fits a screen");
  AddNumber(
      app, "--top", 1, [options](int top) { options->top = top; },
      "rows of kernels, calls, steps and ranks (10); classes at each depth of a layout (1)");
  AddChoice<std::optional<SortKey>>(app, "--sort", &options->sort,
                                    "order of the rows: greatest first, names from A on",
                                    {{"time", SortKey::kTime},
                                     {"flops", SortKey::kFlops},
                                     {"rate", SortKey::kRate},
                                     {"calls", SortKey::kCalls},
                                     {"bytes", SortKey::kBytes},
                                     {"params", SortKey::kParams},
                                     {"mfu", SortKey::kMfu},
                                     {"wait", SortKey::kWait},
                                     {"lost", SortKey::kLost},
                                     {"name", SortKey::kName}});
  AddChoice<GroupBy>(
      app, "--group-by", &options->group_by,
      "node: ranks by node; rank: a row for each rank; class: modules by class",
      {{"node", GroupBy::kNode}, {"rank", GroupBy::kRank}, {"class", GroupBy::kClass}});
  app->add_flag("--fold,!--no-fold", options->fold, "identical layers as one row (default on)");
  app->add_flag("--totals", options->totals,
                "modules as sums over all steps and ranks, not per step and rank");
  app->add_flag("--exact", options->exact, "counts as exact integers");
}

void AddParts(CLI::App* app, ReportOptions* options) {
  AddRegex(app, "--focus", &options->focus,
           "kernels of the modules and ranges whose path matches, with phase, steps and call");
  AddRegex(app, "--ignore", &options->ignore,
           "leave out rows whose name matches (modules with all below); a line says how many");
  app->add_option_function<std::string>(
         "--rank",
         [options](const std::string& text) {
           std::string error;
           if (!ParseRankRanges(text, &options->ranks, &error)) {
             throw CLI::ValidationError("--rank", error);
           }
         },
         "these ranks only, in all figures")
      ->type_name("R[,R-R]");
  app->add_option_function<std::string>(
         "--steps",
         [options](const std::string& text) {
           StepWindowText window;
           std::string error;
           if (!ParseStepWindow(text, &window, &error)) {
             throw CLI::ValidationError("--steps", error);
           }
           options->steps = window;
         },
         "steps A to B-1 only: step times, timeline and what a run keeps by step")
      ->type_name("A:B");
}

// The first of the options that is given; "" = none is.
std::string First(std::initializer_list<std::pair<bool, const char*>> given) {
  for (const auto& [is_given, name] : given) {
    if (is_given) return name;
  }
  return "";
}

std::string ErrorInCsv(const ReportOptions& options) {
  if (options.json) return "--csv and --json are two forms: give one";
  if (options.markdown) return "--csv and --style markdown are two forms: give one";
  if (options.views.size() == 1 && options.views[0] == "findings") {
    return "--csv: findings are no table; --json has them";
  }
  if (options.views.size() == 1 && options.views[0] != "all") return "";
  if (options.group_by != GroupBy::kNothing && options.views.empty()) return "";
  return "--csv prints one table: name it, for example --view kernels";
}

// Of a collector there are sums alone, of all ranks and steps.
std::string ErrorInCollector(const ReportOptions& options) {
  if (options.collector.empty()) return "";
  const std::string name = First({{!options.focus.empty(), "--focus"},
                                  {!options.ranks.empty(), "--rank"},
                                  {options.steps.has_value(), "--steps"},
                                  {options.page_steps.has_value(), "--step"},
                                  {options.peaks != model::GivenPeaks(), "--peak"},
                                  {options.raw_names, "--raw-names"}});
  if (name.empty()) return "";
  return "a collector gives sums, and " + name +
         " needs rows: leave it out, or read the run's folder where the collector is";
}

// "" where one of the views has rows to be grouped so.
std::string ErrorInGroups(const ReportOptions& options) {
  if (options.group_by == GroupBy::kNothing || options.views.empty()) return "";
  const bool classes = options.group_by == GroupBy::kClass;
  const std::string grouped = classes ? "modules" : "ranks";
  for (const std::string& view : options.views) {
    if (view == "all" || view == grouped) return "";
  }
  const std::string word = classes ? "class" : options.group_by == GroupBy::kNode ? "node" : "rank";
  return "--group-by " + word + " is for --view " + grouped +
         ": no view that is given has rows by " + word;
}

}  // namespace

std::string ErrorInReport(const ReportOptions& options) {
  if (std::string error = ErrorInCollector(options); !error.empty()) return error;
  if (options.layout.has_value()) {
    const std::string name = First({{!options.views.empty(), "--view"},
                                    {!options.focus.empty(), "--focus"},
                                    {!options.ignore.empty(), "--ignore"},
                                    {options.steps.has_value(), "--steps (--step N, or A:B)"},
                                    {options.sort.has_value(), "--sort"},
                                    {options.group_by != GroupBy::kNothing, "--group-by"},
                                    {options.totals, "--totals"},
                                    {options.exact, "--exact"},
                                    {!options.fold, "--no-fold"},
                                    {options.width.has_value(), "--width"},
                                    {options.csv, "--csv"},
                                    {options.json, "--json"}});
    return name.empty() ? ""
                        : "a layout of DeepSpeed has no " + name + ": leave one of the two out";
  }
  const std::string layout_only =
      First({{!options.detailed, "--no-detailed"},
             {options.given.mp_size.has_value(), "--mp-size"},
             {options.page_steps.has_value(), "--step"},
             {options.given.recompute_fwd_factor != 0, "--recompute-fwd-factor"}});
  if (!layout_only.empty()) {
    return layout_only + " is for a layout of DeepSpeed: give --style deepspeed too";
  }
  if (options.json && options.steps.has_value()) {
    return "summary.json is not kept by step: leave --steps or --json out";
  }
  if (const std::string error = ErrorInGroups(options); !error.empty()) return error;
  return options.csv ? ErrorInCsv(options) : "";
}

void DefineReport(CLI::App* app, ReportOptions* options) {
  SetUsage(
      app,
      "flopsprof report [OPTIONS] RUN\n  flopsprof report [OPTIONS] --collector HOST:PORT [ID]\n"
      "  flopsprof RUN");
  app->add_option(
         "RUN", options->folder,
         "run folder; of a run that is being written its collector is asked, and the folder "
         "read where that is silent for 2 s")
      ->type_name("");
  app->add_option_function<std::string>(
         "--collector",
         [options](const std::string& text) {
           if (!IsHostAndPort(text) && text.rfind("unix:", 0) != 0) {
             throw CLI::ValidationError("--collector",
                                        "\"" + text + "\" is neither HOST:PORT nor unix:PATH");
           }
           options->collector = text;
         },
         "ask this `flopsprof collector` (also unix:PATH; HOST:PORT where it has "
         "--reports-over-tcp), "
         "for the run with the ID that stands in the place of RUN; "
         "default the only one")
      ->type_name("HOST:PORT");
  AddViews(app, options);
  AddParts(app, options);
  AddStyle(app, options);
  AddWidth(app, options);
  AddPeak(app, &options->peaks);
  AddRawNames(app, &options->raw_names);
  AddLook(app, &options->colour, &options->ascii);
  app->footer(
      "Examples:\n"
      "  flopsprof report RUN --view kernels --sort calls --top 30\n"
      "  flopsprof report RUN --view ranks --group-by node\n"
      "  flopsprof report RUN --rank 0,8-15 --ignore 'norm|dropout'\n"
      "  flopsprof report RUN --view timeline --steps 20:21\n"
      "  flopsprof report RUN --view modules --csv > modules.csv\n"
      "  flopsprof report --collector head:4777 slurm-4711.0.0 --view ranks\n"
      "  flopsprof report RUN --style markdown > report.md");
}

}  // namespace flopsprof::viewer
