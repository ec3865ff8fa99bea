// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/hooks/call_scope.h"

#include "injector/cupti/device_info.h"
#include "injector/graphs/capture_state.h"
#include "injector/graphs/graph_events.h"
#include "injector/transport/session_calls.h"

namespace flopsprof::injector {
namespace {

bool IsCollective(shm::ApiId api) {
  return api >= shm::ApiId::ncclAllReduce && api <= shm::ApiId::ncclScatter;
}

}  // namespace

FLOPSPROF_HOT CallScope::CallScope(shm::ApiId api) : thread_(CurrentThread()), api_(api) {
  if (thread_ == nullptr || thread_->inside_injector) return;
  if (thread_->hook_depth != 0) {
    ++thread_->hook_depth;
    entered_ = true;
    return;
  }
  if (!SessionWantsRecords()) return;
  entered_ = true;
  counted_ = true;
  thread_->hook_depth = 1;
  if (!HasRing(thread_))
    EnsureRing(thread_);  // call ids belong to a ring: take it before the first id
  id_ = ++thread_->last_call;
  if (id_ == shm::kNoCall) id_ = ++thread_->last_call;
  thread_->current_call = id_;
  attribution_ = CurrentAttribution();
  AddOwn(&thread_->hook_calls, 1);
  if (!thread_->device_known) {
    thread_->device_known = true;
    OwnCalls own(thread_);
    NoteCurrentDevice();
  }
}

CallScope::~CallScope() {
  if (!entered_) return;
  if (--thread_->hook_depth == 0) {
    // Back in the operation of the framework, if any, that has made the call.
    thread_->current_call = thread_->operation_call;
    thread_->current_call_captured = thread_->operation_captured;
  }
}

void CallScope::AskCapture(void* stream, const void* caller) {
  if (!AnyCaptureIsActive()) return;
  OwnCalls own(thread_);
  Capture capture;
  captured_ = FindCapture(stream, caller, &capture);
  thread_->current_call_captured = captured_;
  capture_ = capture.id;
  if (captured_) EmitGraphCall(id_, attribution_, capture);
}

shm::RecordHeader CallScope::Header(shm::RecordType type) const {
  shm::RecordHeader header{};
  header.type = static_cast<uint16_t>(type);
  header.phase = static_cast<uint8_t>(attribution_.phase);
  // The thread's flag: CUPTI has shown that a node was made, of a capture that no hook has seen.
  const bool captured = captured_ || thread_->current_call_captured;
  header.flags = captured ? shm::kFlagCaptured : uint8_t{0};
  header.step = attribution_.step;
  return header;
}

void CallScope::NoteSuccess() const {
  if (!IsCollective(api_)) thread_->library_in_operation = true;
  const bool captured = captured_ || thread_->current_call_captured;
  if (captured && capture_ == 0) CountLoss(shm::LossCounter::kCapturedCall);
}

void CallScope::EmitFailure(int status) const {
  shm::CallEnd end{};
  end.header = Header(shm::RecordType::kCallEnd);
  end.call = id_;
  end.status = status;
  end.api = api();
  end.scope = attribution_.scope;
  EmitCall(&end);
}

}  // namespace flopsprof::injector
