// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/time/time.h>

#include <cstdint>
#include <map>

#include "collector/base/mutex.h"

namespace flopsprof::store {

// How far a log is ahead of what was merged of it, in bytes of requests as they came. Any thread.
class MergeBacklog {
 public:
  explicit MergeBacklog(uint64_t most_bytes) : most_bytes_(most_bytes) {}

  // False: there was no room for `patience`. One request more than there is room for is let in by
  // each of the threads that wait.
  bool WaitForRoom(absl::Duration patience);
  // A record that is in the log now.
  void Add(uint64_t sequence, uint64_t bytes);
  // All up to that number is merged.
  void MergedThrough(uint64_t sequence);

  uint64_t bytes();

 private:
  const uint64_t most_bytes_;
  base::Mutex mutex_;
  // By number: threads add in any order, some after the record was merged.
  std::map<uint64_t, uint64_t> ahead_ ABSL_GUARDED_BY(mutex_);
  uint64_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  uint64_t merged_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace flopsprof::store
