// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "collector/model/rank_groups.h"
#include "collector/model/summary.h"

namespace flopsprof::model {

StepsSummary SummarizeSteps(const RankGroups& groups);

// Steps that hold work whose flops are not known.
std::set<uint32_t> StepsWithUnknownWork(const v1::ProcessProfile& process);

// Steps in which something was compiled or tuned. They are left out of all means.
std::set<uint32_t> DisturbedSteps(const v1::ProcessProfile& process);

// Wall time that the steps cover, in ns. Steps of several processes of a rank may overlap; overlaps
// count once.
uint64_t UnionNs(std::vector<std::pair<uint64_t, uint64_t>> intervals);

// Time of one rank's complete steps.
struct StepTime {
  uint64_t wall_ns = 0;
  uint64_t busy_ns = 0;
  uint64_t exposed_communication_ns = 0;
  uint32_t complete = 0;
};
StepTime CompleteSteps(const RankGroup& group);
// Is it one of those that means are over: complete, not step 0 and not disturbed?
bool IsMeasuredStep(const v1::StepRow& row, const std::set<uint32_t>& disturbed);
// The time of the measured steps of a rank.
StepTime MeasuredSteps(const RankGroup& group);

}  // namespace flopsprof::model
