// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "collector/model/run_profile.h"
#include "collector/model/tally.h"
#include "collector/model/work_figures.h"

namespace flopsprof::model {

// Rows from before step 0 count, unless the user asked for a window of steps.
template <typename Row>
bool InWindow(const v1::RunInfo& run, const Row& row) {
  return row.in_step() || !(run.has_first_step() || run.has_end_step());
}

// True when the process has GPU times at all: CUPTI was ours at least for a while.
bool HasTimes(const v1::ProcessProfile& process);

// True when kernels may have run without being seen: no times, or CUPTI was not ours all along.
bool MayHaveUnseenKernels(const v1::ProcessProfile& process);

// True when launches never got their GPU times, as after a kill: times are lower bounds.
bool LacksTimes(const v1::ProcessProfile& process);

// The own work of every scope of one process. If kernels may have run unseen, the phases in which a
// scope may have launched some are marked. `gradients`: GradientsOf(process).
std::unordered_map<uint32_t, Tally> TallyScopes(const v1::RunInfo& run,
                                                const v1::ProcessProfile& process,
                                                const std::vector<Gradient>& gradients);

// The numbers that are printed for a tally.
Work ToWork(const Tally& tally);

// Adds a process's executed flops by compute type. `steps_only`: calls inside steps;
// `all_phases`: repeated forward passes and an optimizer's own products too, which are no work of
// the model (IsModelWork).
void AddFlopsByType(const v1::RunInfo& run, const v1::ProcessProfile& process, bool steps_only,
                    bool all_phases, std::map<std::string, FlopCount>* by_type);

// Phases whose flops are in MFU.
inline bool IsModelWork(int phase) {
  return phase != v1::PHASE_RECOMPUTE && phase != v1::PHASE_OPTIMIZER;
}

}  // namespace flopsprof::model
