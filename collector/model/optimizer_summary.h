// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "collector/model/rank_groups.h"
#include "collector/model/summary.h"

namespace flopsprof::model {

// Work of phase optimizer by optimizer, of all ranks together, in the order in which they first
// stepped. What ran in that phase outside of any step() that was seen is in none of them.
std::vector<OptimizerSummary> SummarizeOptimizers(const v1::RunInfo& run, const RankGroups& groups);

}  // namespace flopsprof::model
