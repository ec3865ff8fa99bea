// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/calls/collective_waits.h"

#include <algorithm>

namespace flopsprof::agent {

namespace {

CollectiveWait WaitOf(size_t process, const CollectiveTime& time, uint64_t last_start_ns) {
  if (!time.has_time) return {process, time.row, 0, 0};
  const uint64_t duration_ns = time.end_ns - time.start_ns;
  const uint64_t waited_ns = last_start_ns - std::min(last_start_ns, time.start_ns);
  return {process, time.row, duration_ns, std::min(duration_ns, waited_ns)};
}

}  // namespace

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
    if (end.time.nccl_group != 0) {
      AddToGroup(end, last_start_ns, waits);
    } else {
      waits->push_back(WaitOf(end.process, end.time, last_start_ns));
    }
  }
}

void CollectiveWaits::AddToGroup(const End& end, uint64_t last_start_ns,
                                 std::vector<CollectiveWait>* waits) {
  const GroupKey key = {end.process, end.time.nccl_group};
  const auto [found, added] = groups_.try_emplace(key);
  if (added) group_order_.push_back(key);
  Group& group = found->second;
  group.complete.push_back(end);
  group.last_start_ns = std::max(group.last_start_ns, last_start_ns);
  if (group.complete.size() == end.time.group_size) {
    for (const End& each : group.complete) {
      waits->push_back(WaitOf(each.process, each.time, group.last_start_ns));
    }
    groups_.erase(found);
  }
  while (group_order_.size() > kMaxCalls) {
    groups_.erase(group_order_.front());
    group_order_.pop_front();
  }
}

void CollectiveWaits::Add(size_t process, const CollectiveTime& time,
                          std::vector<CollectiveWait>* waits) {
  // In a group a rank may send to itself.
  const uint32_t least = time.nccl_group != 0 ? 1 : 2;
  if (time.match == 0 || time.end_count < least || time.end_count > kMaxEnds) return;
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
