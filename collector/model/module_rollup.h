// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collector/model/module_paths.h"
#include "collector/model/summary.h"
#include "collector/model/tally.h"

namespace flopsprof::model {

// Merges the module trees of all processes by path. Add the processes in the order of their
// ranks: class names and parameters are those of the first one that knows them.
class ModuleRollup {
 public:
  // `tallies`: what every scope did itself. `has_times`: the rank takes part in min, median, max.
  // `claim`: tells those that say the same rank apart.
  void Add(int rank, int claim, const ModulePaths& paths,
           const std::unordered_map<uint32_t, Tally>& tallies, bool has_times);

  // In named_modules() order, "(outside)" last. Their self tallies add up to all that was added.
  std::vector<ModuleSummary> Finish() const;

 private:
  using RankId = std::pair<int, int>;  // rank, claim

  struct Line {
    ModuleNode node;
    Tally inclusive;
    Tally self;
    std::map<RankId, uint64_t> time_of_rank_ns;
  };

  static ModuleSummary Summarize(const Line& line);

  std::map<std::string, Line> lines_;
  Line outside_;
};

}  // namespace flopsprof::model
