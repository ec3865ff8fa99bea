// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "collector/model/finding.h"
#include "collector/model/rank_groups.h"
#include "collector/model/run_profile.h"

namespace flopsprof::model {

// What is wrong or missing in the run as a whole: ranks that several processes claim, ranks from
// which nothing came, agents that have not sent their end. Errors first.
std::vector<RunGap> FindGaps(const RunProfile& run, const RankGroups& groups);

// The findings that say so.
void AddGaps(const std::vector<RunGap>& gaps, std::vector<Finding>* findings);

}  // namespace flopsprof::model
