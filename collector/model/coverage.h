// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/model/rank_groups.h"
#include "collector/model/summary.h"

namespace flopsprof::model {

// Name of a share of GPU time in summary.json: "exact", "modelled", ...
std::string_view CategoryName(int category);

// What a counter of losses means; empty: nothing is known of it.
std::string_view LossText(std::string_view name);

// Which part of the GPU time is explained, what was lost, and why.
Coverage SummarizeCoverage(const RunProfile& run, const RankGroups& groups,
                           const std::vector<RankSummary>& ranks, const Tally& total);

}  // namespace flopsprof::model
