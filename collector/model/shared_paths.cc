// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/shared_paths.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "collector/model/gradients.h"
#include "collector/model/tally.h"

namespace flopsprof::model {
namespace {

// What is kept for others; later ones that are different are worked out each for itself.
constexpr size_t kMostShapes = 256;
constexpr size_t kMostGradients = 16;  // of a shape

// Texts and numbers in a row, such that different ones give different texts.
class KeyText {
 public:
  void Add(uint64_t number) { text_.append(reinterpret_cast<const char*>(&number), sizeof number); }
  void Add(std::string_view text) {
    Add(text.size());
    text_.append(text);
  }
  void Reserve(size_t bytes) { text_.reserve(bytes); }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

// In the place of an address: when it was first seen; 0 stays 0.
class Addresses {
 public:
  uint64_t NumberOf(uint64_t address) {
    if (address == 0) return 0;
    return numbers_.try_emplace(address, numbers_.size() + 1).first->second;
  }

 private:
  std::unordered_map<uint64_t, uint64_t> numbers_;
};

// All that ModulePaths and GradientsOf read of a process, but for its calls, times, scope_calls and
// local_params.
std::string KeyOfShape(const v1::ProcessProfile& process) {
  constexpr size_t kBytesOfRow = 128;
  KeyText key;
  Addresses addresses;
  key.Reserve(kBytesOfRow *
              static_cast<size_t>(process.scopes_size() + 2 * process.modules_size()));
  key.Add(static_cast<uint64_t>(process.scopes_size()));
  for (const v1::Scope& scope : process.scopes()) {
    key.Add(uint64_t{scope.id()} << 32 | scope.parent());
    key.Add(static_cast<uint64_t>(scope.kind()));
    key.Add(scope.name());
    key.Add(scope.class_name());
    key.Add(addresses.NumberOf(scope.object()));
  }
  key.Add(static_cast<uint64_t>(process.modules_size()));
  for (const v1::Module& module : process.modules()) {
    key.Add(uint64_t{module.root_scope()} << 32 | module.order());
    key.Add(module.path());
    key.Add(module.class_name());
    key.Add(addresses.NumberOf(module.object()));
    key.Add(module.own_params());
    key.Add(module.total_params());
    key.Add(module.trainable_params());
  }
  key.Add(static_cast<uint64_t>(process.module_sizes_size()));
  for (const v1::ModuleSizes& sizes : process.module_sizes()) {
    key.Add(sizes.root_scope());
    key.Add(sizes.path());
    key.Add(sizes.buffers());
    key.Add(sizes.expert_params());
    key.Add(sizes.active_params());
    key.Add(sizes.param_bytes());
  }
  key.Add(static_cast<uint64_t>(process.module_weights_size()));
  for (const v1::ModuleWeights& weights : process.module_weights()) {
    key.Add(weights.root_scope());
    key.Add(weights.path());
    key.Add(weights.weights());
  }
  for (const v1::ModuleAlias& alias : process.module_aliases()) {
    key.Add(alias.root_scope());
    key.Add(alias.alias());
    key.Add(alias.path());
  }
  return key.Take();
}

// What GradientsOf reads of the calls.
std::string KeyOfCalls(const v1::ProcessProfile& process) {
  constexpr size_t kBytesOfRow = 160;
  KeyText key;
  key.Reserve(kBytesOfRow * static_cast<size_t>(process.calls_size()));
  for (const v1::CallRow& row : process.calls()) {
    key.Add(static_cast<uint64_t>(row.kind()));
    if (row.kind() == v1::CALL_KIND_COLLECTIVE) continue;  // has no gradient
    key.Add(uint64_t{row.scope()} << 32 | static_cast<uint32_t>(row.phase()));
    key.Add(row.calls() << 1 | (IsExecutedProduct(row) ? 1 : 0));
    key.Add(row.api());
    key.Add(row.shape());
  }
  return key.Take();
}

}  // namespace

struct SharedPaths::Shape {
  ModulePaths::Roots roots;
  std::unordered_map<size_t, std::shared_ptr<const ModulePaths::Lines>> lines;  // by main root
  std::unordered_map<std::string, std::shared_ptr<const std::vector<Gradient>>> gradients;

