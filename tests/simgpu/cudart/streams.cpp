// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Streams and events.
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
#if CUDART_VERSION >= 12080 && CUDART_VERSION < 13000
API cudaError_t cudaEventElapsedTime_v2(float* ms, cudaEvent_t start, cudaEvent_t end) {
  return cudaEventElapsedTime(ms, start, end);
}
#endif
