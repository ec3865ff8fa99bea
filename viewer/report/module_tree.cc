// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/report/module_tree.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>

#include "collector/model/module_paths.h"
#include "viewer/report/numbers.h"

namespace flopsprof::viewer {
namespace {

using model::ModuleSummary;

struct Node {
  const ModuleSummary* module = nullptr;
  std::string name;  // last part of the path
  std::vector<const Node*> children;
  size_t signature = 0;  // equal for modules that fold
};

// The modules of one line: several when folded, each with the same structure below.
using Members = std::vector<const Node*>;

bool IsNumber(std::string_view text) {
  return !text.empty() && text.size() < 10 &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string MarkOf(const ModuleSummary& module) {
  if (module.copy_of.has_value()) return "same structure";
  if (module.on_cpu == model::OnCpu::kAll) return "on CPU";
  return module.on_cpu == model::OnCpu::kPart ? "partly on CPU" : "";
}

std::string SignatureText(const Node& node) {
  const ModuleSummary& module = *node.module;
  std::string text = module.class_name + "|" + MarkOf(module) + "|";
  if (!module.aliases.empty()) text += "shared|";
  text += module.params.has_value() ? std::to_string(*module.params) : "?";
  text += module.calls.has_value() ? "|" + std::to_string(*module.calls) : "|?";
  for (const auto& count : module.inclusive.flops) text += "|" + FormatExact(count);
  for (const Node* child : node.children) {
    text += "{" + child->name + ":" + std::to_string(child->signature) + "}";
  }
  return text;
}

// Neither building nor printing it recurses: how deep it is, is the program's choice.
class Forest {
 public:
  explicit Forest(const std::vector<ModuleSummary>& modules) {
    std::map<std::string_view, size_t> by_path;
    for (const ModuleSummary& module : modules) {
      auto node = std::make_unique<Node>();
      node->module = &module;
      const std::optional<size_t> parent = ParentOf(module.path, by_path, &node->name);
      by_path[module.path] = nodes_.size();
      (parent.has_value() ? nodes_[*parent]->children : tops_).push_back(node.get());
      nodes_.push_back(std::move(node));
    }
    // A module comes behind those that it is in.
    std::map<std::string, size_t> signatures;
    for (auto node = nodes_.rbegin(); node != nodes_.rend(); ++node) {
      (*node)->signature =
          signatures.emplace(SignatureText(**node), signatures.size()).first->second;
    }
  }
  const std::vector<const Node*>& tops() const { return tops_; }

 private:
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<const Node*> tops_;
};

template <typename T>
void AddTo(std::optional<T>* sum, const std::optional<T>& value, bool first) {
  if (first) {
    *sum = value;
  } else if (sum->has_value()) {
    *sum = value.has_value() ? std::optional<T>(**sum + *value) : std::nullopt;
  }
}

uint64_t TimeOf(const model::Work& work) {
  uint64_t sum = 0;
  for (const auto& time : work.gpu_time_ns) sum += time.value_or(0);
  return sum;
}

// Sets the numbers of `row` to the sums of `works`.
void SumWork(const std::vector<const model::Work*>& works, TreeRow* row) {
  uint64_t shortest = UINT64_MAX;
  uint64_t longest = 0;
  double flops = 0;
  double seconds = 0;
  bool rates_known = true;
  for (size_t i = 0; i < works.size(); ++i) {
    const model::Work& work = *works[i];
    for (size_t phase = 0; phase < model::kPhaseCount; ++phase) {
      AddTo(&row->flops[phase], work.flops[phase], i == 0);
      AddTo(&row->gpu_time_ns[phase], work.gpu_time_ns[phase], i == 0);
      row->time_incomplete[phase] = row->time_incomplete[phase] || work.time_incomplete[phase];
    }
    row->unknown_gpu_time_ns += work.unknown_gpu_time_ns;
    row->any_modelled = row->any_modelled || work.provenance == model::Provenance::kModelled ||
                        work.provenance == model::Provenance::kMixed;
    double own_flops = 0;
    for (const auto& count : work.flops) own_flops += static_cast<double>(count.value_or(0));
    rates_known = rates_known && work.flop_per_s.has_value() && *work.flop_per_s > 0;
    if (rates_known) {
      flops += own_flops;
      seconds += own_flops / *work.flop_per_s;
    }
    shortest = std::min(shortest, TimeOf(work));
    longest = std::max(longest, TimeOf(work));
  }
  if (rates_known && seconds > 0) row->flop_per_s = flops / seconds;
  if (works.size() > 1 && shortest > 0) {
    row->spread = static_cast<double>(longest) / static_cast<double>(shortest);
  }
}

// What a line is sorted by; names are compared as texts.
double SortValue(const Members& members, SortKey key) {
  double value = 0;
  for (const Node* node : members) {
    const ModuleSummary& module = *node->module;
    switch (key) {
      case SortKey::kTime:
        value += static_cast<double>(TimeOf(module.inclusive));
        break;
      case SortKey::kFlops:
        for (const auto& count : module.inclusive.flops) {
          value += static_cast<double>(count.value_or(0));
        }
        break;
      case SortKey::kParams:
        value += static_cast<double>(module.params.value_or(0));
        break;
      case SortKey::kCalls:
        value += static_cast<double>(module.calls.value_or(0));
        break;
      case SortKey::kRate:
        value = std::max(value, module.inclusive.flop_per_s.value_or(0));
        break;
      default:  // modules have no such figure
        break;
    }
  }
  return value;
}

void SortLines(SortKey key, std::vector<Members>* lines) {
  std::stable_sort(lines->begin(), lines->end(), [key](const Members& a, const Members& b) {
    if (key == SortKey::kName) return a.front()->name < b.front()->name;
    return SortValue(a, key) > SortValue(b, key);
  });
}

class Printer {
 public:
  Printer(const TreeOptions& options, int max_depth) : options_(options), max_depth_(max_depth) {}

  ModuleTree Print(const Forest& forest) {
    const std::vector<const Node*>& tops = forest.tops();
    for (auto top = tops.rbegin(); top != tops.rend(); ++top) {
      to_print_.push_back({{*top}, 0, {}, /*is_last=*/top == tops.rbegin(), /*own=*/false});
    }
    while (!to_print_.empty()) {
      Line line = std::move(to_print_.back());
      to_print_.pop_back();
      if (line.own) {
        AddOwnRow(line.members, line.depth, line.open_levels);
      } else {
        PrintMembers(std::move(line));
      }
    }
    return std::move(tree_);
  }

 private:
  struct Line {
    Members members;
    uint32_t depth;
    std::vector<bool> open_levels;
    bool is_last;
    bool own;  // the part of the work that is in none of the children
  };

  static bool CanFold(const Node& a, const Node& b) {
    return IsNumber(a.name) && IsNumber(b.name) && a.signature == b.signature;
  }

  // The lines below `parents`, which all have the same structure.
  std::vector<Members> Children(const Members& parents) const {
    std::vector<Members> lines;
    const auto& first = parents.front()->children;
    for (size_t begin = 0; begin < first.size();) {
      size_t end = begin + 1;
      while (options_.fold && end < first.size() && CanFold(*first[begin], *first[end])) ++end;
      Members members;
      for (const Node* parent : parents) {
        for (size_t i = begin; i < end; ++i) members.push_back(parent->children[i]);
      }
      lines.push_back(std::move(members));
      begin = end;
    }
    if (options_.sort.has_value()) SortLines(*options_.sort, &lines);
    return lines;
  }

  static std::string Label(const Members& members) {
    const std::string& first = members.front()->name;
    const std::string& last = members.back()->name;
    if (first.empty()) {
      const std::string& class_name = members.front()->module->class_name;
      return class_name.empty() ? "(root)" : class_name;
    }
    return first == last ? first : "[" + first + "-" + last + "]";
  }

  // The line of the members; what is below it is to be printed next.
  void PrintMembers(Line line) {
    Members& members = line.members;
    const uint32_t depth = line.depth;
    std::string label = Label(members);
    std::vector<Members> children = Children(members);
    // A container without work whose children fold into one line is that line: "layers[0-31]".
    if (children.size() == 1 && children[0].size() > members.size() &&
        members.front()->module->calls.value_or(1) == 0 && !HasOwnWork(members)) {
      const std::string below = Label(children[0]);
      label += below.front() == '[' ? below : "." + below;
      members = std::move(children[0]);
      children = Children(members);
    }
    AddRow(members, label, depth, line.open_levels, line.is_last);
    if (children.empty()) return;
    if (max_depth_ >= 0 && depth >= static_cast<uint32_t>(max_depth_)) {
      tree_.cut = true;
      return;
    }
    std::vector<bool> below = line.open_levels;
    if (depth > 0) below.push_back(!line.is_last);
    const bool own = HasOwnWork(members);
    const size_t last = children.size() - 1;
    if (own) to_print_.push_back({std::move(members), depth + 1, below, true, true});
    for (size_t i = children.size(); i-- > 0;) {
      to_print_.push_back({std::move(children[i]), depth + 1, below, !own && i == last, false});
    }
  }

  static bool HasOwnWork(const Members& members) {
    return std::any_of(members.begin(), members.end(), [](const Node* node) {
      const model::Work& self = node->module->self;
      const bool counted = std::any_of(self.flops.begin(), self.flops.end(),
                                       [](const auto& c) { return c.has_value() && *c != 0; });
      return counted || TimeOf(self) > 0;
    });
  }

  void AddRow(const Members& members, const std::string& label, uint32_t depth,
              const std::vector<bool>& open_levels, bool is_last) {
    TreeRow row;
    const ModuleSummary& first = *members.front()->module;
    row.label = label;
    row.class_name = first.path.empty() ? "" : first.class_name;
    row.mark = MarkOf(first);
    if (!first.aliases.empty()) {
      row.mark += (row.mark.empty() ? "also " : ", also ") + first.aliases.front();
      if (first.aliases.size() > 1) row.mark += " +" + std::to_string(first.aliases.size() - 1);
    }
    row.depth = depth;
    row.open_levels = open_levels;
    row.is_last = is_last;
    row.module_count = members.size();
    std::vector<const model::Work*> works;
    for (size_t i = 0; i < members.size(); ++i) {
      AddTo(&row.params, members[i]->module->params, i == 0);
      AddTo(&row.calls, members[i]->module->calls, i == 0);
      works.push_back(&members[i]->module->inclusive);
    }
    SumWork(works, &row);
    tree_.rows.push_back(std::move(row));
  }

  void AddOwnRow(const Members& members, uint32_t depth, const std::vector<bool>& open_levels) {
    TreeRow row;
    row.label = "(itself)";
    row.depth = depth;
    row.open_levels = open_levels;
    std::vector<const model::Work*> works;
    for (const Node* node : members) works.push_back(&node->module->self);
    SumWork(works, &row);
    row.spread.reset();
    tree_.rows.push_back(std::move(row));
  }

  const TreeOptions& options_;
  const int max_depth_;
  std::vector<Line> to_print_;  // the next one last
  ModuleTree tree_;
};

}  // namespace

std::optional<size_t> ParentOf(std::string_view path,
                               const std::map<std::string_view, size_t>& by_path,
                               std::string* name) {
  *name = std::string(path);
  for (size_t end = path.rfind('.'); end != std::string_view::npos && end > 0;
       end = path.rfind('.', end - 1)) {
    const auto found = by_path.find(path.substr(0, end));
    if (found == by_path.end()) continue;
    *name = std::string(path.substr(end + 1));
    return found->second;
  }
  const auto root = by_path.find("");
  const bool is_root = path.empty() || path.front() == '(';
  return is_root || root == by_path.end() ? std::nullopt : std::optional<size_t>(root->second);
}

ModuleTree BuildModuleTree(const std::vector<ModuleSummary>& modules, const TreeOptions& options) {
  const Forest forest(modules);
  ModuleTree whole = Printer(options, options.max_depth).Print(forest);
  if (options.max_depth >= 0 || options.max_rows == 0 || whole.rows.size() <= options.max_rows) {
    return whole;
  }
  // The first level below the top is always shown.
  ModuleTree tree = Printer(options, 1).Print(forest);
  for (int depth = 2;; ++depth) {
    ModuleTree deeper = Printer(options, depth).Print(forest);
    if (deeper.rows.size() > options.max_rows || !deeper.cut) return tree;
    tree = std::move(deeper);
  }
}

}  // namespace flopsprof::viewer
