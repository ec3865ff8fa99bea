// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Hooks of stream capture and of graph launches. They change nothing; they tell what a capture
// became, and which executable a launch has replayed.

#include <stddef.h>
#include <stdint.h>

#include "injector/base/platform.h"
#include "injector/cupti/launch_callbacks.h"
#include "injector/graphs/capture_state.h"
#include "injector/graphs/graph_events.h"
#include "injector/graphs/graph_steps.h"
#include "injector/loader/real_function.h"
#include "injector/scopes/captured_steps.h"
#include "injector/transport/record_sink.h"
#include "injector/transport/session_calls.h"
#include "injector/transport/thread_state.h"

namespace flopsprof::injector {
namespace {

constexpr int kCudaNotSupported = 801;  // cudaErrorNotSupported, CUDA_ERROR_NOT_SUPPORTED

using BeginFunction = int (*)(void*, int);
using BeginToGraphFunction = int (*)(void*, void*, void*, void*, size_t, int);
using EndFunction = int (*)(void*, void**);
using TwoPointers = int (*)(void*, void*);

// Where a question about a stream goes, and what its null stream means.
enum class Api { kRuntime, kRuntimePerThread, kDriver, kDriverPerThread };

constexpr uintptr_t kPerThreadStream = 2;  // cudaStreamPerThread, CU_STREAM_PER_THREAD

bool Ask(Api api, void* stream, const void* caller, Capture* capture) {
  const bool per_thread = api == Api::kRuntimePerThread || api == Api::kDriverPerThread;
  if (stream == nullptr && per_thread) stream = reinterpret_cast<void*>(kPerThreadStream);
  const bool driver = api == Api::kDriver || api == Api::kDriverPerThread;
  return driver ? FindCaptureOfDriver(stream, caller, capture)
                : FindCapture(stream, caller, capture);
}

void NoteBegin(const GraphCall& call, int status, Api api, void* stream, const void* caller) {
  if (status != 0 || !call.outermost()) return;
  Capture capture;
  Ask(api, stream, caller, &capture);
  // One handle stands for a stream of each thread; no other stream with it can be captured.
  const bool own = stream == nullptr || stream == reinterpret_cast<void*>(kPerThreadStream);
  if (BeginCaptureOnThread(capture.id, own ? CurrentThread() : stream)) OnCaptureBegan();
}

int Begin(RealFunction* real, Api api, const void* caller, void* stream, int mode) {
  auto* const function = reinterpret_cast<BeginFunction>(real->Enter(&caller));
  if (function == nullptr) return kCudaNotSupported;
  const GraphCall call;
  const int status = function(stream, mode);
  NoteBegin(call, status, api, stream, caller);
  return status;
}

int BeginToGraph(RealFunction* real, Api api, const void* caller, void* stream, void* graph,
                 void* dependencies, void* data, size_t count, int mode) {
  auto* const function = reinterpret_cast<BeginToGraphFunction>(real->Enter(&caller));
  if (function == nullptr) return kCudaNotSupported;
  const GraphCall call;
  const int status = function(stream, graph, dependencies, data, count, mode);
  NoteBegin(call, status, api, stream, caller);
  return status;
}

int End(RealFunction* real, Api api, const void* caller, void* stream, void** graph) {
  auto* const function = reinterpret_cast<EndFunction>(real->Enter(&caller));
  if (function == nullptr) return kCudaNotSupported;
  const GraphCall call;
  if (!call.outermost()) return function(stream, graph);
  Capture capture;
  const bool was_capturing = AnyCaptureIsActive() && Ask(api, stream, caller, &capture);
  const int status = function(stream, graph);
  if (!was_capturing) return status;
  // An error ends a capture that has become invalid, but not one that it is not this thread's to
  // end.
  Capture still;
  if (status != 0 && Ask(api, stream, caller, &still)) return status;
  const bool cut = CapturesAreCut();
  OnCaptureEnded();
  const uint8_t steps = EndCapture(capture.id);
  GraphObjects objects;
  objects.capture = capture.id;
  objects.graph = status == 0 && graph != nullptr ? *graph : nullptr;
  if (objects.graph != nullptr) SetStepsOfGraph(objects.graph, steps);
  EmitGraphEvent(cut ? shm::GraphEventKind::kUnrecorded : shm::GraphEventKind::kCaptureEnd,
                 objects);
  return status;
}

// A launch on a capturing stream: the executable becomes part of the graph.
int LaunchIntoCapture(TwoPointers function, ThreadState* thread, const Capture& capture,
                      void* executable, void* stream) {
  const bool before = thread->current_call_captured;
  thread->current_call_captured = true;
  const int status = function(executable, stream);
  thread->current_call_captured = before;
  if (status != 0) return status;
  NoteIfCaptured(StepsOfGraph(executable));
  GraphObjects objects;
  objects.capture = capture.id;
  objects.executable = executable;
  EmitGraphEvent(shm::GraphEventKind::kChildLaunch, objects);
  return status;
}

int Launch(RealFunction* real, Api api, const void* caller, void* executable, void* stream) {
  auto* const function = reinterpret_cast<TwoPointers>(real->Enter(&caller));
  if (function == nullptr) return kCudaNotSupported;
  ThreadState* thread = CurrentThread();
  const bool outermost = thread != nullptr && !thread->inside_injector &&
                         thread->launching_graph == nullptr &&
                         // Steps are numbered while nothing is recorded, too.
                         (SessionWantsRecords() || IsConnected());
  if (!outermost) return function(executable, stream);
  thread->launching_graph = executable;
  thread->graph_correlation = 0;
  thread->inner_graph_correlation = 0;
  Capture capture;
  int status = 0;
  if (AnyCaptureIsActive() && Ask(api, stream, caller, &capture)) {
    status = LaunchIntoCapture(function, thread, capture, executable, stream);
  } else {
    const uint8_t steps = StepsOfGraph(executable);
    if (steps != 0) BeforeReplay(steps);
    const bool recorded = IsRecording();
    const uint64_t order = NewestGraphEvent();
    status = function(executable, stream);
    // Not before: a launch that is refused replays nothing.
    if (status == 0 && recorded) {
      EmitGraphLaunch(thread->graph_correlation, executable, order,
                      thread->inner_graph_correlation);
    }
    if (status == 0 && steps != 0) AfterReplay(steps);
  }
  thread->launching_graph = nullptr;
  return status;
}

}  // namespace

}  // namespace flopsprof::injector

