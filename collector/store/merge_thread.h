// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <functional>
#include <thread>

#include "collector/base/mutex.h"

namespace flopsprof::store {

// A thread that works as long as there is work, and waits to be woken. After a failure it waits a
// while, longer each time.
class MergeThread {
 public:
  // `work` returns after how long there will be more of it; infinite: when it is woken.
  explicit MergeThread(std::function<absl::StatusOr<absl::Duration>()> work);
  ~MergeThread();  // the work that is being done is done to its end

  // False: the machine has no room for a thread.
  bool is_running() const { return thread_.joinable(); }
  void Wake();

 private:
  void Run();
  // `pause`: however often it is woken; then until it is woken, or `at_most`. False: stop.
  bool WaitForWork(absl::Duration pause, absl::Duration at_most);

  const std::function<absl::StatusOr<absl::Duration>()> work_;
  base::Mutex mutex_;
  base::CondVar condition_;
  bool woken_ ABSL_GUARDED_BY(mutex_) = true;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace flopsprof::store
