// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "collector/model/row_figures.h"
#include "collector/model/run_profile.h"
#include "collector/model/work_figures.h"
#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::model {

// Work of phase optimizer by optimizer, of all ranks together, in the order in which they first
// stepped. What ran in that phase outside of any step() that was seen is in none of them.
class OptimizerSums {
 public:
  void Add(const v1::RunInfo& run, const v1::ProcessProfile& process);

  std::vector<OptimizerSummary> Take() { return std::move(optimizers_); }

 private:
  void ReadScopes(const v1::ProcessProfile& process);
  // The optimizer whose step a scope is, or is inside of; null: none.
  OptimizerSummary* Of(uint32_t id);

  std::unordered_map<uint32_t, const v1::Scope*> scopes_;  // of the process
  bool any_ = false;                                       // of them is an optimizer
  std::map<std::string, size_t> index_;
  std::vector<OptimizerSummary> optimizers_;
};

}  // namespace flopsprof::model
