// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "collector/model/module_placement.h"
#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::model {

inline constexpr std::string_view kOutsidePath = "(outside)";

// Elements of a module's parameters and of all below it, each parameter once, whole where ranks
// hold parts of it.
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
  // Set for a further model that is built as the main one: path of that.
  std::optional<std::string> copy_of;
  // Further paths of the same module.
  std::vector<std::string> aliases;
  // Calls, repetitions of the forward pass by recomputation left out.
  uint64_t calls = 0;
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

  // `raw_names`: wrappers are not folded. `main_class`: a root of this class is the main one, where
  // there is one (MainClassOf).
  explicit ModulePaths(const v1::ProcessProfile& process, bool raw_names = false,
                       std::string main_class = "");

  // The class of the roots that trained most in all of the processes together (without backward:
  // did most), so that ranks with different shares of several models agree on the main one. Empty
  // for fewer than two processes.
  static std::string MainClassOf(const std::vector<const v1::ProcessProfile*>& processes);

  // Lines that were called, hold work or lie above such a line. No order.
  const std::vector<ModuleNode>& nodes() const { return nodes_; }

  // Index of the line whose self a scope's work belongs to, or kOutside.
  int NodeOf(uint32_t scope) const;

  // NodeOf(scope) and every line that includes it, each once. Empty for kOutside.
  const std::vector<int>& ChainOf(uint32_t scope) const;

  // True when a scope id was never described: its work is then outside.
  bool IsUndescribed(uint32_t scope) const;

  bool has_modules() const { return has_modules_; }

  // Ranges whose work is in a line "(other)", because there were too many for lines of their own.
  uint64_t ranges_without_line() const { return ranges_without_line_; }

  // Times that a module had no line of its own, because there were too many or it is too deep: its
  // work is in the line above.
  uint64_t modules_without_line() const { return modules_without_line_; }

 private:
  ModulePaths() = default;
  struct Root;
  struct Place {
    int node = kOutside;
    std::vector<int> chain;
  };
  class Builder;

  bool has_modules_ = false;
  bool raw_names_ = false;
  std::string main_class_;
  uint64_t ranges_without_line_ = 0;
  uint64_t modules_without_line_ = 0;
  std::vector<ModuleNode> nodes_;
  std::unordered_map<uint32_t, Place> places_;
};

}  // namespace flopsprof::model
