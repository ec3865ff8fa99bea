// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "collector/model/rank_groups.h"
#include "collector/model/tally.h"

namespace flopsprof::model {

// One step of one process of a rank. When its phases ran within it is not recorded.
struct RankStep {
  int rank = 0;
  uint32_t devices = 1;
  uint64_t wall_ns = 0;
  uint64_t busy_ns = 0;                // of all its devices
  std::optional<uint64_t> exposed_ns;  // communication while nothing else ran; absent: not known
  std::array<uint64_t, kPhaseCount> gpu_time_ns = {};  // sums of durations, by phase
};

// One step of all ranks, chosen as the typical one.
struct StepPicture {
  uint32_t step = 0;
  bool measured = false;        // it is one of those that median and p95 are over
  std::vector<RankStep> ranks;  // by rank; complete ones
};

// Takes the steps that most ranks have measured (complete ones where none is measured). Of these it
// picks the step whose slowest rank is the median; of two, the earlier. Empty without any step.
StepPicture TypicalStep(const std::vector<const RankGroup*>& ranks);

}  // namespace flopsprof::model
