// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/model/rank_groups.h"
#include "collector/model/summary.h"

namespace flopsprof::model {

// One entry of `ranks`: `tally` holds the rank's own work.
RankSummary SummarizeRank(const v1::RunInfo& run, const RankGroup& group, const Tally& tally,
                          const SummaryOptions& options);

ProcessSummary SummarizeProcess(const v1::ProcessProfile& process);

// Without GPU times all devices that the rank could see are listed: only one is surely the one
// that was used.
bool DevicesAreThoseInUse(const RankGroup& group, const std::vector<DeviceSummary>& devices);

// How many GPUs the rank worked on; at least 1.
uint32_t DevicesInUse(const RankGroup& group);

}  // namespace flopsprof::model