using flopsprof::injector::Api;
using flopsprof::injector::RealFunction;

#define FLOPSPROF_CAPTURE_HOOKS(cuda, begin, suffix, library, api)                            \
  FLOPSPROF_EXPORT int begin##suffix(void* stream, int mode) {                                \
    static RealFunction real(#begin #suffix, library);                                        \
    return flopsprof::injector::Begin(&real, api, __builtin_return_address(0), stream, mode); \
  }                                                                                           \
  FLOPSPROF_EXPORT int cuda##StreamBeginCaptureToGraph##suffix(                               \
      void* stream, void* graph, void* dependencies, void* data, size_t count, int mode) {    \
    static RealFunction real(#cuda "StreamBeginCaptureToGraph" #suffix, library);             \
    return flopsprof::injector::BeginToGraph(&real, api, __builtin_return_address(0), stream, \
                                             graph, dependencies, data, count, mode);         \
  }                                                                                           \
  FLOPSPROF_EXPORT int cuda##StreamEndCapture##suffix(void* stream, void** graph) {           \
    static RealFunction real(#cuda "StreamEndCapture" #suffix, library);                      \
    return flopsprof::injector::End(&real, api, __builtin_return_address(0), stream, graph);  \
  }                                                                                           \
  FLOPSPROF_EXPORT int cuda##GraphLaunch##suffix(void* executable, void* stream) {            \
    static RealFunction real(#cuda "GraphLaunch" #suffix, library);                           \
    return flopsprof::injector::Launch(&real, api, __builtin_return_address(0), executable,   \
                                       stream);                                               \
  }

FLOPSPROF_CAPTURE_HOOKS(cuda, cudaStreamBeginCapture, , "libcudart.so", Api::kRuntime)
FLOPSPROF_CAPTURE_HOOKS(cuda, cudaStreamBeginCapture, _ptsz, "libcudart.so", Api::kRuntimePerThread)
FLOPSPROF_CAPTURE_HOOKS(cu, cuStreamBeginCapture_v2, , "libcuda.so", Api::kDriver)
FLOPSPROF_CAPTURE_HOOKS(cu, cuStreamBeginCapture_v2, _ptsz, "libcuda.so", Api::kDriverPerThread)
