// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"

namespace flopsprof::agent {

// One end of a collective, or of a send and its receive: the kernel of one rank.
struct CollectiveTime {
  uint64_t match = 0;      // the same on all ends of one call, and on no others
  uint32_t end_count = 0;  // of the call
  int32_t rank = -1;       // in the communicator
  uint32_t row = 0;        // of the process's call rows
  uint64_t start_ns = 0;   // on a clock that all processes of the node share
  uint64_t end_ns = 0;
  // A kernel can be one end of several calls, an NCCL group. Then: a number that only these calls
  // have in the process, how many they are, and whether this call's row has the kernel's time.
  uint64_t nccl_group = 0;
  uint32_t group_size = 0;
  bool has_time = true;
};

// What one end of a call has spent until the last end began.
struct CollectiveWait {
  size_t process = 0;
  uint32_t row = 0;
  uint64_t duration_ns = 0;
  uint64_t wait_ns = 0;
};

// Finds the ends of a call among the processes of one node: a kernel that began before the last
// one of its call has waited until then, what is left was the transfer. Calls with ends on other
// nodes are never complete and fall out. The kernel of a group has waited for the last end of all
// of its calls; none of them is known before all are. Keeps the newest 65,536 calls, those that are
// complete too: a further kernel of one must not begin it again. One thread.
class CollectiveWaits {
 public:
  // `process`: any number that tells processes apart. Appends what is known now to `waits`.
  void Add(size_t process, const CollectiveTime& time, std::vector<CollectiveWait>* waits);

  size_t pending_count() const { return pending_count_; }
  size_t kept_count() const { return order_.size(); }

 private:
  static constexpr size_t kMaxCalls = 1 << 16;
  static constexpr uint32_t kMaxEnds = 1 << 12;

  struct End {
    size_t process;
    CollectiveTime time;
  };

  struct Call {
    std::vector<End> ends;
    bool done = false;
  };

  // The kernel of a group whose calls are complete in part.
  struct Group {
    std::vector<End> complete;
    uint64_t last_start_ns = 0;
  };
  using GroupKey = std::pair<size_t, uint64_t>;  // process, CollectiveTime::nccl_group

  static bool IsFurtherKernel(size_t process, const CollectiveTime& time, std::vector<End>* ends);
  void AppendWaits(const std::vector<End>& ends, std::vector<CollectiveWait>* waits);
  void AddToGroup(const End& end, uint64_t last_start_ns, std::vector<CollectiveWait>* waits);

  absl::flat_hash_map<uint64_t, Call> calls_;  // by CollectiveTime::match
  absl::flat_hash_map<GroupKey, Group> groups_;
  std::deque<GroupKey> group_order_;  // of groups_ and of those that are complete
  std::deque<uint64_t> order_;        // their matches, oldest first
  size_t pending_count_ = 0;          // of them, those that are not done
};

}  // namespace flopsprof::agent
