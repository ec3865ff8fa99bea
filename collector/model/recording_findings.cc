// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/recording_findings.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <string>

namespace flopsprof::model {
namespace {

std::string WholeText(const std::vector<std::string>& ranks) {
  constexpr size_t kMostRanks = 3;
  const size_t named = std::min(ranks.size(), kMostRanks);
  std::string text = absl::StrJoin(ranks.begin(), ranks.begin() + static_cast<long>(named), ", ");
  if (ranks.size() > named) absl::StrAppend(&text, " and ", ranks.size() - named, " more");
  return absl::StrCat(text, ": recorded whole, others in windows");
}

// What differs; "" = nothing.
std::string DifferenceBetweenRanks(const RecordingSummary& recording) {
  if (!recording.whole_ranks.empty()) return WholeText(recording.whole_ranks);
  for (const WindowSummary& window : recording.windows) {
    if (window.aligned) continue;
    return absl::StrCat("window ", window.number, ": steps differ between ranks");
  }
  return "";
}

void AddWindows(const RecordingSummary& recording, std::vector<Finding>* findings) {
  const std::string difference = DifferenceBetweenRanks(recording);
  if (difference.empty()) return;
  findings->push_back({FindingKind::kWindowsDiffer, "warning",
                       "ranks have not recorded the same steps", difference,
                       recording.budget.has_value()
                           ? "each node has its own budget; compare ranks by steps"
                           : "compare ranks by steps; record again with flopsprof ctl start "
                             "--steps N"});
}

std::string AdviceFor(const BudgetSummary& budget) {
  if (budget.paused_ns > 0) {
    return budget.follows_between
               ? "what modules and hooks cost between windows is above this budget: add "
                 "--no-modules, or allow more"
               : "what a hook costs between windows is above this budget: allow more";
  }
  return budget.spans_job ? "a longer run makes up for its first window, which is what it takes to "
                            "learn; or allow more"
                          : "it ended before it could make up for what it takes to learn: allow "
                            "more";
}

void AddBudget(const RecordingSummary& recording, std::vector<Finding>* findings) {
  const std::optional<BudgetSummary>& budget = recording.budget;
  if (!budget.has_value() || budget->IsKept()) return;
  const std::string process =
      budget->processes > 1 ? absl::StrCat(" of pid ", budget->pid, ", where it is most") : "";
  findings->push_back(
      {FindingKind::kBudgetNotKept, "warning", "--max-overhead was not kept",
       absl::StrFormat("by our estimate %.3g%% of %.0f s%s, of at most %.3g%%",
                       100 * *budget->estimate, static_cast<double>(budget->wall_ns) / 1e9, process,
                       100 * budget->budget),
       AdviceFor(*budget)});
}

}  // namespace

void AddRecordingFindings(const RecordingSummary& recording, std::vector<Finding>* findings) {
  AddWindows(recording, findings);
  AddBudget(recording, findings);
}

}  // namespace flopsprof::model
