// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/module_lines.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "collector/model/module_roots.h"
#include "collector/model/profile_bounds.h"
#include "collector/model/scope_tree.h"

namespace flopsprof::model {
namespace {

constexpr size_t kMaxRangeLines = 8192;
constexpr size_t kMaxModuleLines = size_t{1} << 17;
constexpr size_t kMaxPathBytes = size_t{64} << 20;  // of the paths of these lines

// Sort position of lines that named_modules() did not list: behind those that it did.
constexpr uint64_t kUnlistedOrder = uint64_t{1} << 32;

std::string ParentPath(std::string_view path) {
  const size_t dot = path.rfind('.');
  return std::string(dot == std::string_view::npos ? std::string_view() : path.substr(0, dot));
}

// True when the module was where it was called. One that moved (unwrapped, merged) has two paths
// in turn and keeps both; one that is shared has the first of its paths.
bool StaysAt(const ModuleRoot& root, const v1::Scope& scope, const std::string& raw) {
  const auto at = root.object_at.find(raw);
  return at != root.object_at.end() && at->second == scope.object();
}

// Makes the lines: names each scope, finds or adds the line of that name and those above it.
class LineMaker {
 public:
  LineMaker(const v1::ProcessProfile& process, bool raw_names, const std::string& main_class)
      : process_(process), raw_names_(raw_names), tree_(process), roots_(process, tree_) {
    copies_ = roots_.Name(raw_names, main_class);
  }

  ModulePaths::Lines Make() {
    out_.has_modules = tree_.has_modules();
    for (const auto& [id, scope] : tree_.scopes()) PlaceScope(id);
    FindCounters();
    NameAliases();
    return std::move(out_);
  }

 private:
  // What one module scope is called.
  struct Named {
    ModuleRoot* root = nullptr;
    std::string raw;        // unfolded path in the root, as named_modules() has it
    std::string call_path;  // folded path by which it was called, base included
    std::string path;       // folded path, base included
    int level = 0;
    bool in_other = false;  // a range without a line of its own
  };

  Named NameModule(const v1::Scope& scope, const Named* parent) {
    Named named;
    if (parent == nullptr) {
      std::tie(named.root, named.raw) = roots_.RootOf(scope.id())->Outermost();
    } else {
      named.root = parent->root;
      named.raw = JoinPath(parent->raw,
                           scope.name().empty() ? "(" + scope.class_name() + ")" : scope.name());
    }
    ModuleRoot& root = *named.root;
    root.class_at.emplace(named.raw, scope.class_name());
    const std::string call_raw = named.raw;
    const auto listed = root.by_object.find(scope.object());
    if (scope.object() != 0 && listed != root.by_object.end() &&
        root.class_at[listed->second] == scope.class_name() && !StaysAt(root, scope, named.raw)) {
      named.raw = listed->second;
    }
    const FoldedPath folded = root.Fold(named.raw, raw_names_);
    named.path = JoinPath(root.base, folded.path);
    named.level = folded.level;
    named.call_path = JoinPath(root.base, root.Fold(call_raw, raw_names_).path);
    return named;
  }

  Named NameRange(const v1::Scope& scope, const Named* parent) {
    Named named;
    named.path = JoinPath(parent == nullptr ? "" : parent->path,
                          scope.name().empty() ? "(unnamed)" : scope.name());
    if (named.path == kOutsidePath) named.path = "(range) (outside)";
    // Past so many lines a tree is not read any more.
    if (node_by_path_.size() >= kMaxRangeLines && node_by_path_.count(named.path) == 0) {
      ++out_.ranges_without_line;
      const bool inside = parent != nullptr && parent->in_other;
      named.path =
          inside ? parent->path : JoinPath(parent == nullptr ? "" : parent->path, "(other)");
      named.in_other = true;
    }
    named.call_path = named.path;
    return named;
  }

