// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/collective_waits.h"

#include <algorithm>

namespace flopsprof::agent {

void CollectiveWaits::Add(size_t process, const CollectiveTime& time,
                          std::vector<CollectiveWait>* waits) {
  if (time.match == 0 || time.end_count < 2 || time.end_count > kMaxEnds) return;
  const auto [found, added] = pending_.try_emplace(time.match);
  std::vector<End>& ends = found->second;
  for (End& end : ends) {
    if (end.process != process || end.time.rank != time.rank) continue;
    // A call of several kernels lasts from the first to the last.
    end.time.start_ns = std::min(end.time.start_ns, time.start_ns);
    end.time.end_ns = std::max(end.time.end_ns, time.end_ns);
    return;
  }
  ends.push_back({process, time});
  if (added) order_.push_back(time.match);
  if (ends.size() >= time.end_count) {
    uint64_t last_start_ns = 0;
    for (const End& end : ends) last_start_ns = std::max(last_start_ns, end.time.start_ns);
    for (const End& end : ends) {
      const uint64_t duration_ns = end.time.end_ns - end.time.start_ns;
      waits->push_back({end.process, end.time.row, duration_ns,
                        std::min(duration_ns, last_start_ns - end.time.start_ns)});
    }
    pending_.erase(found);
  }
  while (!order_.empty() &&
         (pending_.size() > kMaxPending || pending_.count(order_.front()) == 0)) {
    pending_.erase(order_.front());
    order_.pop_front();
  }
}

}  // namespace flopsprof::agent
