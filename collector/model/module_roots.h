// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collector/model/module_paths.h"
#include "collector/model/module_placement.h"
#include "collector/model/scope_tree.h"
#include "collector/model/wrapper_folding.h"
#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::model {

// "parent.name"; one of them alone where the other is empty.
inline std::string JoinPath(std::string_view parent, std::string_view name) {
  std::string joined(parent);
  if (!joined.empty() && !name.empty()) joined += '.';
  joined += name;
  return joined;
}

// One model that is called from outside any module. Unfolded paths are those of named_modules(),
// wrappers included.
struct ModuleRoot {
  // A module that named_modules() listed.
  struct Listed {
    std::string raw;  // unfolded path
    const v1::Module* module;
    int sizes_row = -1;  // in module_sizes
    Placement placement = Placement::kNotTold;
  };

  uint64_t object = 0;
  std::string class_name;
  uint32_t first_scope = 0;
  size_t scope_count = 0;
  std::vector<Listed> modules;
  std::map<uint64_t, std::string> by_object;                 // to the first unfolded path
  std::map<std::string, std::string, std::less<>> class_at;  // by unfolded path
  std::map<std::string, uint64_t, std::less<>> object_at;    // by unfolded path
  // Set when this root is a part of another one that was called without it.
  ModuleRoot* inside = nullptr;
  std::string inside_path;  // unfolded, in `inside`
  std::string base;         // path of this root: "" or "(Class)"
  // What ran in it and in the roots inside: of the backward, and of all phases.
  RootWeight work;

  // The main root is the one that trained; where none did, the one that did most.
  auto Weight() const { return std::tuple_cat(work.Key(), std::tuple(params(), scope_count)); }

  uint64_t params() const;

  void List(const Listed& listed);

  // `raw_names`: nothing is taken out.
  FoldedPath Fold(std::string_view raw, bool raw_names) const;

  // Class of the model inside all wrappers.
  std::string InnermostClass(bool raw_names) const;
  // The same without the Python module that defines it.
  std::string ShortClass(bool raw_names) const;

  // The outermost root that this one lies in, with the unfolded path in it.
  std::pair<ModuleRoot*, std::string> Outermost();
};

// The models of one process: found from its scopes, nested into each other where one is a part of
// another, weighed by the work that ran in them, and named. One thread. Process and tree must
// outlive it.
class ModuleRoots {
 public:
  ModuleRoots(const v1::ProcessProfile& process, const ScopeTree& tree);

  // Those that lie in no other, in the order of their first scopes.
  std::vector<ModuleRoot*> Outer();

  // The root of a module's scope, itself perhaps inside another; nullptr: none.
  ModuleRoot* RootOf(uint32_t scope) const;

  // The outer root in which a scope's work counts; nullptr: none.
  ModuleRoot* RootOfWork(uint32_t scope) const;

  // No address decided which root lies in which.
  bool are_of_shape() const { return most_holders_ <= 1 && inside_count_ <= 1; }

  // Gives each outer root its path (`base`). Returns the paths of models that are built as the main
  // one, with the main one's path.
  std::map<std::string, std::string> Name(bool raw_names, const std::string& main_class);

 private:
  void Find();
  void List();
  void Nest();
  void NestInLargest(ModuleRoot* root, const std::vector<ModuleRoot*>& holders);
  void Weigh();
  ModuleRoot& RootFor(const v1::Scope& top);

  const v1::ProcessProfile& process_;
  const ScopeTree& tree_;
  std::map<std::pair<uint64_t, std::string>, ModuleRoot> roots_;
  std::unordered_map<uint32_t, ModuleRoot*> root_of_scope_;
  size_t most_holders_ = 0;  // of a root's module, besides the root
  size_t inside_count_ = 0;
};

}  // namespace flopsprof::model
