// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collector/model/gradient_shapes.h"
#include "collector/model/module_paths.h"
#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::model {

// Module paths of many processes, mostly ranks of one model: what follows from the model alone is
// worked out once for all that have the same one. The results are those of working it out for each.
// One thread.
class SharedPaths {
 public:
  // The shape of a process: its scopes, its modules and what is known of these, with numbers in the
  // place of addresses. Equal shapes are one object; of this object's lifetime.
  struct Shape;

  explicit SharedPaths(bool raw_names);
  ~SharedPaths();

  // The process must stay where it is until it is forgotten. nullptr: there are too many.
  const Shape* ShapeOf(const v1::ProcessProfile& process);

  // ModulePaths(process, raw_names, main_class).
  ModulePaths PathsOf(const v1::ProcessProfile& process, const std::string& main_class);

  // ModulePaths::MainClassOf.
  std::string MainClassOf(const std::vector<const v1::ProcessProfile*>& processes);
  // The same of processes that are added one after the other.
  void AddToClasses(const v1::ProcessProfile& process);
  std::string MainClass() const;

  // The process may go; its shape stays.
  void Forget(const v1::ProcessProfile& process) { shape_of_.erase(&process); }

  // GradientsOf(process).
  std::shared_ptr<const std::vector<Gradient>> GradientsOfCalls(const v1::ProcessProfile& process);

 private:
  Shape* FindShape(const v1::ProcessProfile& process);

  const bool raw_names_;
  std::unordered_map<std::string, std::unique_ptr<Shape>> shapes_;
  std::unordered_map<const v1::ProcessProfile*, Shape*> shape_of_;
  size_t added_ = 0;                                                // to the classes
  std::map<std::string, std::pair<FlopCount, FlopCount>> classes_;  // of the backward; all
};

}  // namespace flopsprof::model
