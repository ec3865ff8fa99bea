// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/module_paths.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "collector/model/profile_bounds.h"
#include "collector/model/shared_paths.h"
#include "collector/model/tally.h"
#include "collector/model/wrapper_folding.h"

namespace flopsprof::model {
namespace {

constexpr size_t kMaxScopeDepth = 4096;
constexpr size_t kMaxRangeLines = 8192;
constexpr size_t kMaxModuleLines = size_t{1} << 17;
constexpr size_t kMaxPathBytes = size_t{64} << 20;  // of the paths of these lines

// Sort position of lines that named_modules() did not list: behind those that it did.
constexpr uint64_t kUnlistedOrder = uint64_t{1} << 32;

std::string Join(std::string_view parent, std::string_view name) {
  std::string joined(parent);
  if (!joined.empty() && !name.empty()) joined += '.';
  joined += name;
  return joined;
}

std::string ParentPath(std::string_view path) {
  const size_t dot = path.rfind('.');
  return std::string(dot == std::string_view::npos ? std::string_view() : path.substr(0, dot));
}

std::string ShortClass(std::string_view name) {
  const size_t dot = name.rfind('.');
  return std::string(dot == std::string_view::npos ? name : name.substr(dot + 1));
}

}  // namespace

// One model that is called from outside any module.
struct ModulePaths::Root {
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
  Root* inside = nullptr;
  std::string inside_path;  // unfolded, in `inside`
  std::string base;         // path of this root: "" or "(Class)"
  // What ran in it and in the roots inside: of the backward, and of all phases.
  RootWeight work;

  // The main root is the one that trained; where none did, the one that did most.
  auto Weight() const { return std::tuple_cat(work.Key(), std::tuple(params(), scope_count)); }

  uint64_t params() const {
    for (const Listed& listed : modules) {
      if (listed.raw.empty()) return listed.module->total_params();
    }
    return 0;
  }

  void List(const Listed& listed) {
    if (!object_at.emplace(listed.raw, listed.module->object()).second) return;
    class_at.emplace(listed.raw, listed.module->class_name());
    if (listed.module->object() != 0) by_object.emplace(listed.module->object(), listed.raw);
    modules.push_back(listed);
  }
};

class ModulePaths::Builder {
 public:
  Builder(const v1::ProcessProfile& process, bool raw_names, std::string main_class, Lines* out)
      : process_(process), raw_names_(raw_names), main_class_(std::move(main_class)), out_(*out) {}

  Roots DescribeRoots() {
    FindWeighedRoots();
    Roots result;
    result.has_modules = out_.has_modules;
    result.are_of_shape = most_holders_ <= 1 && inside_count_ <= 1;
    std::map<const Root*, size_t> index;
    for (const Root* root : OuterRoots()) {
      index[root] = result.outer.size();
      const bool raw_names = std::exchange(raw_names_, false);
      const std::string folded_class = ShortClass(InnermostClass(*root));
      raw_names_ = raw_names;
      result.outer.push_back(
          {folded_class, ShortClass(InnermostClass(*root)), root->params(), root->scope_count});
    }
    for (const auto& [id, scope] : scopes_) {
      const Root* root = RootOfWork(id);
      if (root != nullptr) result.of_scope[id] = index.at(root);
    }
    return result;
  }

  void Build() {
    FindWeighedRoots();
    if (out_.has_modules) NameRoots();
    for (const auto& [id, scope] : scopes_) PlaceScope(id);
    FindCounters();
    NameAliases();
  }

 private:
  void FindWeighedRoots() {
    for (const v1::Scope& scope : process_.scopes()) {
      if (scope.id() == 0) continue;
      scopes_[scope.id()] = &scope;
      out_.has_modules |= scope.kind() == v1::SCOPE_KIND_MODULE;
    }
    if (!out_.has_modules) return;
    FindRoots();
    NestRoots();
    WeighRoots();
  }

  bool IsTreeScope(const v1::Scope& scope) const {
    if (scope.kind() == v1::SCOPE_KIND_OPTIMIZER) return false;
    return !out_.has_modules || scope.kind() == v1::SCOPE_KIND_MODULE;
  }

  // The scope itself or the nearest one around it that makes a line of the tree; nullptr: none.
  const v1::Scope* TreeScope(uint32_t id) const {
    for (size_t hops = 0; hops < kMaxScopeDepth && id != 0; ++hops) {
      const auto found = scopes_.find(id);
      if (found == scopes_.end()) return nullptr;
      if (IsTreeScope(*found->second)) return found->second;
      id = found->second->parent();
    }
    return nullptr;
  }