  // The line of a path in a root, made with all lines above it when it is new. `scope` orders
  // lines that named_modules() did not list.
  int EnsureModuleNode(ModuleRoot& root, std::string path, uint32_t scope) {
    // From the line itself up to one that is there. Past so many lines nobody reads a tree, and
    // work goes to the line above.
    std::vector<std::string> missing;
    auto found = node_by_path_.find(path);
    while (found == node_by_path_.end()) {
      missing.push_back(path);
      if (path.size() <= root.base.size()) break;
      path = ParentPath(path);
      found = node_by_path_.find(path);
    }
    int line = found == node_by_path_.end() ? -1 : found->second;
    for (; !missing.empty(); missing.pop_back()) {
      const bool room =
          node_by_path_.size() < kMaxModuleLines && module_path_bytes_ < kMaxPathBytes;
      const bool deep = line >= 0 && out_.nodes[line].depth + 1 >= kMaxPathParts;
      if (line >= 0 && (!room || deep)) {
        out_.modules_without_line += missing.size();
        return line;
      }
      line = AddModuleNode(root, missing.back(), line, scope);
    }
    return line;
  }

  // `above`: the line that it is in; -1 for the root's own.
  int AddModuleNode(ModuleRoot& root, const std::string& path, int above, uint32_t scope) {
    module_path_bytes_ += path.size();
    ModuleNode node;
    node.path = path;
    node.order = kUnlistedOrder + scope;
    int level = -1;
    int sizes_row = -1;
    for (const ModuleRoot::Listed* listed : FoldedModules(root, path)) {
      const int at_level = root.Fold(listed->raw, raw_names_).level;
      if (at_level <= level) continue;
      if (level < 0) node.order = listed->module->order();
      level = at_level;
      node.class_name = listed->module->class_name();
      node.params = listed->module->total_params();
      node.sizes = SizesOfListed(*listed);
      sizes_row = listed->sizes_row;
      node.placement = listed->placement;
    }
    if (const auto copy = copies_.find(path); copy != copies_.end()) node.copy_of = copy->second;
    if (above < 0) {
      node.parent_path = path;
      // Other models come behind the main one, in the order of their first call.
      if (!root.base.empty()) node.order = 2 * kUnlistedOrder + root.first_scope;
    } else {
      node.parent_path = out_.nodes[above].path;
      node.depth = out_.nodes[above].depth + 1;
    }
    return AddNode(std::move(node), sizes_row);
  }

  ParameterSizes SizesOfListed(const ModuleRoot::Listed& listed) const {
    ParameterSizes sizes;
    sizes.own = listed.module->own_params();
    sizes.trainable = listed.module->trainable_params();
    if (listed.sizes_row < 0) return sizes;
    const v1::ModuleSizes& more = process_.module_sizes(listed.sizes_row);
    sizes.local = more.local_params();
    sizes.buffers = more.buffers();
    sizes.experts = more.expert_params();
    sizes.active = more.active_params();
    sizes.bytes = more.param_bytes();
    return sizes;
  }

  const std::vector<const ModuleRoot::Listed*>& FoldedModules(ModuleRoot& root,
                                                              const std::string& path) {
    auto& index = folded_modules_[&root];
    if (index.empty()) {
      for (const ModuleRoot::Listed& listed : root.modules) {
        index[JoinPath(root.base, root.Fold(listed.raw, raw_names_).path)].push_back(&listed);
      }
    }
    return index[path];
  }

  int AddNode(ModuleNode node, int sizes_row = -1) {
    const int index = static_cast<int>(out_.nodes.size());
    node_by_path_[node.path] = index;
    out_.nodes.push_back(std::move(node));
    out_.sizes_row.push_back(sizes_row);
    return index;
  }

  void PlaceScope(uint32_t id) {
    const v1::Scope* tree = tree_.LineScope(id);
    if (tree == nullptr) {
      out_.places[id];
      return;
    }
    tree_.TopDown(
        *tree, [this](const v1::Scope& at) { return out_.places.count(at.id()) != 0; },
        [this](const v1::Scope& at, const v1::Scope* above) {
          out_.places[at.id()] = PlaceTreeScope(at, above);
        });
    // A range inside a module is where the module is.
    if (tree->id() != id) out_.places[id] = out_.places[tree->id()];
  }

  // The line of a scope, and that with everything above it that includes its work.
  ModulePaths::Lines::Place PlaceTreeScope(const v1::Scope& scope, const v1::Scope* above) {
    const Named* parent = above == nullptr ? nullptr : &named_[above->id()];
    const Named& named = named_[scope.id()] =
        tree_.has_modules() ? NameModule(scope, parent) : NameRange(scope, parent);
    ModulePaths::Lines::Place place;
    if (tree_.has_modules()) {
      AddModuleLines(scope, named, parent, &place.chain);
    } else {
      place.chain.push_back(EnsureRangeNode(scope, named, parent));
    }
    place.node = place.chain.front();
    if (above != nullptr) {
      for (const int node : out_.places[above->id()].chain) AddOnce(node, &place.chain);
    }
    return place;
  }

