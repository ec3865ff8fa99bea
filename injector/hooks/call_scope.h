// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// One hooked library call while it runs. The outermost call of a thread owns everything that is
// launched inside of it; calls within it only pass through.

#include <stdint.h>

#include "injector/scopes/attribution.h"
#include "injector/transport/record_sink.h"
#include "injector/transport/thread_state.h"
#include "proto/shm/api_ids.h"

namespace flopsprof::injector {

class CallScope {
 public:
  explicit CallScope(shm::ApiId api);
  ~CallScope();
  CallScope(const CallScope&) = delete;
  CallScope& operator=(const CallScope&) = delete;

  // False: nested, not recording, or a call of our own. Then only pass through.
  bool counted() const { return counted_; }

  // For a call that is not counted: is the only reason that work is not recorded now?
  bool outermost() const {
    return thread_ != nullptr && !thread_->inside_injector && !entered_ && IsConnected();
  }

  // If a capture is active anywhere, asks whether `stream` is being captured; its call is then
  // not executed now. `caller`: as for RealFunction.
  void AskCapture(void* stream, const void* caller);

  uint32_t id() const { return id_; }
  uint16_t api() const { return static_cast<uint16_t>(api_); }
  const Attribution& attribution() const { return attribution_; }
  ThreadState* thread() const { return thread_; }

  // Header of the record of this call.
  shm::RecordHeader Header(shm::RecordType type) const;

  // Called once when the call has succeeded: it then stands for the work of the framework's
  // operation around it, unless it only moves data. Counts a captured call of unknown capture.
  void NoteSuccess() const;

  // The library refused the call: what was launched inside is not its work.
  void EmitFailure(int status) const;

 private:
  ThreadState* const thread_;
  const shm::ApiId api_;
  bool entered_ = false;
  bool counted_ = false;
  bool captured_ = false;
  uint64_t capture_ = 0;
  uint32_t id_ = shm::kNoCall;
  Attribution attribution_{shm::kOutsideScope, shm::Phase::kOther, shm::kNoStep};
};

// Marks the calls that a hook itself makes into hooked libraries (getters).
class OwnCalls {
 public:
  explicit OwnCalls(ThreadState* thread) : thread_(thread), before_(thread->inside_injector) {
    thread_->inside_injector = true;
  }
  ~OwnCalls() { thread_->inside_injector = before_; }
  OwnCalls(const OwnCalls&) = delete;
  OwnCalls& operator=(const OwnCalls&) = delete;

 private:
  ThreadState* const thread_;
  const bool before_;
};

}  // namespace flopsprof::injector
