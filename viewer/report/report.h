// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "collector/model/run_profile.h"
#include "collector/model/run_sums.h"
#include "viewer/report/terminal.h"

namespace flopsprof::viewer {

// What tables are written as. CSV has one table and nothing else.
enum class Output { kText, kMarkdown, kCsv };

// What rows are ordered by, the greatest first; names from A on. Rows where it is not known last.
enum class SortKey { kTime, kFlops, kRate, kCalls, kBytes, kParams, kMfu, kWait, kLost, kName };

// Rows of ranks by node, or all of them; rows of modules by class.
enum class GroupBy { kNothing, kNode, kRank, kClass };

struct ReportStyle {
  // Parts to print, of ReportViews(); empty = all but those that are
  // long ("gradients"). Header and coverage are always printed.
  std::vector<std::string> views = {};
  bool brief = false;             // with no `views`: what a reader needs first, on two screens
  std::optional<int> depth = {};  // levels of the module tree; absent = what fits, -1 = all
  int top = 10;                   // rows of kernels, calls and steps
  bool fold = true;               // identical layers as one row
  bool totals = false;            // modules as sums, not per step and rank
  bool exact = false;             // counts as exact integers
  // Kernels of the modules and ranges that match, by place and call; absent = of all, by name.
  std::optional<std::regex> focus = {};
  std::optional<std::regex> ignore = {};  // rows whose name matches are left out, and counted
  std::optional<SortKey> sort = {};       // absent = as each table is best read
  GroupBy group_by = GroupBy::kNothing;
  Output output = Output::kText;
  // What of the run the sums are made from, as "ranks 0-3 of 512"; "" = all of it. Of some steps
  // only figures that are kept by step are shown.
  std::string ranks_shown = {};
  std::string steps_shown = {};
};

// Names of the parts, in the order of the report.
const std::vector<std::string>& ReportViews();
// Is this part made from figures that are kept by step?
bool IsViewOfSteps(const std::string& view);

// The report as text for `terminal`. `run` is what the sums were made from; only a report with a
// focus reads it. `folder` is named in the last lines; "" = none. Pure.
std::string RenderReport(const model::RunSums& sums, const model::RunProfile& run,
                         const std::string& folder, const ReportStyle& style,
                         const Terminal& terminal);
// The same of a summary, with the sums of `run` beside it.
std::string RenderReport(const model::Summary& summary, const model::RunProfile& run,
                         const std::string& folder, const ReportStyle& style,
                         const Terminal& terminal);

// The one line that an empty result gets: "nothing to report: ...".
std::string EmptyReason(const model::Summary& summary);

}  // namespace flopsprof::viewer
