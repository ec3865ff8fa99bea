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

// From the start of a process to the newest moment at which it is known to have lived: what the
// agent says, at least its steps' and its GPU work's length. UTC of its node; 0: not known.
struct Life {
  int64_t begin_ns = 0;
  int64_t until_ns = 0;
};
Life LifeOf(const v1::ProcessProfile& process);

// True where two lives of which the beginning is known lay in one another for longer than the
// clocks of two nodes may differ (2 s), or for half of the shorter.
bool LivedTogether(const Life& a, const Life& b);

// Tells the processes that say the same rank and restart apart: a family (a process and those that
// it started) and processes that came one after the other on a node are one claim, others have one
// each. Ask for each process once, in the order of their starts.
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

// Claims of one rank that lived at the same time, each with one that was there before. Where
// nothing is known of their lives, claims of one restart did.
std::vector<RankConflict> FindConflicts(const std::vector<RankGroup>& ranks);

}  // namespace flopsprof::model
