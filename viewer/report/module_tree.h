// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collector/model/summary.h"
#include "viewer/report/report.h"

namespace flopsprof::viewer {

// One line of the module tree as it is printed: a module, several identical ones folded into one,
// or the part of a module's work that none of its children did.
struct TreeRow {
  std::string label;  // "conv1", "layers[0-31]", "(itself)"
  std::string class_name;
  std::string mark;  // "on CPU", "same structure", "also b.proj"; "" = none
  uint32_t depth = 0;
  // One entry per level above: does that ancestor have a later sibling? For drawing the lines.
  std::vector<bool> open_levels;
  bool is_last = true;      // among its siblings
  size_t module_count = 1;  // folded into this line

  std::optional<uint64_t> params;
  std::optional<uint64_t> calls;
  model::PhaseCounts flops;
  model::PhaseTimes gpu_time_ns;
  model::PhaseFlags time_incomplete = {};
  uint64_t unknown_gpu_time_ns = 0;
  std::optional<double> flop_per_s;
  bool any_modelled = false;
  // Longest GPU time of the folded modules over the shortest; absent for one module.
  std::optional<double> spread;
};

struct TreeOptions {
  bool fold = true;
  int max_depth = -1;  // levels below the top; -1 = all
  // Neighbours by this, the greatest first; absent = in the order of the model.
  std::optional<SortKey> sort = {};
  size_t max_rows = 0;  // with max_depth -1: the deepest tree of at most so many rows; 0 = all
};

struct ModuleTree {
  std::vector<TreeRow> rows;
  bool cut = false;  // deeper levels exist
};

// Where `path` is in the tree: the nearest module above it that is listed, by its index, and its
// name below that. Absent: it is at the top, as are paths in parentheses.
std::optional<size_t> ParentOf(std::string_view path,
                               const std::map<std::string_view, size_t>& by_path,
                               std::string* name);

// Lines for `modules` (in named_modules() order, as the summary has them). Neighbours whose names
// are numbers and whose whole subtrees have the same classes, parameters and flops are folded.
ModuleTree BuildModuleTree(const std::vector<model::ModuleSummary>& modules,
                           const TreeOptions& options);

}  // namespace flopsprof::viewer
