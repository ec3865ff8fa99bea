// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "collector/model/module_paths.h"
#include "collector/model/summary.h"

namespace flopsprof::model {

// The frames of v1::Stack.frames, outermost first.
std::vector<StackFrameSummary> ParseStackFrames(const std::string& text);

// Sampled stacks of all ranks, equal ones together.
class StackSums {
 public:
  // `paths`: of `process`.
  void Add(const v1::ProcessProfile& process, const ModulePaths& paths);
  // Longest GPU time first, then most launches; at most `max`.
  void Finish(size_t max, Summary* summary);

 private:
  // Path, kernel, kind, category, phase, frames.
  using Key =
      std::tuple<std::string, std::string, std::string, std::string, std::string, std::string>;

  std::map<Key, StackSummary> stacks_;
};

}  // namespace flopsprof::model
