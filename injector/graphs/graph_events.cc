// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/graphs/graph_events.h"

#include <atomic>

#include "injector/transport/record_sink.h"

namespace flopsprof::injector {
namespace {

std::atomic<uint64_t> newest_event{0};
std::atomic<const GraphIdSource*> id_source{nullptr};

uint32_t IdOfGraph(const void* graph) {
  const GraphIdSource* source = id_source.load(std::memory_order_acquire);
  return source == nullptr ? 0 : source->of_graph(graph);
}

uint32_t IdOfExecutable(const void* executable) {
  const GraphIdSource* source = id_source.load(std::memory_order_acquire);
  return source == nullptr ? 0 : source->of_executable(executable);
}

}  // namespace

// Release; pairs with the acquire in IdOfGraph.
void SetGraphIdSource(const GraphIdSource* source) {
  id_source.store(source, std::memory_order_release);
}

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
    if (objects.graph != nullptr) event.graph_id = IdOfGraph(objects.graph);
    if (objects.executable != nullptr) {
      event.other_id = IdOfExecutable(objects.executable);
    } else if (objects.source != nullptr) {
      event.other_id = IdOfGraph(objects.source);
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
  thread_->copied_graph_id = source != nullptr && IsRecording() ? IdOfGraph(source) : 0;
}

GraphCall::~GraphCall() {
  if (!outermost_) return;
  thread_->in_graph_call = false;
  thread_->copied_graph_id = 0;
}

}  // namespace flopsprof::injector
