// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "collector/model/module_paths.h"
#include "collector/model/row_figures.h"
#include "collector/model/run_profile.h"

namespace flopsprof::model {

// Collectives of all ranks by function, group, phase and module. Call NoteGroups for every process
// before Add for any: which ranks a group has is known from all of them together.
class CollectiveSums {
 public:
  void NoteGroups(int rank, const v1::ProcessProfile& process);
  void Add(const v1::RunInfo& run, const v1::ProcessProfile& process, const ModulePaths& paths);

  // Longest GPU time first.
  std::vector<CollectiveSummary> Finish() const;

 private:
  // Ranks of the job as a text: "0-3,8"; "" when the group is not known.
  const std::string& RanksText(uint64_t group);

  std::map<uint64_t, std::set<int>> ranks_of_group_;
  std::map<uint64_t, std::string> text_of_group_;
  std::map<std::vector<std::string>, CollectiveSummary> sums_;
};

// "0-3,8".
std::string RanksText(const std::set<int>& ranks);

}  // namespace flopsprof::model
