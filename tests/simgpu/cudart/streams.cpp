// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Streams, events, capture and graphs.
#include "cudart.h"

namespace simgpu {
namespace {

struct Event {
  uint64_t time_ns = 0;     // when the stream reaches it; 0: never recorded
  void* capture = nullptr;  // graph, if recorded on a capturing stream
};

Event* ToEvent(cudaEvent_t event) { return reinterpret_cast<Event*>(event); }

cudaError_t RecordEvent(cudaEvent_t handle, cudaStream_t stream) {
  Event* event = ToEvent(handle);
  event->capture = sim_capture_graph(stream);
  if (event->capture) return cudaSuccess;
  const uint64_t tail = sim_stream_tail(stream), now = sim_now();
  event->time_ns = tail > now ? tail : now;
  return cudaSuccess;
}

bool NotReached(uint64_t time_ns) { return sim_realtime() && time_ns > sim_now(); }

cudaError_t CreateStream(cudaStream_t* stream) {
  sim_inject();
  *stream = static_cast<cudaStream_t>(sim_stream_create());
  return cudaSuccess;
}

constexpr int kStreamSynchronize = 3;  // CUpti_ActivitySynchronizationType

}  // namespace
}  // namespace simgpu

using simgpu::ToEvent;

// ---- Streams ----

API cudaError_t cudaStreamCreate(cudaStream_t* stream) { return simgpu::CreateStream(stream); }
API cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  return simgpu::CreateStream(stream);
}
API cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
  return simgpu::CreateStream(stream);
}
API cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  sim_stream_destroy(stream);
  return cudaSuccess;
}
API cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  sim_sync_stream(stream, simgpu::kStreamSynchronize);
  return cudaSuccess;
}
API cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return simgpu::NotReached(sim_stream_tail(stream)) ? cudaErrorNotReady : cudaSuccess;
}
API cudaError_t cudaStreamGetPriority(cudaStream_t, int* priority) {
  *priority = 0;
  return cudaSuccess;
}
API cudaError_t cudaStreamGetFlags(cudaStream_t, unsigned* flags) {
  *flags = 0;
  return cudaSuccess;
}
API cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  *id = sim_stream_id(stream);
  return cudaSuccess;
}
API cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  *device = sim_stream_dev(stream);
  return cudaSuccess;
}

// ---- Events ----

API cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = reinterpret_cast<cudaEvent_t>(new simgpu::Event);
  return cudaSuccess;
}
API cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  return cudaEventCreate(event);
}
API cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete ToEvent(event);
  return cudaSuccess;
}
API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return simgpu::RecordEvent(event, stream);
}
API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return simgpu::RecordEvent(event, stream);
}
API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t handle, unsigned) {
  const simgpu::Event* event = ToEvent(handle);
  if (event->capture) {
    sim_capture_join(stream, event->capture);
  } else if (event->time_ns) {
    sim_stream_wait_until(stream, event->time_ns);
  }
  return cudaSuccess;
}
API cudaError_t cudaEventQuery(cudaEvent_t event) {
  return simgpu::NotReached(ToEvent(event)->time_ns) ? cudaErrorNotReady : cudaSuccess;
}
API cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  sim_wait_until(ToEvent(event)->time_ns);
  return cudaSuccess;
}
API cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end) {
  const auto ns = static_cast<int64_t>(ToEvent(end)->time_ns - ToEvent(start)->time_ns);
  *ms = static_cast<float>(static_cast<double>(ns) / 1e6);
  return cudaSuccess;
}

// ---- Capture ----

static cudaStreamCaptureStatus Status(int capturing) {
  return capturing ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusNone;
}

API cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode*) { return cudaSuccess; }
API cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  return sim_capture_begin(stream) ? cudaErrorStreamCaptureUnsupported : cudaSuccess;
}
API cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return sim_capture_end(stream, reinterpret_cast<void**>(graph))
             ? cudaErrorStreamCaptureInvalidated
             : cudaSuccess;
}
API cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  *status = Status(sim_capture_status(stream, nullptr, nullptr));
  return cudaSuccess;
}
API cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                         unsigned long long* id, cudaGraph_t* graph,
                                         const cudaGraphNode_t** dependencies,
                                         const cudaGraphEdgeData** edges, size_t* count) {
  *status = Status(sim_capture_status(stream, id, reinterpret_cast<void**>(graph)));
  if (dependencies) *dependencies = nullptr;
  if (edges) *edges = nullptr;
  if (count) *count = 0;
  return cudaSuccess;
}

// ---- Graphs ----

API cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned) {
  *graph = static_cast<cudaGraph_t>(sim_graph_new());
  return cudaSuccess;
}
API cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  sim_graph_free(graph);
  return cudaSuccess;
}
API cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  const size_t size = sim_graph_size(graph);
  if (!nodes || *count > size) *count = size;
  for (size_t i = 0; nodes && i < *count; ++i) {
    sim_graph_node(graph, i, reinterpret_cast<void**>(&nodes[i]));
  }
  return cudaSuccess;
}
API cudaError_t cudaGraphInstantiate(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
  *exec = static_cast<cudaGraphExec_t>(sim_graph_instantiate(graph));
  return cudaSuccess;
}
API cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* exec, cudaGraph_t graph,
                                              unsigned long long flags) {
  return cudaGraphInstantiate(exec, graph, flags);
}
API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  sim_graph_exec_free(exec);
  return cudaSuccess;
}
API cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) { return cudaSuccess; }
API cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  sim_graph_launch(exec, stream);
  return cudaSuccess;
}
API cudaError_t cudaUserObjectCreate(cudaUserObject_t* object, void*, cudaHostFn_t, unsigned,
                                     unsigned) {
  static char only;
  *object = reinterpret_cast<cudaUserObject_t>(&only);
  return cudaSuccess;
}
