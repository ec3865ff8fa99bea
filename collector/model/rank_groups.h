// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "collector/model/run_profile.h"

namespace flopsprof::model {

// The GPU processes of one (program, rank, restart, node). More than one when a rank's child used
// the GPU too, or when it ran again, one after the other. Processes that are no family and lived at
// the same time are groups of their own.
struct RankGroup {
  int program = 0;
  int rank = 0;
  int restart = 0;
  // 0, or how many groups before this one have its rank and restart.
  int claim = 0;
  std::string label;  // RankSummary::label
  // First: the oldest, whose identity the rank has.
  std::vector<const v1::ProcessProfile*> processes;
};

// Two groups that claim one rank and lived at the same time: positions in RankGroups::ranks.
struct RankConflict {
  size_t first = 0;
  size_t second = 0;
};

struct RankGroups {
  std::vector<RankGroup> ranks;  // by program, rank, restart, start
  std::vector<RankConflict> conflicts;
  std::vector<const v1::ProcessProfile*> others;
  // Ranks that no launcher gave, of programs of several: numbered by node and start time.
  int numbered = 0;
  // The programs by number: did a launcher give their ranks? programs.h says what one is.
  std::map<int, bool> launched;
};

// True when the process launched GPU work or made a library call.
bool UsedGpu(const v1::ProcessProfile& process);

// True when --steps asked for steps that no process came to, so that nothing was recorded.
bool WindowWasNotReached(const RunProfile& run);

// Independent of the order of `run.processes`. A process without a rank has the smallest number
// that is free in the run.
RankGroups GroupByRank(const RunProfile& run);

// The processes of all ranks.
std::vector<const v1::ProcessProfile*> ProcessesOf(const RankGroups& groups);

// "exited", "signal 9", "lost" or "running".
std::string StateText(const v1::ProcessInfo& info);

}  // namespace flopsprof::model
