// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Every entry from C (a CUPTI or NVTX callback, a call of our own into a hooked library) stands
// behind one of these: inside of it, hooks and callbacks of this thread only pass through.

#include "injector/transport/record_sink.h"
#include "injector/transport/thread_state.h"

namespace flopsprof::injector {

class CallbackGuard {
 public:
  CallbackGuard() : thread_(CurrentThread()) {
    if (thread_ != nullptr && !thread_->inside_injector) {
      thread_->inside_injector = true;
      entered_ = true;
    }
  }
  ~CallbackGuard() {
    if (entered_) thread_->inside_injector = false;
  }
  CallbackGuard(const CallbackGuard&) = delete;
  CallbackGuard& operator=(const CallbackGuard&) = delete;

  // False: already inside, or no state for this thread. Do nothing then.
  bool entered() const { return entered_; }
  ThreadState* thread() const { return thread_; }

 private:
  ThreadState* const thread_;
  bool entered_ = false;
};

}  // namespace flopsprof::injector
