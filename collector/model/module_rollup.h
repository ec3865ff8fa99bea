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

#include "collector/model/module_figures.h"
#include "collector/model/module_paths.h"
#include "collector/model/tally.h"

namespace flopsprof::model {

// Merges the module trees of all processes by path. Add the processes in the order of their
// ranks: class names and parameters are those of the first one that knows them.
class ModuleRollup {
 public:
  // `paths`: of `process`. `tallies`: the own work of every scope. `has_times`: the rank takes part
  // in min, median, max. `claim` tells processes apart that claim the same rank.
  void Add(int rank, int claim, const v1::ProcessProfile& process, const ModulePaths& paths,
           const std::unordered_map<uint32_t, Tally>& tallies, bool has_times);

  // In named_modules() order, "(outside)" last. Their self tallies add up to all that was added.
  std::vector<ModuleSummary> Finish();

 private:
  struct TimeOfRank {
    int rank = 0;
    int claim = 0;
    uint64_t time_ns = 0;
  };

  struct Line {
    ModuleNode node;
    uint64_t calls = 0;
    Tally inclusive;
    Tally self;
    std::vector<TimeOfRank> times;  // some ranks more than once, one after the other
  };

  // Processes that have their lines in common.
  struct Alike {
    std::shared_ptr<const ModulePaths::Lines> their;
    std::vector<Line*> lines;                      // of the whole, in the order of their nodes
    std::unordered_map<uint32_t, Tally> of_scope;  // all of these processes
  };

  Alike& AlikeOf(const v1::ProcessProfile& process, const ModulePaths& paths);
  void MergeNode(const v1::ProcessProfile& process, const ModulePaths& paths, int node, Line* line);
  void AddTallies(const Alike& alike);
  static ModuleSummary Summarize(const Line& line);
  static RankSpread Spread(const Line& line);

  std::map<std::string, Line> lines_;
  Line outside_;
  std::unordered_map<const ModulePaths::Lines*, Alike> alike_;
};

}  // namespace flopsprof::model