  // Calls visit(scope, above) for a tree scope and those around it that are not known yet, from
  // the outermost in; `above` is nullptr at the top. A cycle, which only a damaged profile can
  // hold, is cut where it closes.
  template <typename Known, typename Visit>
  void TopDown(const v1::Scope& scope, Known known, Visit visit) {
    std::vector<const v1::Scope*> unknown;
    std::set<uint32_t> seen;
    const v1::Scope* at = &scope;
    while (at != nullptr && !known(*at) && seen.insert(at->id()).second) {
      unknown.push_back(at);
      at = TreeScope(at->parent());
    }
    const v1::Scope* above = at != nullptr && known(*at) ? at : nullptr;
    for (auto next = unknown.rbegin(); next != unknown.rend(); ++next) {
      visit(**next, above);
      above = *next;
    }
  }

  Root& RootFor(const v1::Scope& top) {
    // The same module called inside two ranges has two scopes, but is one root.
    std::pair<uint64_t, std::string> key(top.object() != 0 ? top.object() : top.id(),
                                         top.object() != 0 ? top.class_name() : "#");
    Root& root = roots_[key];
    if (root.first_scope == 0 || top.id() < root.first_scope) root.first_scope = top.id();
    root.object = top.object();
    root.class_name = top.class_name();
    return root;
  }

