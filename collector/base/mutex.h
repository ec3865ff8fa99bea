// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// One mutex for the collector: absl::Mutex with its annotations. Under the thread sanitizer it
// is std::mutex, because a distribution's Abseil is not built for that sanitizer, which then
// reports correctly locked data as races.

#if defined(__SANITIZE_THREAD__)
#define FLOPSPROF_STD_MUTEX 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define FLOPSPROF_STD_MUTEX 1
#endif
#endif

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

#ifdef FLOPSPROF_STD_MUTEX
#include <chrono>
#include <condition_variable>
#include <mutex>
#endif

namespace flopsprof::base {

#ifdef FLOPSPROF_STD_MUTEX

class ABSL_LOCKABLE Mutex {
 public:
  void Lock() ABSL_EXCLUSIVE_LOCK_FUNCTION() { mutex_.lock(); }
  void Unlock() ABSL_UNLOCK_FUNCTION() { mutex_.unlock(); }

 private:
  friend class CondVar;
  std::mutex mutex_;
};

class CondVar {
 public:
  void Signal() { condition_.notify_one(); }
  void SignalAll() { condition_.notify_all(); }
  void Wait(Mutex* mutex) {
    std::unique_lock<std::mutex> lock(mutex->mutex_, std::adopt_lock);
    condition_.wait(lock);
    lock.release();
  }
  // True: the time is over.
  bool WaitWithTimeout(Mutex* mutex, absl::Duration timeout) {
    std::unique_lock<std::mutex> lock(mutex->mutex_, std::adopt_lock);
    const auto until = std::chrono::system_clock::now() + absl::ToChronoNanoseconds(timeout);
    const bool over = condition_.wait_until(lock, until) == std::cv_status::timeout;
    lock.release();
    return over;
  }

 private:
  std::condition_variable condition_;
};

#else

using Mutex = absl::Mutex;
using CondVar = absl::CondVar;

#endif

class ABSL_SCOPED_LOCKABLE MutexLock {
 public:
  explicit MutexLock(Mutex* mutex) ABSL_EXCLUSIVE_LOCK_FUNCTION(mutex) : mutex_(mutex) {
    mutex_->Lock();
  }
  ~MutexLock() ABSL_UNLOCK_FUNCTION() { mutex_->Unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex* const mutex_;
};

}  // namespace flopsprof::base