  std::vector<RootWeight> WeightsOf(const v1::ProcessProfile& process) const {
    std::vector<RootWeight> weights(roots.outer.size());
    for (const v1::CallRow& row : process.calls()) {
      const auto root = roots.of_scope.find(row.scope());
      if (root == roots.of_scope.end() || !row.flops_known() || !IsExecutedProduct(row)) continue;
      weights[root->second].AddCall(row);
    }
    for (const v1::TimeRow& row : process.times()) {
      const auto root = roots.of_scope.find(row.scope());
      if (root != roots.of_scope.end()) weights[root->second].AddTime(row);
    }
    return weights;
  }

  // The first of several that are equal.
  size_t MainRootOf(const v1::ProcessProfile& process, const std::string& main_class) const {
    if (roots.outer.size() < 2) return 0;
    const std::vector<RootWeight> weights = WeightsOf(process);
    const auto weight = [&](size_t i) {
      const ModulePaths::Roots::Outer& root = roots.outer[i];
      return std::tuple_cat(std::tuple(root.class_name == main_class), weights[i].Key(),
                            std::tuple(root.params, root.scope_count));
    };
    size_t main = 0;
    for (size_t i = 1; i < weights.size(); ++i) {
      if (weight(main) < weight(i)) main = i;
    }
    return main;
  }
};

SharedPaths::SharedPaths(bool raw_names) : raw_names_(raw_names) {}

SharedPaths::~SharedPaths() = default;

const SharedPaths::Shape* SharedPaths::ShapeOf(const v1::ProcessProfile& process) {
  return FindShape(process);
}

SharedPaths::Shape* SharedPaths::FindShape(const v1::ProcessProfile& process) {
  const auto [known, added] = shape_of_.try_emplace(&process, nullptr);
  if (!added) return known->second;
  std::string key = KeyOfShape(process);
  const auto found = shapes_.find(key);
  if (found != shapes_.end()) return known->second = found->second.get();
  if (shapes_.size() >= kMostShapes) return nullptr;
  auto shape = std::make_unique<Shape>();
  shape->roots = ModulePaths::FindRoots(process, raw_names_);
  known->second = shape.get();
  shapes_.emplace(std::move(key), std::move(shape));
  return known->second;
}

ModulePaths SharedPaths::PathsOf(const v1::ProcessProfile& process, const std::string& main_class) {
  Shape* shape = FindShape(process);
  if (shape == nullptr || !shape->roots.are_of_shape) {
    return ModulePaths(process, raw_names_, main_class);
  }
  auto& lines = shape->lines[shape->MainRootOf(process, main_class)];
  if (lines != nullptr) return ModulePaths(process, lines);
  ModulePaths paths(process, raw_names_, main_class);
  lines = paths.lines();
  return paths;
}

void SharedPaths::AddToClasses(const v1::ProcessProfile& process) {
  ++added_;
  Shape own;
  const Shape* shape = FindShape(process);
  if (shape == nullptr) {
    own.roots = ModulePaths::FindRoots(process, raw_names_);
    shape = &own;
  }
  const std::vector<RootWeight> weights = shape->WeightsOf(process);
  for (size_t i = 0; i < weights.size(); ++i) {
    auto& [backward, all] = classes_[shape->roots.outer[i].folded_class];
    backward += weights[i].backward_flops;
    all += weights[i].flops;
  }
}

std::string SharedPaths::MainClass() const {
  if (added_ < 2) return "";
  const auto most =
      std::max_element(classes_.begin(), classes_.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == classes_.end() || most->second.second == 0 ? "" : most->first;
}

std::string SharedPaths::MainClassOf(const std::vector<const v1::ProcessProfile*>& processes) {
  if (processes.size() < 2) return "";
  for (const v1::ProcessProfile* process : processes) AddToClasses(*process);
  return MainClass();
}

std::shared_ptr<const std::vector<Gradient>> SharedPaths::GradientsOfCalls(
    const v1::ProcessProfile& process) {
  Shape* shape = FindShape(process);
  const auto work_out = [&process] {
    return std::make_shared<const std::vector<Gradient>>(GradientsOf(process));
  };
  if (shape == nullptr) return work_out();
  std::string key = KeyOfCalls(process);
  const auto found = shape->gradients.find(key);
  if (found != shape->gradients.end()) return found->second;
  auto gradients = work_out();
  if (shape->gradients.size() < kMostGradients) shape->gradients.emplace(std::move(key), gradients);
  return gradients;
}

}  // namespace flopsprof::model
