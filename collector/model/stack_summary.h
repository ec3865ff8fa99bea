// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "collector/model/rank_groups.h"
#include "collector/model/summary.h"

namespace flopsprof::model {

// The frames of v1::Stack.frames, outermost first.
std::vector<StackFrameSummary> ParseStackFrames(const std::string& text);

// Sampled stacks of all ranks, equal ones together: longest GPU time first, then most launches.
void SummarizeStacks(const RankGroups& groups, size_t max_stacks, bool raw_names, Summary* summary);

}  // namespace flopsprof::model
