// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
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
// nodes are never complete and fall out. Keeps the newest 65,536 calls, those that are complete
// too: a further kernel of one must not begin it again. One thread.
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

  static bool IsFurtherKernel(size_t process, const CollectiveTime& time, std::vector<End>* ends);
  static void AppendWaits(const std::vector<End>& ends, std::vector<CollectiveWait>* waits);

  absl::flat_hash_map<uint64_t, Call> calls_;  // by CollectiveTime::match
  std::deque<uint64_t> order_;                 // their matches, oldest first
  size_t pending_count_ = 0;                   // of them, those that are not done
};

}  // namespace flopsprof::agent
