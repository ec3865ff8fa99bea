// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "collector/model/rank_groups.h"
#include "collector/model/summary.h"

namespace flopsprof::model {

// Where the wall time of the measured steps went. Absent: there are none, or the times of some GPU
// work are not known.
std::optional<StepParts> PartsOfSteps(const RankGroups& groups, const Totals& totals);

// Which modules the rank has: equal for ranks that have the same paths and classes. 0: none is
// known. Needs all rows.
uint64_t ModelsOf(const RankGroup& group);
// Did ranks send messages to each other, as stages of a pipeline do?
bool HasMessages(const std::vector<CollectiveSummary>& collectives);
// Positions of the ranks with the same number, in the order of their first ones.
std::vector<std::vector<size_t>> StagesOf(const std::vector<uint64_t>& models);

// Absent where ranks cannot be compared (StepsSummary::uneven). Of several stages the rank that is
// furthest from the others of its own.
std::optional<UnevenRanks> CompareRanks(const RankGroups& groups, const Totals& totals,
                                        const std::vector<std::vector<size_t>>& stages);
// Absent also with a single stage.
std::optional<UnevenStages> CompareStages(const RankGroups& groups, const Totals& totals,
                                          const std::vector<std::vector<size_t>>& stages);

}  // namespace flopsprof::model
