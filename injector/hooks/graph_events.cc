// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/hooks/graph_events.h"

#include <atomic>

#include "injector/cupti/cupti_session.h"
#include "injector/transport/record_sink.h"

namespace flopsprof::injector {
namespace {

std::atomic<uint64_t> newest_event{0};

}  // namespace

uint64_t NewestGraphEvent() { return newest_event.load(std::memory_order_relaxed); }

void EmitGraphEvent(shm::GraphEventKind kind, const GraphObjects& objects) {
  // While work is not recorded, too: an address that is used again must not mean the old graph.
  if (!IsConnected()) return;
  shm::GraphEvent event{};
  event.header.type = static_cast<uint16_t>(shm::RecordType::kGraphEvent);
  event.header.step = shm::kNoStep;
  event.kind = static_cast<uint8_t>(kind);
  event.capture = objects.capture;
  event.graph = reinterpret_cast<uintptr_t>(objects.graph);
  event.source = reinterpret_cast<uintptr_t>(objects.source);
  event.executable = reinterpret_cast<uintptr_t>(objects.executable);
  const bool destruction =
      kind == shm::GraphEventKind::kExecDestroy || kind == shm::GraphEventKind::kGraphDestroy;
  if (!destruction) {
    if (objects.graph != nullptr) event.graph_id = CuptiGraphId(objects.graph);
    if (objects.executable != nullptr) {
      event.other_id = CuptiExecutableId(objects.executable);
    } else if (objects.source != nullptr) {
      event.other_id = CuptiGraphId(objects.source);
    }
  }
  event.order = newest_event.fetch_add(1, std::memory_order_relaxed) + 1;
  EmitRecord(&event);  // a lost one leaves a hole in the numbers, which the reader counts
}

void EmitGraphCall(uint32_t call, const Attribution& at, const Capture& capture) {
  shm::GraphCall record{};
  record.header.type = static_cast<uint16_t>(shm::RecordType::kGraphCall);
  record.header.phase = static_cast<uint8_t>(at.phase);
  record.header.flags = shm::kFlagCaptured;
  record.header.step = at.step;
  record.call = call;
  record.scope = at.scope;
  record.capture = capture.id;
  record.graph = reinterpret_cast<uintptr_t>(capture.graph);
  EmitRecord(&record);
}

GraphCall::GraphCall(const void* source) : thread_(CurrentThread()) {
  if (thread_ == nullptr || thread_->inside_injector || thread_->in_graph_call) return;
  outermost_ = true;
  thread_->in_graph_call = true;
  thread_->copied_graph_id = source != nullptr && IsRecording() ? CuptiGraphId(source) : 0;
}

GraphCall::~GraphCall() {
  if (!outermost_) return;
  thread_->in_graph_call = false;
  thread_->copied_graph_id = 0;
}

}  // namespace flopsprof::injector
