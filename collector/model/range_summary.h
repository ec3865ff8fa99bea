// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "collector/model/module_paths.h"
#include "collector/model/number_sums.h"
#include "collector/model/summary.h"

namespace flopsprof::model {

// Categories and numbers of ranges, and marks, of all ranks; the same of several ranks together.
class RangeSums {
 public:
  void Add(const v1::ProcessProfile& process, const ModulePaths& paths);

  // Most entries first, at most `max` of each.
  void Finish(size_t max, Summary* summary) const;

 private:
  template <typename Item>
  struct Sum {
    Item item;
    v1::PayloadType type = v1::PAYLOAD_TYPE_NONE;
    NumberSums numbers;
  };
  template <typename Item>
  using Sums = std::map<std::vector<std::string>, Sum<Item>>;

  Sums<RangeSummary> ranges_;
  Sums<MarkSummary> marks_;
};

}  // namespace flopsprof::model
