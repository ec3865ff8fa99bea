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

struct ReportStyle {
  // Parts to print, of ReportViews(); empty = all but those that are
  // long ("gradients"). Header and coverage are always printed.
  std::vector<std::string> views = {};
  std::optional<int> depth = {};  // levels of the module tree; absent = what fits, -1 = all
  int top = 10;                   // rows of kernels, calls and steps
  bool fold = true;               // identical layers as one row
  bool totals = false;            // modules as sums, not per step and rank
  bool exact = false;             // counts as exact integers
  // Kernels of the modules and ranges that match, by place and call; absent = of all, by name.
  std::optional<std::regex> focus = {};
};

// Names of the parts, in the order of the report.
const std::vector<std::string>& ReportViews();

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
