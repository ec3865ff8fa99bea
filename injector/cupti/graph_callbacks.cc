// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/cupti/graph_callbacks.h"

#include "injector/cupti/cupti_session.h"
#include "injector/cupti/spared_callbacks.h"
#include "injector/graphs/capture_state.h"
#include "injector/scopes/attribution.h"
#include "injector/transport/callback_guard.h"
#include "injector/transport/record_sink.h"

namespace flopsprof::injector {
namespace {

shm::ActivityKind KindOf(int node_type) {
  switch (node_type) {
    case kNodeKernel:
      return shm::ActivityKind::kKernel;
    case kNodeMemcpy:
      return shm::ActivityKind::kMemcpy;
    case kNodeMemset:
      return shm::ActivityKind::kMemset;
    default:
      return shm::ActivityKind::kUnspecified;
  }
}

void EmitNode(const ThreadState& thread, const CuptiGraphData& data, uint32_t correlation,
              uint64_t node, uint64_t source) {
  const Attribution at = CurrentAttribution();
  shm::GraphNode record{};
  record.header.type = static_cast<uint16_t>(shm::RecordType::kGraphNode);
  record.header.phase = static_cast<uint8_t>(at.phase);
  record.header.step = at.step;
  record.correlation = correlation;
  record.scope = at.scope;
  record.call = source == 0 ? thread.current_call : shm::kNoCall;
  record.kind = static_cast<uint8_t>(KindOf(data.node_type));
  record.node = node;
  record.source = source;
  record.graph = reinterpret_cast<uintptr_t>(data.graph);
  EmitRecord(&record);
}

// 0: of no launch that a callback has told of. Its node is known without.
uint32_t LaunchOfNode(const ThreadState& thread) {
  if (thread.open_launch != 0 || !SparesCallbacks()) return thread.last_correlation;
  NoteLaunchWithoutCallback();
  return 0;
}

void OnCreated(ThreadState* thread, const CuptiGraphData& data) {
  const uint64_t node = CuptiNodeId(data.node);
  if (node == 0) return;
  // Made by a launch, unless it was added by hand; the launch is then no work of its own.
  const bool by_launch =
      !thread->in_graph_call && (AnyCaptureIsActive() || thread->current_call != shm::kNoCall);
  if (thread->current_call != shm::kNoCall) thread->current_call_captured = true;
  EmitNode(*thread, data, by_launch ? LaunchOfNode(*thread) : 0, node, 0);
}

void OnCloned(const ThreadState& thread, const CuptiGraphData& data) {
  const uint64_t node = CuptiNodeId(data.node);
  const uint64_t source = CuptiNodeId(data.original_node);
  if (node == 0 || source == 0) return;
  // The rule: the number within the graph stays, and the graph is the one that is copied.
  const bool as_expected = static_cast<uint32_t>(node) == static_cast<uint32_t>(source) &&
                           source >> 32 == thread.copied_graph_id;
  if (!as_expected) EmitNode(thread, data, 0, node, source);
}

}  // namespace

void EnableGraphCallbacks(const CuptiApi& api, CuptiSubscriber subscriber) {
  if (api.GetGraphNodeId == nullptr) return;
  api.EnableCallback(1, subscriber, kCuptiResource, kCuptiGraphNodeCreated);
  api.EnableCallback(1, subscriber, kCuptiResource, kCuptiGraphNodeCloned);
}

void OnGraphResource(uint32_t cbid, const void* raw) {
  if (!IsRecording() || raw == nullptr) return;
  const auto* data =
      static_cast<const CuptiGraphData*>(static_cast<const CuptiResourceData*>(raw)->descriptor);
  if (data == nullptr || KindOf(data->node_type) == shm::ActivityKind::kUnspecified) return;
  CallbackGuard guard;
  if (!guard.entered()) return;
  if (cbid == kCuptiGraphNodeCreated) OnCreated(guard.thread(), *data);
  if (cbid == kCuptiGraphNodeCloned) OnCloned(*guard.thread(), *data);
}

}  // namespace flopsprof::injector
