// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/calls/collective_groups.h"

namespace flopsprof::agent {

void CollectiveGroups::Add(RingId ring, const shm::CollectiveCall& call, BookedCall* booked) {
  const bool goes_on = (call.header.flags & shm::kFlagMore) != 0;
  const auto found = open_.find(RingKey(ring));
  if (found == open_.end() && !goes_on) return;  // the common case: a call alone
  Open& open = found != open_.end() ? found->second : open_[RingKey(ring)];
  if (open.calls.empty()) {
    open.communicator = call.group;
    open.rank = call.rank;
  }
  const bool same = open.communicator == call.group && open.rank == call.rank;
  open.matched = open.matched && same && booked->match != 0 && open.calls.size() < kMaxCalls;
  if (open.matched) open.calls.push_back(*booked);
  if (goes_on) return;
  booked->match = 0;
  if (open.matched) {
    booked->nccl_group = ++last_number_;
    groups_.emplace(last_number_, std::move(open.calls));
    order_.push_back(last_number_);
    if (order_.size() > kMaxGroups) {
      groups_.erase(order_.front());
      order_.pop_front();
    }
  }
  open_.erase(RingKey(ring));
}

void CollectiveGroups::AppendTimes(uint64_t nccl_group, uint64_t start_ns, uint64_t end_ns,
                                   std::vector<CollectiveTime>* times) const {
  const auto found = groups_.find(nccl_group);
  if (found == groups_.end()) return;
  const auto size = static_cast<uint32_t>(found->second.size());
  for (uint32_t i = 0; i < size; i++) {
    const BookedCall& call = found->second[i];
    times->push_back({call.match, call.end_count, call.rank, call.row, start_ns, end_ns, nccl_group,
                      size, /*has_time=*/i + 1 == size});
  }
}

}  // namespace flopsprof::agent
