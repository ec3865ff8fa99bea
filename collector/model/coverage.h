// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/model/rank_groups.h"
#include "collector/model/summary.h"

namespace flopsprof::model {

// Name of a share of GPU time in summary.json: "exact", "modelled", ...
std::string_view CategoryName(int category);

// A sentence that says what a loss counter means. Empty: the counter is not known here.
std::string_view LossText(std::string_view name);

// What of the coverage is in the rows of a rank.
void AddTimes(const v1::RunInfo& run, const RankGroup& group, Coverage* coverage);

// Which part of the GPU time is explained, what was lost, and why. `coverage` has the times of all
// ranks.
void FinishCoverage(const RunProfile& run, const RankGroups& groups,
                    const std::vector<RankSummary>& ranks, const Tally& total, Coverage* coverage);

}  // namespace flopsprof::model
