// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "collector/agent/calls/collective_waits.h"
#include "collector/agent/rings/ring_reader.h"
#include "collector/agent/tables/work.h"
#include "proto/shm/records.h"

namespace flopsprof::agent {

// Calls of one process that NCCL runs as one kernel: those between ncclGroupStart and ncclGroupEnd.
// The last one, which comes without kFlagMore, owns the kernel. A group over several communicators
// has a kernel for each, and nothing says which is whose: its calls stay without matches. Keeps the
// newest kMaxGroups. One thread.
class CollectiveGroups {
 public:
  // Takes each collective of a ring in order; gives the last of a group the group's number.
  void Add(RingId ring, const shm::CollectiveCall& call, BookedCall* booked);
  // A call of the ring has failed: what is open there stays without matches.
  void Forget(RingId ring) { open_.erase(RingKey(ring)); }

  // Appends an end for each call of the group, all at the times of its kernel.
  void AppendTimes(uint64_t nccl_group, uint64_t start_ns, uint64_t end_ns,
                   std::vector<CollectiveTime>* times) const;

 private:
  static constexpr size_t kMaxGroups = 1 << 14;
  static constexpr size_t kMaxCalls = 1 << 12;  // of one group

  struct Open {
    uint64_t communicator = 0;
    int32_t rank = -1;
    bool matched = true;
    std::vector<BookedCall> calls;
  };
  static uint64_t RingKey(RingId ring) { return uint64_t{ring.generation} << 32 | ring.slot; }

  absl::flat_hash_map<uint64_t, Open> open_;  // by ring
  absl::flat_hash_map<uint64_t, std::vector<BookedCall>> groups_;
  std::deque<uint64_t> order_;
  uint64_t last_number_ = 0;
};

}  // namespace flopsprof::agent
