// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/merge_thread.h"

#include <algorithm>
#include <csignal>
#include <utility>

#include "collector/base/clock.h"
#include "collector/base/log.h"

namespace flopsprof::store {
namespace {

constexpr absl::Duration kFirstPause = absl::Milliseconds(100);
constexpr absl::Duration kLongestPause = absl::Seconds(5);

}  // namespace

MergeThread::MergeThread(std::function<absl::StatusOr<bool>()> work) : work_(std::move(work)) {
  // Signals are for the threads of whoever hosts us.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { Run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

MergeThread::~MergeThread() {
  {
    base::MutexLock lock(&mutex_);
    stopping_ = true;
    condition_.SignalAll();
  }
  thread_.join();
}

void MergeThread::Wake() {
  base::MutexLock lock(&mutex_);
  woken_ = true;
  condition_.SignalAll();
}

void MergeThread::Run() {
  absl::Duration pause = absl::ZeroDuration();
  while (WaitForWork(pause)) {
    const absl::StatusOr<bool> more = work_();
    if (more.ok()) {
      pause = absl::ZeroDuration();
      if (*more) Wake();
      continue;
    }
    if (pause == absl::ZeroDuration()) {
      base::Log().warn("what was stored is not merged yet: {}",
                       std::string(more.status().message()));
    }
    pause = std::clamp(2 * pause, kFirstPause, kLongestPause);
    Wake();
  }
}

bool MergeThread::WaitForWork(absl::Duration pause) {
  base::MutexLock lock(&mutex_);
  // Whoever wakes it makes it look at the clock again, wherever the clock of the day went.
  const uint64_t begin_ns = base::Clock::Real().MonoNs();
  while (!stopping_) {
    const auto since = absl::Nanoseconds(base::Clock::Real().MonoNs() - begin_ns);
    if (since >= pause) break;
    condition_.WaitWithTimeout(&mutex_, pause - since);
  }
  while (!stopping_ && !woken_) condition_.Wait(&mutex_);
  woken_ = false;
  return !stopping_;
}

}  // namespace flopsprof::store
