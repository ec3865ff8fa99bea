// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/merge_backlog.h"

#include <absl/time/clock.h>

#include "collector/base/clock.h"

namespace flopsprof::store {
namespace {

// A record costs the merger something however small it is.
constexpr uint64_t kBytesOfARecord = 1024;
// Sleeps in turns: a wait with a time limit would go by the clock of the day, which may be set
// back.
constexpr absl::Duration kTurn = absl::Milliseconds(10);

}  // namespace

bool MergeBacklog::WaitForRoom(absl::Duration patience) {
  const uint64_t begin_ns = base::Clock::Real().MonoNs();
  while (bytes() >= most_bytes_) {
    if (absl::Nanoseconds(base::Clock::Real().MonoNs() - begin_ns) >= patience) return false;
    absl::SleepFor(kTurn);
  }
  return true;
}

void MergeBacklog::Add(uint64_t sequence, uint64_t bytes) {
  base::MutexLock lock(&mutex_);
  if (sequence <= merged_) return;
  ahead_[sequence] = bytes + kBytesOfARecord;
  bytes_ += bytes + kBytesOfARecord;
}

void MergeBacklog::MergedThrough(uint64_t sequence) {
  base::MutexLock lock(&mutex_);
  merged_ = sequence;
  while (!ahead_.empty() && ahead_.begin()->first <= sequence) {
    bytes_ -= ahead_.begin()->second;
    ahead_.erase(ahead_.begin());
  }
}

uint64_t MergeBacklog::bytes() {
  base::MutexLock lock(&mutex_);
  return bytes_;
}

}  // namespace flopsprof::store
