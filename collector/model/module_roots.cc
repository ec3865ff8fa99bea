// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/module_roots.h"

#include <algorithm>

#include "collector/model/tally.h"

namespace flopsprof::model {
namespace {

// Folded paths below a module, and the classes there, in order.
using Structure = std::vector<std::pair<std::string, std::string>>;

// `raw`: unfolded path of the module.
Structure StructureOf(const ModuleRoot& root, const std::string& raw, bool raw_names) {
  std::map<std::string, std::pair<int, std::string>> classes;
  const std::string base = root.Fold(raw, raw_names).path;
  for (const ModuleRoot::Listed& listed : root.modules) {
    if (listed.raw.compare(0, raw.size(), raw) != 0) continue;
    const FoldedPath folded = root.Fold(listed.raw, raw_names);
    if (folded.path != base && folded.path.compare(0, base.size() + 1, base + ".") != 0 &&
        !base.empty()) {
      continue;
    }
    std::string below = folded.path.substr(
        std::min(folded.path.size(), base.empty() ? size_t{0} : base.size() + 1));
    auto& [level, class_name] = classes[std::move(below)];
    if (class_name.empty() || folded.level > level) class_name = listed.module->class_name();
    level = std::max(level, folded.level);
  }
  Structure structure;
  for (auto& [path, entry] : classes) structure.emplace_back(path, std::move(entry.second));
  return structure;
}

// The model in `root`, or `root` itself, that is built as the main one (ModelEmaV2); nullptr: none
// is. `main_structure`: that of `main`, made when it is needed.
const ModuleRoot::Listed* CopyIn(const ModuleRoot& root, const ModuleRoot& main, bool raw_names,
                                 Structure* main_structure) {
  const std::string class_name = main.InnermostClass(raw_names);
  for (const ModuleRoot::Listed& listed : root.modules) {
    if (listed.module->class_name() != class_name) continue;
    if (main_structure->empty()) *main_structure = StructureOf(main, "", raw_names);
    const bool same = listed.module->total_params() == main.params() &&
                      StructureOf(root, listed.raw, raw_names) == *main_structure;
    return same ? &listed : nullptr;  // the outermost of that class
  }
  return nullptr;
}

}  // namespace

uint64_t ModuleRoot::params() const {
  for (const Listed& listed : modules) {
    if (listed.raw.empty()) return listed.module->total_params();
  }
  return 0;
}

void ModuleRoot::List(const Listed& listed) {
  if (!object_at.emplace(listed.raw, listed.module->object()).second) return;
  class_at.emplace(listed.raw, listed.module->class_name());
  if (listed.module->object() != 0) by_object.emplace(listed.module->object(), listed.raw);
  modules.push_back(listed);
}

FoldedPath ModuleRoot::Fold(std::string_view raw, bool raw_names) const {
  if (raw_names) return {std::string(raw), 0};
  return FoldWrappers(raw, [this](std::string_view at) {
    const auto found = class_at.find(at);
    if (found != class_at.end()) return found->second;
    return at.empty() ? class_name : std::string();
  });
}

std::string ModuleRoot::InnermostClass(bool raw_names) const {
  std::string innermost = class_name;
  int level = 0;
  for (const Listed& listed : modules) {
    const FoldedPath folded = Fold(listed.raw, raw_names);
    if (folded.path.empty() && folded.level > level) {
      level = folded.level;
      innermost = listed.module->class_name();
    }
  }
  return innermost;
}
std::string ModuleRoot::ShortClass(bool raw_names) const {
  const std::string name = InnermostClass(raw_names);
  return name.substr(name.rfind('.') + 1);
}

std::pair<ModuleRoot*, std::string> ModuleRoot::Outermost() {
  ModuleRoot* at = this;
  std::string raw;
  while (at->inside != nullptr) {
    raw = JoinPath(at->inside_path, raw);
    at = at->inside;
  }
  return {at, raw};
}

ModuleRoots::ModuleRoots(const v1::ProcessProfile& process, const ScopeTree& tree)
    : process_(process), tree_(tree) {
  if (!tree.has_modules()) return;
  Find();
  List();
  Nest();
  Weigh();
}

ModuleRoot& ModuleRoots::RootFor(const v1::Scope& top) {
  // The same module called inside two ranges has two scopes, but is one root.
  std::pair<uint64_t, std::string> key(top.object() != 0 ? top.object() : top.id(),
                                       top.object() != 0 ? top.class_name() : "#");
  ModuleRoot& root = roots_[key];
  if (root.first_scope == 0 || top.id() < root.first_scope) root.first_scope = top.id();
  root.object = top.object();
  root.class_name = top.class_name();
  return root;
}

void ModuleRoots::Find() {
  for (const auto& [id, scope] : tree_.scopes()) {
    if (scope->kind() != v1::SCOPE_KIND_MODULE) continue;
    tree_.TopDown(
        *scope, [this](const v1::Scope& at) { return root_of_scope_.count(at.id()) != 0; },
        [this](const v1::Scope& at, const v1::Scope* above) {
          ModuleRoot& root = above == nullptr ? RootFor(at) : *root_of_scope_[above->id()];
          root_of_scope_[at.id()] = &root;
          ++root.scope_count;
        });
  }
}

void ModuleRoots::List() {
  std::map<std::pair<uint32_t, std::string>, int> sizes_at;
  for (int i = 0; i < process_.module_sizes_size(); ++i) {
    const v1::ModuleSizes& sizes = process_.module_sizes(i);
    sizes_at[{sizes.root_scope(), sizes.path()}] = i;
  }
  std::map<std::pair<uint32_t, std::string>, Placement> placement_at;
  for (const v1::ModuleWeights& weights : process_.module_weights()) {
    placement_at[{weights.root_scope(), weights.path()}] = PlacementOf(weights.weights());
  }
  for (const v1::Module& module : process_.modules()) {
    const auto found = root_of_scope_.find(module.root_scope());
    if (found == root_of_scope_.end()) continue;
    const std::pair key(module.root_scope(), module.path());
    const auto sizes = sizes_at.find(key);
    const auto placement = placement_at.find(key);
    found->second->List(
        {module.path(), &module, sizes == sizes_at.end() ? -1 : sizes->second,
         placement == placement_at.end() ? Placement::kNotTold : placement->second});
  }
}

// A model that was called before it was wrapped, or a part of a model that is called alone and
// whose parent the injector did not find, belongs to the larger model's tree.
void ModuleRoots::Nest() {
  // Who holds a root's module: a program may call thousands of models.
  std::map<uint64_t, std::vector<ModuleRoot*>> holders;
  for (const auto& [key, root] : roots_) {
    if (root.object != 0) holders[root.object];
  }
  for (auto& [key, other] : roots_) {
    for (const auto& [object, raw] : other.by_object) {
      const auto held = holders.find(object);
      if (held != holders.end()) held->second.push_back(&other);
    }
  }
  for (auto& [key, root] : roots_) {
    if (root.object != 0) NestInLargest(&root, holders[root.object]);
  }
  // What it got after it was taken out of the other one.
  for (auto& [key, root] : roots_) {
    if (root.inside == nullptr) continue;
    ++inside_count_;
    const auto [outer, prefix] = root.Outermost();
    for (const ModuleRoot::Listed& listed : root.modules) {
      outer->List(
          {JoinPath(prefix, listed.raw), listed.module, listed.sizes_row, listed.placement});
    }
  }
}

// `holders`: the roots that have this root's module, itself perhaps among them.
void ModuleRoots::NestInLargest(ModuleRoot* root, const std::vector<ModuleRoot*>& holders) {
  const auto others =
      holders.size() - static_cast<size_t>(std::count(holders.begin(), holders.end(), root));
  most_holders_ = std::max(most_holders_, others);
  for (ModuleRoot* other : holders) {
    if (other == root || other->modules.size() <= root->modules.size()) continue;
    const std::string& raw = other->by_object[root->object];
    if (other->class_at[raw] != root->class_name) continue;
    if (root->inside != nullptr && root->inside->modules.size() >= other->modules.size()) continue;
    root->inside = other;
    root->inside_path = raw;
  }
}

ModuleRoot* ModuleRoots::RootOf(uint32_t scope) const {
  const auto found = root_of_scope_.find(scope);
  return found == root_of_scope_.end() ? nullptr : found->second;
}

ModuleRoot* ModuleRoots::RootOfWork(uint32_t scope) const {
  const v1::Scope* line = tree_.LineScope(scope);
  ModuleRoot* root = line == nullptr ? nullptr : RootOf(line->id());
  return root == nullptr ? nullptr : root->Outermost().first;
}

void ModuleRoots::Weigh() {
  for (const v1::CallRow& row : process_.calls()) {
    ModuleRoot* root =
        IsExecutedProduct(row) && row.flops_known() ? RootOfWork(row.scope()) : nullptr;
    if (root != nullptr) root->work.AddCall(row);
  }
  for (const v1::TimeRow& row : process_.times()) {
    ModuleRoot* root = RootOfWork(row.scope());
    if (root != nullptr) root->work.AddTime(row);
  }
}

std::vector<ModuleRoot*> ModuleRoots::Outer() {
  std::vector<ModuleRoot*> outer;
  for (auto& [key, root] : roots_) {
    if (root.inside == nullptr) outer.push_back(&root);
  }
  std::sort(outer.begin(), outer.end(), [](const ModuleRoot* a, const ModuleRoot* b) {
    return a->first_scope < b->first_scope;
  });
  return outer;
}

std::map<std::string, std::string> ModuleRoots::Name(bool raw_names,
                                                     const std::string& main_class) {
  const std::vector<ModuleRoot*> outer = Outer();
  std::map<std::string, std::string> copies;
  if (outer.empty()) return copies;
  const auto rank = [&](const ModuleRoot* root) {
    return std::pair(root->ShortClass(raw_names) == main_class, root->Weight());
  };
  const ModuleRoot& main = **std::max_element(
      outer.begin(), outer.end(),
      [&](const ModuleRoot* a, const ModuleRoot* b) { return rank(a) < rank(b); });
  Structure main_structure;  // made when a root of its class is found
  // A class may be called "outside": that path means something else.
  std::map<std::string, int> used = {{std::string(kOutsidePath), 1}};
  for (ModuleRoot* root : outer) {
    if (root == &main) continue;
    root->base = "(" + root->ShortClass(raw_names) + ")";
    const int number = ++used[root->base];
    if (number > 1) root->base += "#" + std::to_string(number);
    const ModuleRoot::Listed* copy = CopyIn(*root, main, raw_names, &main_structure);
    if (copy == nullptr) continue;
    copies[JoinPath(root->base, root->Fold(copy->raw, raw_names).path)] = main.base;
  }
  return copies;
}

}  // namespace flopsprof::model
