// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Driver: events and host functions. Events are the driver's own here: one of the runtime means
// nothing to these functions.
#include "simcore.h"

namespace {

struct Event {
  uint64_t time_ns = 0;     // when the stream reaches it; 0: never recorded
  void* capture = nullptr;  // graph, if recorded on a capturing stream
};

Event* ToEvent(CUevent event) { return reinterpret_cast<Event*>(event); }

}  // namespace

API CUresult cuEventCreate(CUevent* event, unsigned) {
  *event = reinterpret_cast<CUevent>(new Event);
  return CUDA_SUCCESS;
}

API CUresult cuEventDestroy_v2(CUevent event) {
  delete ToEvent(event);
  return CUDA_SUCCESS;
}

API CUresult cuEventRecord(CUevent handle, CUstream stream) {
  Event* event = ToEvent(handle);
  event->capture = sim_capture_graph(stream);
  if (event->capture) return CUDA_SUCCESS;
  const uint64_t tail = sim_stream_tail(stream), now = sim_now();
  event->time_ns = tail > now ? tail : now;
  return CUDA_SUCCESS;
}

API CUresult cuStreamWaitEvent(CUstream stream, CUevent handle, unsigned) {
  const Event* event = ToEvent(handle);
  if (event->capture) sim_capture_join(stream, event->capture);
  if (!event->capture && event->time_ns) sim_stream_wait_until(stream, event->time_ns);
  return CUDA_SUCCESS;
}

API CUresult cuEventQuery(CUevent event) {
  return sim_realtime() && ToEvent(event)->time_ns > sim_now() ? CUDA_ERROR_NOT_READY
                                                               : CUDA_SUCCESS;
}

API CUresult cuEventSynchronize(CUevent event) {
  sim_wait_until(ToEvent(event)->time_ns);
  return CUDA_SUCCESS;
}

API CUresult cuEventElapsedTime_v2(float* ms, CUevent start, CUevent end) {
  const auto ns = static_cast<int64_t>(ToEvent(end)->time_ns - ToEvent(start)->time_ns);
  *ms = static_cast<float>(static_cast<double>(ns) / 1e6);
  return CUDA_SUCCESS;
}

API CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void* user_data) {
  SimOp op;
  op.kind = OP_HOST;
  op.body = [=] { function(user_data); };
  sim_enqueue(op, stream);
  return CUDA_SUCCESS;
}