  void FindRoots() {
    std::map<std::pair<uint32_t, std::string>, int> sizes_at;
    for (int i = 0; i < process_.module_sizes_size(); ++i) {
      const v1::ModuleSizes& sizes = process_.module_sizes(i);
      sizes_at[{sizes.root_scope(), sizes.path()}] = i;
    }
    std::map<std::pair<uint32_t, std::string>, Placement> placement_at;
    for (const v1::ModuleWeights& weights : process_.module_weights()) {
      placement_at[{weights.root_scope(), weights.path()}] = PlacementOf(weights.weights());
    }
    for (const auto& [id, scope] : scopes_) {
      if (scope->kind() != v1::SCOPE_KIND_MODULE) continue;
      TopDown(
          *scope, [this](const v1::Scope& at) { return root_of_scope_.count(at.id()) != 0; },
          [this](const v1::Scope& at, const v1::Scope* above) {
            Root& root = above == nullptr ? RootFor(at) : *root_of_scope_[above->id()];
            root_of_scope_[at.id()] = &root;
            ++root.scope_count;
          });
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

  // A model that was called before it was wrapped, or a part of a model that is called alone
  // and whose parent the injector did not find, belongs to the larger model's tree.
  void NestRoots() {
    // Who holds a root's module: a program may call thousands of models.
    std::map<uint64_t, std::vector<Root*>> holders;
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
      if (root.object == 0) continue;
      const std::vector<Root*>& its = holders[root.object];
      const auto others =
          its.size() - static_cast<size_t>(std::count(its.begin(), its.end(), &root));
      most_holders_ = std::max(most_holders_, others);
      for (Root* other : its) {
        if (other == &root || other->modules.size() <= root.modules.size()) continue;
        const std::string& raw = other->by_object[root.object];
        if (other->class_at[raw] != root.class_name) continue;
        if (root.inside != nullptr && root.inside->modules.size() >= other->modules.size()) {
          continue;
        }
        root.inside = other;
        root.inside_path = raw;
      }
    }
    // What it got after it was taken out of the other one.
    for (auto& [key, root] : roots_) {
      if (root.inside == nullptr) continue;
      ++inside_count_;
      const auto [outer, prefix] = Outermost(root);
      for (const Root::Listed& listed : root.modules) {
        outer->List({Join(prefix, listed.raw), listed.module, listed.sizes_row, listed.placement});
      }
    }
  }

  // The root in which a scope's work counts; nullptr: none.
  Root* RootOfWork(uint32_t scope) {
    const v1::Scope* tree = TreeScope(scope);
    const auto found = tree == nullptr ? root_of_scope_.end() : root_of_scope_.find(tree->id());
    return found == root_of_scope_.end() ? nullptr : Outermost(*found->second).first;
  }

  void WeighRoots() {
    for (const v1::CallRow& row : process_.calls()) {
      Root* root = IsExecutedProduct(row) && row.flops_known() ? RootOfWork(row.scope()) : nullptr;
      if (root != nullptr) root->work.AddCall(row);
    }
    for (const v1::TimeRow& row : process_.times()) {
      Root* root = RootOfWork(row.scope());
      if (root != nullptr) root->work.AddTime(row);
    }
  }

  // Those that lie in no other, in the order of their first scopes.
  std::vector<Root*> OuterRoots() {
    std::vector<Root*> outer;
    for (auto& [key, root] : roots_) {
      if (root.inside == nullptr) outer.push_back(&root);
    }
    std::sort(outer.begin(), outer.end(),
              [](const Root* a, const Root* b) { return a->first_scope < b->first_scope; });
    return outer;
  }

  void NameRoots() {
    const std::vector<Root*> named = OuterRoots();
    const auto is_main_class = [this](const Root* root) {
      return ShortClass(InnermostClass(*root)) == main_class_;
    };
    const auto main = std::max_element(named.begin(), named.end(),
                                       [&is_main_class](const Root* a, const Root* b) {
                                         return std::make_pair(is_main_class(a), a->Weight()) <
                                                std::make_pair(is_main_class(b), b->Weight());
                                       });
    // A class may be called "outside": that path means something else.
    std::map<std::string, int> used = {{std::string(kOutsidePath), 1}};
    for (Root* root : named) {
      if (root == *main) continue;
      root->base = "(" + ShortClass(InnermostClass(*root)) + ")";
      const int number = ++used[root->base];
      if (number > 1) root->base += "#" + std::to_string(number);
      FindCopy(*root, **main);
    }
  }

  // Folded paths below `raw` and the classes there, in order.
  std::vector<std::pair<std::string, std::string>> Structure(const Root& root,
                                                             const std::string& raw) const {
    std::map<std::string, std::pair<int, std::string>> classes;
    const std::string base = Fold(root, raw).path;
    for (const Root::Listed& listed : root.modules) {
      if (listed.raw.compare(0, raw.size(), raw) != 0) continue;
      const FoldedPath folded = Fold(root, listed.raw);
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
    std::vector<std::pair<std::string, std::string>> structure;
    for (auto& [path, entry] : classes) structure.emplace_back(path, std::move(entry.second));
    return structure;
  }

  // Is the root, or the model in it (ModelEmaV2), built as the main one?
  void FindCopy(const Root& root, const Root& main) {
    const std::string class_name = InnermostClass(main);
    for (const Root::Listed& listed : root.modules) {
      if (listed.module->class_name() != class_name) continue;
      if (main_structure_.empty()) main_structure_ = Structure(main, "");
      if (listed.module->total_params() == main.params() &&
          Structure(root, listed.raw) == main_structure_) {
        copies_[Join(root.base, Fold(root, listed.raw).path)] = main.base;
      }
      return;  // the outermost of that class
    }
  }

  // Class of the model inside all wrappers.
  std::string InnermostClass(const Root& root) const {
    std::string class_name = root.class_name;
    int level = 0;
    for (const Root::Listed& listed : root.modules) {
      const FoldedPath folded = Fold(root, listed.raw);
      if (folded.path.empty() && folded.level > level) {
        level = folded.level;
        class_name = listed.module->class_name();
      }
    }
    return class_name;
  }

  FoldedPath Fold(const Root& root, std::string_view raw) const {
    if (raw_names_) return {std::string(raw), 0};
    return FoldWrappers(raw, [&root](std::string_view at) {
      const auto found = root.class_at.find(at);
      if (found != root.class_at.end()) return found->second;
      return at.empty() ? root.class_name : std::string();
    });
  }

  // Outermost root that a root lies in, with the unfolded path in it.
  static std::pair<Root*, std::string> Outermost(Root& root) {
    Root* at = &root;
    std::string raw;
    while (at->inside != nullptr) {
      raw = Join(at->inside_path, raw);
      at = at->inside;
    }
    return {at, raw};
  }

  // True when the module was where it was called. One that moved (unwrapped, merged) has two paths
  // in turn and keeps both; one that is shared has the first of its paths.
  static bool StaysAt(const Root& root, const v1::Scope& scope, const std::string& raw) {
    const auto at = root.object_at.find(raw);
    return at != root.object_at.end() && at->second == scope.object();
  }

  // What one module scope is called.
  struct Named {
    Root* root = nullptr;
    std::string raw;        // unfolded path in the root, as named_modules() has it
    std::string call_path;  // folded path by which it was called, base included
    std::string path;       // folded path, base included
    int level = 0;
    bool in_other = false;  // a range without a line of its own
  };

  Named NameModule(const v1::Scope& scope, const Named* parent) {
    Named named;
    if (parent == nullptr) {
      std::tie(named.root, named.raw) = Outermost(*root_of_scope_[scope.id()]);
    } else {
      named.root = parent->root;
      named.raw =
          Join(parent->raw, scope.name().empty() ? "(" + scope.class_name() + ")" : scope.name());
    }
    Root& root = *named.root;
    root.class_at.emplace(named.raw, scope.class_name());
    const std::string call_raw = named.raw;
    const auto listed = root.by_object.find(scope.object());
    if (scope.object() != 0 && listed != root.by_object.end() &&
        root.class_at[listed->second] == scope.class_name() && !StaysAt(root, scope, named.raw)) {
      named.raw = listed->second;
    }
    const FoldedPath folded = Fold(root, named.raw);
    named.path = Join(root.base, folded.path);
    named.level = folded.level;
    named.call_path = Join(root.base, Fold(root, call_raw).path);
    return named;
  }

  Named NameRange(const v1::Scope& scope, const Named* parent) {
    Named named;
    named.path = Join(parent == nullptr ? "" : parent->path,
                      scope.name().empty() ? "(unnamed)" : scope.name());
    if (named.path == kOutsidePath) named.path = "(range) (outside)";
    // Past so many lines a tree is not read any more.
    if (node_by_path_.size() >= kMaxRangeLines && node_by_path_.count(named.path) == 0) {
      ++out_.ranges_without_line;
      const bool inside = parent != nullptr && parent->in_other;
      named.path = inside ? parent->path : Join(parent == nullptr ? "" : parent->path, "(other)");
      named.in_other = true;
    }
    named.call_path = named.path;
    return named;
  }

  // The line of a path in a root, made with all lines above it when it is new. `scope` orders
  // lines that named_modules() did not list.
  int EnsureModuleNode(Root& root, std::string path, uint32_t scope) {
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
  int AddModuleNode(Root& root, const std::string& path, int above, uint32_t scope) {
    module_path_bytes_ += path.size();
    ModuleNode node;
    node.path = path;
    node.order = kUnlistedOrder + scope;
    int level = -1;
    int sizes_row = -1;
    for (const Root::Listed* listed : FoldedModules(root, path)) {
      const int at_level = Fold(root, listed->raw).level;
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

  ParameterSizes SizesOfListed(const Root::Listed& listed) const {
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

  const std::vector<const Root::Listed*>& FoldedModules(Root& root, const std::string& path) {
    auto& index = folded_modules_[&root];
    if (index.empty()) {
      for (const Root::Listed& listed : root.modules) {
        index[Join(root.base, Fold(root, listed.raw).path)].push_back(&listed);
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
    const v1::Scope* tree = TreeScope(id);
    if (tree == nullptr) {
      out_.places[id];
      return;
    }
    TopDown(
        *tree, [this](const v1::Scope& at) { return out_.places.count(at.id()) != 0; },
        [this](const v1::Scope& at, const v1::Scope* above) {
          out_.places[at.id()] = PlaceTreeScope(at, above);
        });
    // A range inside a module is where the module is.
    if (tree->id() != id) out_.places[id] = out_.places[tree->id()];
  }

  // The line of a scope, and that with everything above it that includes its work.
  Lines::Place PlaceTreeScope(const v1::Scope& scope, const v1::Scope* above) {
    const Named* parent = above == nullptr ? nullptr : &named_[above->id()];
    const Named& named = named_[scope.id()] =
        out_.has_modules ? NameModule(scope, parent) : NameRange(scope, parent);
    Lines::Place place;
    if (out_.has_modules) {
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
    Root& root = *named.root;
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
      const auto found = root_of_scope_.find(alias.root_scope());
      if (found == root_of_scope_.end()) continue;
      const auto [root, inside] = Outermost(*found->second);
      const auto path = [&, root = root, inside = inside](const std::string& raw) {
        return Join(root->base, Fold(*root, Join(inside, raw)).path);
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
    for (const auto& [id, scope] : scopes_) {
      if (!IsTreeScope(*scope)) continue;
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
  bool raw_names_;
  const std::string main_class_;
  Lines& out_;
  size_t most_holders_ = 0;  // of a root's module, besides the root
  size_t inside_count_ = 0;
  std::map<uint32_t, const v1::Scope*> scopes_;
  std::map<std::pair<uint64_t, std::string>, Root> roots_;
  std::unordered_map<uint32_t, Root*> root_of_scope_;
  std::unordered_map<uint32_t, Named> named_;
  std::unordered_map<std::string, int> node_by_path_;
  std::map<int, int> node_level_;
  size_t module_path_bytes_ = 0;
  std::vector<std::pair<std::string, std::string>> main_structure_;
  std::map<std::string, std::string> copies_;  // path of a further model -> of the main one
  std::map<const Root*, std::unordered_map<std::string, std::vector<const Root::Listed*>>>
      folded_modules_;
};

ModulePaths::ModulePaths(const v1::ProcessProfile& process, bool raw_names,
                         const std::string& main_class) {
  const auto lines = std::make_shared<Lines>();
  Builder(process, raw_names, main_class, lines.get()).Build();
  lines_ = lines;
  CountCalls(process);
}

ModulePaths::Roots ModulePaths::FindRoots(const v1::ProcessProfile& process, bool raw_names) {
  Lines lines;
  return Builder(process, raw_names, "", &lines).DescribeRoots();
}

std::string ModulePaths::MainClassOf(const std::vector<const v1::ProcessProfile*>& processes) {
  return SharedPaths(false).MainClassOf(processes);
}

}  // namespace flopsprof::model
