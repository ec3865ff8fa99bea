// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/operations/operation_scope.h"

#include "injector/graphs/graph_events.h"
#include "injector/operations/tensor_reader.h"
#include "injector/transport/record_sink.h"
#include "injector/transport/session_calls.h"

namespace flopsprof::injector {
namespace {

constexpr int kLeftByException = -1;

void Close(ThreadState* thread) {
  thread->counted_operation = 0;
  thread->operation_call = shm::kNoCall;
  thread->operation_captured = false;
  // Inside a library call its own number stays current.
  if (thread->hook_depth != 0) return;
  thread->current_call = shm::kNoCall;
  thread->current_call_captured = false;
}

}  // namespace

uint32_t BeginOperation(ThreadState* thread) {
  const int32_t depth = ++thread->operation_depth;
  if (thread->counted_operation != 0 || thread->hook_depth != 0 || thread->inside_injector ||
      !SessionWantsRecords()) {
    return shm::kNoCall;
  }
  if (!HasRing(thread)) EnsureRing(thread);  // call ids belong to a ring
  uint32_t id = ++thread->last_call;
  if (id == shm::kNoCall) id = ++thread->last_call;
  thread->counted_operation = depth;
  thread->operation_call = id;
  thread->library_in_operation = false;
  thread->current_call = id;
  AddOwn(&thread->hook_calls, 1);
  return id;
}

OperationEnd EndOperation(ThreadState* thread, bool counted) {
  if (thread->operation_depth > 0) --thread->operation_depth;
  if (!counted) return OperationEnd::kOwn;
  Close(thread);
  return thread->library_in_operation ? OperationEnd::kLibrary : OperationEnd::kOwn;
}

void EmitOperationWithoutWork(uint32_t call, uint32_t scope, int status) {
  shm::CallEnd end{};
  end.header.type = static_cast<uint16_t>(shm::RecordType::kCallEnd);
  end.header.step = shm::kNoStep;
  end.call = call;
  end.status = status;
  end.scope = scope;
  EmitCall(&end);
}

void AbandonOperation() {
  ThreadState* thread = current_thread_state;
  if (thread == nullptr || thread->operation_depth <= 0) return;
  const bool counted = thread->operation_depth == thread->counted_operation;
  --thread->operation_depth;
  if (!counted) return;
  const uint32_t call = thread->operation_call;
  Close(thread);
  EmitOperationWithoutWork(call, CurrentAttribution().scope, kLeftByException);
}

uint32_t BeginNamedOperation() {
  ThreadState* thread = CurrentThread();
  if (thread == nullptr) return shm::kNoCall;
  const uint32_t call = BeginOperation(thread);
  Capture capture;
  if (call == shm::kNoCall || !TensorReader::Get().IsCaptured(&capture)) return call;
  EmitGraphCall(call, CurrentAttribution(), capture);
  thread->operation_captured = capture.id != 0;
  thread->current_call_captured = true;
  return call;
}

void EndNamedOperation(const NamedOperation& operation) {
  ThreadState* thread = CurrentThread();
  if (thread == nullptr) return;
  const bool counted = operation.call != shm::kNoCall;
  const Attribution at = CurrentAttribution();
  const bool in_known_capture = thread->operation_captured;
  // The thread's flag: CUPTI has shown that a node was made, of a capture that no hook has seen.
  const bool captured = in_known_capture || thread->current_call_captured;
  if (EndOperation(thread, counted) == OperationEnd::kLibrary && counted) {
    return EmitOperationWithoutWork(operation.call, at.scope, 0);
  }
  if (!counted) return;
  shm::NamedWork work{};
  work.header.type = static_cast<uint16_t>(shm::RecordType::kNamedWork);
  work.header.phase = static_cast<uint8_t>(at.phase);
  work.header.flags = captured ? shm::kFlagCaptured : uint8_t{0};
  work.header.step = at.step;
  work.call = operation.call;
  work.scope = at.scope;
  work.type = operation.type;
  work.known = operation.known ? 1 : 0;
  work.name = InternString(operation.name, operation.name_bytes);
  work.shape = InternString(operation.shape, operation.shape_bytes);
  work.reason = InternString(operation.reason, operation.reason_bytes);
  work.flops = operation.flops;
  work.recompute_flops = operation.recompute_flops;
  EmitCall(&work);
  if (captured && !in_known_capture) CountLoss(shm::LossCounter::kCapturedCall);
}

OperationScope::OperationScope(shm::OperationId operation) : thread_(CurrentThread()), call_{} {
  if (thread_ == nullptr) return;
  const uint32_t id = BeginOperation(thread_);
  counted_ = id != shm::kNoCall;
  if (!counted_) return;
  const Attribution at = CurrentAttribution();
  call_.header.type = static_cast<uint16_t>(shm::RecordType::kOperation);
  call_.header.phase = static_cast<uint8_t>(at.phase);
  call_.header.step = at.step;
  call_.call = id;
  call_.scope = at.scope;
  call_.operation = static_cast<uint16_t>(operation);
  call_.type = -1;
}

void OperationScope::SetCaptured(const Capture& capture) {
  capture_ = capture.id;
  EmitGraphCall(call_.call,
                {call_.scope, static_cast<shm::Phase>(call_.header.phase), call_.header.step},
                capture);
  call_.header.flags |= shm::kFlagCaptured;
  thread_->operation_captured = true;
  thread_->current_call_captured = true;
}

void OperationScope::End() {
  if (thread_ == nullptr) return;
  // CUPTI has shown a node of a capture that no hook has seen.
  if (counted_ && thread_->current_call_captured) call_.header.flags |= shm::kFlagCaptured;
  if (EndOperation(thread_, counted_) == OperationEnd::kLibrary && counted_) {
    return EmitOperationWithoutWork(call_.call, call_.scope, 0);
  }
  if (!counted_) return;
  EmitCall(&call_);
  if ((call_.header.flags & shm::kFlagCaptured) != 0 && capture_ == 0)
    CountLoss(shm::LossCounter::kCapturedCall);
}

}  // namespace flopsprof::injector
