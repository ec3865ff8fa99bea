// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "collector/model/rank_groups.h"
#include "collector/model/run_profile.h"

namespace flopsprof::model {

// The life of a process: from its start to the latest time at which it is known to have lived. The
// agent tells this time; it is at least the length of the process's steps and GPU work. UTC of its
// node; 0: not known. Where the process has epochs, also on the clock of one boot of its node,
// which nobody sets; boot 0: not known, or of several boots.
struct Life {
  int64_t begin_ns = 0;
  int64_t until_ns = 0;
  uint64_t boot = 0;
  int64_t begin_mono_ns = 0;
  int64_t until_mono_ns = 0;
};
Life LifeOf(const v1::ProcessProfile& process);

// True if two lives with a known beginning overlapped for longer than the clocks of two nodes may
// differ (2 s), or for half of the shorter life. Lives of one boot are compared on its clock: so
// long an agent may take to hear of an end. Others are compared by UTC.
bool LivedTogether(const Life& a, const Life& b);

// Tells processes apart that claim the same rank and restart. A family (a process and those that it
// started) is one claim. Processes that ran one after the other on a node are one claim too. All
// others have one each. Ask for each process once, in the order of their starts.
class RankClaims {
 public:
  explicit RankClaims(const RunProfile& run);

  int ClaimOf(const v1::ProcessProfile& process);

  // The outermost process around it that says the same rank.
  const v1::ProcessProfile* FamilyOf(const v1::ProcessProfile* process) const;

 private:
  using Process = const v1::ProcessProfile*;
  struct Claim {
    std::string node;
    std::set<Process> families;
    Life life;  // of all of them
  };

  std::map<std::pair<std::string, int32_t>, std::vector<Process>> by_pid_;
  std::map<std::pair<int, int>, std::vector<Claim>> claims_;  // by rank, restart
};

// Pairs of claims of one rank that lived at the same time, the earlier one and the later one. If
// their lives are not known, claims of one restart are taken to have lived at the same time.
std::vector<RankConflict> FindConflicts(const std::vector<RankGroup>& ranks);

}  // namespace flopsprof::model