  static void AddOnce(int node, std::vector<int>* chain) {
    if (std::find(chain->begin(), chain->end(), node) == chain->end()) chain->push_back(node);
  }

  // The scope's own line, and lines between it and its caller: containers that are never called
  // themselves (ModuleList).
  void AddModuleLines(const v1::Scope& scope, const Named& named, const Named* parent,
                      std::vector<int>* chain) {
    ModuleRoot& root = *named.root;
    const int index = EnsureModuleNode(root, named.path, scope.id());
    int& level = node_level_.emplace(index, -1).first->second;
    ModuleNode& node = out_.nodes[index];
    if (!node.params.has_value() && named.level > level) node.class_name = scope.class_name();
    level = std::max(level, named.level);
    chain->push_back(index);
    const std::string& stop = parent == nullptr ? root.base : parent->path;
    for (std::string between = ParentPath(named.call_path); between.size() > stop.size();
         between = ParentPath(between)) {
      AddOnce(EnsureModuleNode(root, between, scope.id()), chain);
    }
    if (parent == nullptr) AddOnce(EnsureModuleNode(root, root.base, scope.id()), chain);
  }

  int EnsureRangeNode(const v1::Scope& scope, const Named& named, const Named* parent) {
    const auto found = node_by_path_.find(named.path);
    if (found != node_by_path_.end()) return found->second;
    ModuleNode node;
    node.path = named.path;
    node.parent_path = parent == nullptr ? named.path : parent->path;
    node.class_name = "range";
    node.depth = parent == nullptr ? 0 : out_.nodes[node_by_path_[parent->path]].depth + 1;
    node.order = scope.id();
    return AddNode(std::move(node));
  }

  void NameAliases() {
    for (const v1::ModuleAlias& alias : process_.module_aliases()) {
      ModuleRoot* const own_root = roots_.RootOf(alias.root_scope());
      if (own_root == nullptr) continue;
      const auto [root, inside] = own_root->Outermost();
      const auto path = [&, root = root, inside = inside](const std::string& raw) {
        return JoinPath(root->base, root->Fold(JoinPath(inside, raw), raw_names_).path);
      };
      const std::string own = path(alias.path());
      const std::string other = path(alias.alias());
      const auto line = node_by_path_.find(own);
      if (line == node_by_path_.end() || other == own) continue;
      std::vector<std::string>& aliases = out_.nodes[line->second].aliases;
      if (std::find(aliases.begin(), aliases.end(), other) == aliases.end()) {
        aliases.push_back(other);
      }
    }
  }

  // A wrapper and the model in it are one line: both are entered by one call, so the count is
  // that of the level that was entered most often.
  void FindCounters() {
    std::map<std::pair<int, int>, size_t> counters;  // by line and level
    for (const auto& [id, scope] : tree_.scopes()) {
      if (!tree_.MakesLine(*scope)) continue;
      const Named& named = named_[id];
      const int line = out_.places[id].node;
      if (out_.nodes[line].path != named.path) continue;  // it has none of its own
      const auto [counter, added] =
          counters.try_emplace({line, named.level}, out_.line_of_counter.size());
      if (added) out_.line_of_counter.push_back(line);
      out_.counter_of_scope[id] = counter->second;
    }
  }

  const v1::ProcessProfile& process_;
  const bool raw_names_;
  const ScopeTree tree_;
  ModuleRoots roots_;
  std::map<std::string, std::string> copies_;  // path of a further model -> of the main one
  ModulePaths::Lines out_;
  std::unordered_map<uint32_t, Named> named_;
  std::unordered_map<std::string, int> node_by_path_;
  std::map<int, int> node_level_;
  size_t module_path_bytes_ = 0;
  std::map<const ModuleRoot*,
           std::unordered_map<std::string, std::vector<const ModuleRoot::Listed*>>>
      folded_modules_;
};

}  // namespace

ModulePaths::Lines MakeLines(const v1::ProcessProfile& process, bool raw_names,
                             const std::string& main_class) {
  return LineMaker(process, raw_names, main_class).Make();
}

}  // namespace flopsprof::model
