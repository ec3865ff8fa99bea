// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "collector/model/rank_groups.h"
#include "collector/model/summary.h"

namespace flopsprof::model {

// Busy, idle and exposed time: of the steps where there are any, else of the whole run.
class DeviceTimeSums {
 public:
  void Add(const RankGroup& group);
  void Finish(Totals* totals) const;

 private:
  uint64_t busy_ns_ = 0;
  uint64_t idle_ns_ = 0;
  uint64_t exposed_ns_ = 0;
  std::optional<uint64_t> hidden_ns_ = 0;
  bool any_ = false;
  // Where CUPTI was not ours all along, unseen work would pass for idle time.
  bool all_seen_ = true;
  bool exposed_known_ = true;
};

}  // namespace flopsprof::model
