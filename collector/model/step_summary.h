// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "collector/model/rank_groups.h"
#include "collector/model/summary.h"

namespace flopsprof::model {

StepsSummary SummarizeSteps(const RankGroups& groups);

// Time of one rank's complete steps.
struct StepTime {
  uint64_t wall_ns = 0;
  uint64_t busy_ns = 0;
  uint64_t exposed_communication_ns = 0;
  uint32_t complete = 0;
};
StepTime CompleteSteps(const RankGroup& group);

}  // namespace flopsprof::model
