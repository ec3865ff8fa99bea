// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "collector/model/rank_groups.h"
#include "collector/model/summary.h"

namespace flopsprof::model {

// Where the wall time of the measured steps went. Absent: there are none, or the times of some GPU
// work are not known.
std::optional<StepParts> PartsOfSteps(const RankGroups& groups, const Totals& totals);
// Absent where ranks cannot be compared (StepsSummary::uneven).
std::optional<UnevenRanks> CompareRanks(const RankGroups& groups, const Totals& totals);

// What the steps of the job lose, with the numbers that show it, what to do, and what it would gain
// at most; the most first. Below 2 % of the step's time nothing is said. Reads the finished rest of
// the summary.
void AddPerformanceFindings(const Summary& summary, std::vector<Finding>* findings);

}  // namespace flopsprof::model
