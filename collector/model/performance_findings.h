// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "collector/model/summary.h"

namespace flopsprof::model {

// What the steps of the job lose, with the numbers that show it, what to do, and what it would gain
// at most; the most first. Below 2 % of the step's time nothing is said. Reads the finished rest of
// the summary.
void AddPerformanceFindings(const Summary& summary, std::vector<Finding>* findings);

// StepsSummary::bound_by. Reads the findings.
std::string BoundBy(const Summary& summary);

}  // namespace flopsprof::model
