// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "collector/model/flops/flop_count.h"
#include "collector/model/module_placement.h"
#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::model {

inline constexpr std::string_view kOutsidePath = "(outside)";

// Numbers of elements of the parameters of a module and of all modules below it. Each parameter
// counts once, and in full where ranks hold parts of it.
struct ParameterSizes {
  uint64_t own = 0;        // the module's own: not those of its children
  uint64_t trainable = 0;  // of all; the rest is frozen
  uint64_t local = 0;      // of all: held by the first rank
  uint64_t buffers = 0;
  uint64_t experts = 0;  // of all: a router chooses among them
  uint64_t active = 0;   // of all: work on one token; 0 = not known
  uint64_t bytes = 0;
};

// One line of the module tree of one process.
struct ModuleNode {
  std::string path;
  std::string parent_path;  // of the line above; equal to path for a line at the top
  std::string class_name;   // "" when not known
  uint32_t depth = 0;
  // Position among its siblings.
  uint64_t order = 0;
  // Parameters of the module and all below it; absent when Python did not tell.
  std::optional<uint64_t> params;
  std::optional<ParameterSizes> sizes;  // present when `params` is
  Placement placement = Placement::kNotTold;
  // Set for another model with the same structure as the main one: path of the main one.
  std::optional<std::string> copy_of;
  // Further paths of the same module.
  std::vector<std::string> aliases;
};

// Maps the scopes of one process to module paths: wrappers folded, modules shared between two
// parents under the path that named_modules() gives them, the root that trained (most flops in the
// backward; without one, most flops) "", other roots "(Class)", "(Class)#2". Objects that were at
// one path in turn have lines of their own, "q", "q#2". A process without modules gets its ranges
// as the tree, joined by "." like modules, the first 8192 of them. Immutable once built; safe to
// read from several threads.
class ModulePaths {
 public:
  static constexpr int kOutside = -1;

  // The lines of a process and where its scopes are in them: what processes of one shape
  // (SharedPaths::Shape) with one main root have in common.
  struct Lines;

  // The models that a process called from outside any module.
  struct Roots;

  // `raw_names`: wrappers are not folded. `main_class`: a root of this class is the main one, where
  // there is one (MainClassOf).
  explicit ModulePaths(const v1::ProcessProfile& process, bool raw_names = false,
                       const std::string& main_class = "");
  // With the lines of a process that has them in common with this one.
  ModulePaths(const v1::ProcessProfile& process, std::shared_ptr<const Lines> lines);

  // The class of the roots that trained most, summed over all processes (without a backward: that
  // did most work). With it, ranks that have different shares of several models agree on the main
  // one. Empty for fewer than two processes.
  static std::string MainClassOf(const std::vector<const v1::ProcessProfile*>& processes);

  static Roots FindRoots(const v1::ProcessProfile& process, bool raw_names);

  const std::shared_ptr<const Lines>& lines() const { return lines_; }

  // Lines that were called, have work, or are above such a line. Not sorted. SizesOf tells how many
  // of the parameters are local (`sizes`).
  const std::vector<ModuleNode>& nodes() const;

  // Calls of a line, repetitions of the forward pass by recomputation left out.
  uint64_t CallsOf(int node) const { return calls_[static_cast<size_t>(node)]; }

  // Sizes of a line in `process`, the one that these are the paths of.
  std::optional<ParameterSizes> SizesOf(const v1::ProcessProfile& process, int node) const;

  // Index of the line to which the work of a scope belongs directly, or kOutside.
  int NodeOf(uint32_t scope) const;

  // NodeOf(scope) and every line that includes it, each once. Empty for kOutside.
  const std::vector<int>& ChainOf(uint32_t scope) const;

  // True when a scope id was never described: its work is then outside.
  bool IsUndescribed(uint32_t scope) const;

  bool has_modules() const;

  // Ranges whose work is in a line "(other)", because there were too many for lines of their own.
  uint64_t ranges_without_line() const;

  // Times that a module had no line of its own, because there were too many or it is too deep: its
  // work is in the line above.
  uint64_t modules_without_line() const;

 private:
  void CountCalls(const v1::ProcessProfile& process);

  std::shared_ptr<const Lines> lines_;
  std::vector<uint64_t> calls_;  // by line
};

struct ModulePaths::Lines {
  struct Place {
    int node = kOutside;
    std::vector<int> chain;
  };

  bool has_modules = false;
  uint64_t ranges_without_line = 0;
  uint64_t modules_without_line = 0;
  std::vector<ModuleNode> nodes;
  std::vector<int> sizes_row;  // of a line: row of module_sizes that has its sizes; -1 = none
  std::unordered_map<uint32_t, Place> places;
  // Calls of these scopes are added up in that counter; a line has the largest of its counters.
  std::unordered_map<uint32_t, size_t> counter_of_scope;
  std::vector<int> line_of_counter;
};

struct ModulePaths::Roots {
  // One that lies in no other.
  struct Outer {
    std::string folded_class;  // of the model inside all wrappers
    std::string class_name;    // the same; with raw_names the outermost's
    uint64_t params = 0;
    size_t scope_count = 0;
  };

  bool has_modules = false;
  std::vector<Outer> outer;                       // in the order of their first scopes
  std::unordered_map<uint32_t, size_t> of_scope;  // in which of them a scope's work counts
  // They, and the lines, are the same for every process of the shape: the addresses of modules
  // have no part in which root lies in which.
  bool are_of_shape = false;
};

// What decides which root is the main one: more is more in the first in which they differ.
struct RootWeight {
  FlopCount backward_flops = 0;
  uint64_t backward_time_ns = 0;
  FlopCount flops = 0;
  uint64_t time_ns = 0;

  void AddCall(const v1::CallRow& row);
  void AddTime(const v1::TimeRow& row);
  auto Key() const { return std::make_tuple(backward_flops, backward_time_ns, flops, time_ns); }
};

}  // namespace flopsprof::model
