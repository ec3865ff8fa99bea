// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/collective_waits.h"

#include <algorithm>

namespace flopsprof::agent {

// A call of several kernels lasts from the first to the last.
bool CollectiveWaits::IsFurtherKernel(size_t process, const CollectiveTime& time,
                                      std::vector<End>* ends) {
  for (End& end : *ends) {
    if (end.process != process || end.time.rank != time.rank) continue;
    end.time.start_ns = std::min(end.time.start_ns, time.start_ns);
    end.time.end_ns = std::max(end.time.end_ns, time.end_ns);
    return true;
  }
  return false;
}

void CollectiveWaits::AppendWaits(const std::vector<End>& ends,
                                  std::vector<CollectiveWait>* waits) {
  uint64_t last_start_ns = 0;
  for (const End& end : ends) last_start_ns = std::max(last_start_ns, end.time.start_ns);
  for (const End& end : ends) {
    const uint64_t duration_ns = end.time.end_ns - end.time.start_ns;
    waits->push_back({end.process, end.time.row, duration_ns,
                      std::min(duration_ns, last_start_ns - end.time.start_ns)});
  }
}

void CollectiveWaits::Add(size_t process, const CollectiveTime& time,
                          std::vector<CollectiveWait>* waits) {
  if (time.match == 0 || time.end_count < 2 || time.end_count > kMaxEnds) return;
  const auto [found, added] = calls_.try_emplace(time.match);
  Call& call = found->second;
  if (added) {
    order_.push_back(time.match);
    ++pending_count_;
  }
  if (!call.done && !IsFurtherKernel(process, time, &call.ends)) {
    call.ends.push_back({process, time});
    if (call.ends.size() >= time.end_count) {
      AppendWaits(call.ends, waits);
      call = {{}, /*done=*/true};
      --pending_count_;
    }
  }
  while (order_.size() > kMaxCalls) {
    const auto oldest = calls_.find(order_.front());
    if (!oldest->second.done) --pending_count_;
    calls_.erase(oldest);
    order_.pop_front();
  }
}

}  // namespace flopsprof::agent
