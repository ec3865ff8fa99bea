// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/merge_thread.h"

#include <algorithm>
#include <utility>

#include "collector/base/clock.h"
#include "collector/base/log.h"
#include "collector/base/thread.h"

namespace flopsprof::store {
namespace {

constexpr absl::Duration kFirstPause = absl::Milliseconds(100);
constexpr absl::Duration kLongestPause = absl::Seconds(5);

}  // namespace

MergeThread::MergeThread(std::function<absl::StatusOr<absl::Duration>()> work)
    : work_(std::move(work)) {
  thread_ = base::StartThread([this] { Run(); });
}

MergeThread::~MergeThread() {
  {
    base::MutexLock lock(&mutex_);
    stopping_ = true;
    condition_.SignalAll();
  }
  if (thread_.joinable()) thread_.join();
}

void MergeThread::Wake() {
  base::MutexLock lock(&mutex_);
  woken_ = true;
  condition_.SignalAll();
}

void MergeThread::Run() {
  absl::Duration pause = absl::ZeroDuration();
  absl::Duration at_most = absl::InfiniteDuration();
  while (WaitForWork(pause, at_most)) {
    const absl::StatusOr<absl::Duration> next = work_();
    if (next.ok()) {
      pause = absl::ZeroDuration();
      at_most = *next;
      continue;
    }
    if (pause == absl::ZeroDuration()) {
      base::Log().warn("what was stored is not merged yet: {}",
                       std::string(next.status().message()));
    }
    pause = at_most = std::clamp(2 * pause, kFirstPause, kLongestPause);
  }
}

bool MergeThread::WaitForWork(absl::Duration pause, absl::Duration at_most) {
  base::MutexLock lock(&mutex_);
  // Whoever wakes it makes it look at the clock again, wherever the clock of the day went.
  const uint64_t begin_ns = base::Clock::Real().MonoNs();
  while (!stopping_) {
    const auto since = absl::Nanoseconds(base::Clock::Real().MonoNs() - begin_ns);
    const absl::Duration until = woken_ ? pause : at_most;
    if (since >= until) break;
    if (until == absl::InfiniteDuration()) {
      condition_.Wait(&mutex_);
    } else {
      condition_.WaitWithTimeout(&mutex_, until - since);
    }
  }
  woken_ = false;
  return !stopping_;
}

}  // namespace flopsprof::store
