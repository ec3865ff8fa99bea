// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Hooks of stream capture and of graph replay. They change nothing; they keep the count of active
// captures and record replays.

#include <stddef.h>
#include <stdint.h>

#include "injector/cupti/launch_callbacks.h"
#include "injector/hooks/capture_state.h"
#include "injector/hooks/real_function.h"
#include "injector/platform.h"
#include "injector/session.h"
#include "injector/thread_state.h"

namespace flopsprof::injector {
namespace {

constexpr int kCudaNotSupported = 801;  // cudaErrorNotSupported, CUDA_ERROR_NOT_SUPPORTED

using BeginFunction = int (*)(void*, int);
using BeginToGraphFunction = int (*)(void*, void*, void*, void*, size_t, int);
using TwoPointers = int (*)(void*, void*);

int Begin(RealFunction* real, const void* caller, void* stream, int mode) {
  auto* const function = reinterpret_cast<BeginFunction>(real->Enter(&caller));
  if (function == nullptr) return kCudaNotSupported;
  const int status = function(stream, mode);
  if (status == 0) OnCaptureBegan();
  return status;
}

int End(RealFunction* real, const void* caller, void* stream, void* graph) {
  auto* const function = reinterpret_cast<TwoPointers>(real->Enter(&caller));
  if (function == nullptr) return kCudaNotSupported;
  const int status = function(stream, graph);
  OnCaptureEnded();
  return status;
}

int Replay(RealFunction* real, const void* caller, void* executable, void* stream) {
  auto* const function = reinterpret_cast<TwoPointers>(real->Enter(&caller));
  if (function == nullptr) return kCudaNotSupported;
  ThreadState* thread = CurrentThread();
  const bool outermost = thread != nullptr && !thread->inside_injector &&
                         thread->launching_graph == nullptr && SessionWantsRecords();
  if (!outermost) return function(executable, stream);
  thread->launching_graph = executable;
  thread->graph_launch_recorded = false;
  const int status = function(executable, stream);
  // CUPTI's callback writes the record with the correlation id; without CUPTI it is ours.
  if (status == 0 && !thread->graph_launch_recorded) EmitGraphLaunch(0, executable);
  thread->launching_graph = nullptr;
  return status;
}

}  // namespace

}  // namespace flopsprof::injector

using flopsprof::injector::RealFunction;

#define FLOPSPROF_CAPTURE_HOOKS(suffix)                                                         \
  FLOPSPROF_EXPORT int cudaStreamBeginCapture##suffix(void* stream, int mode) {                 \
    static RealFunction real("cudaStreamBeginCapture" #suffix, "libcudart.so");                 \
    return flopsprof::injector::Begin(&real, __builtin_return_address(0), stream, mode);        \
  }                                                                                             \
  FLOPSPROF_EXPORT int cudaStreamBeginCaptureToGraph##suffix(                                   \
      void* stream, void* graph, void* dependencies, void* data, size_t count, int mode) {      \
    static RealFunction real("cudaStreamBeginCaptureToGraph" #suffix, "libcudart.so");          \
    const void* caller = __builtin_return_address(0);                                           \
    auto* const function =                                                                      \
        reinterpret_cast<flopsprof::injector::BeginToGraphFunction>(real.Enter(&caller));       \
    if (function == nullptr) return flopsprof::injector::kCudaNotSupported;                     \
    const int status = function(stream, graph, dependencies, data, count, mode);                \
    if (status == 0) flopsprof::injector::OnCaptureBegan();                                     \
    return status;                                                                              \
  }                                                                                             \
  FLOPSPROF_EXPORT int cudaStreamEndCapture##suffix(void* stream, void* graph) {                \
    static RealFunction real("cudaStreamEndCapture" #suffix, "libcudart.so");                   \
    return flopsprof::injector::End(&real, __builtin_return_address(0), stream, graph);         \
  }                                                                                             \
  FLOPSPROF_EXPORT int cudaGraphLaunch##suffix(void* executable, void* stream) {                \
    static RealFunction real("cudaGraphLaunch" #suffix, "libcudart.so");                        \
    return flopsprof::injector::Replay(&real, __builtin_return_address(0), executable, stream); \
  }                                                                                             \
  FLOPSPROF_EXPORT int cuGraphLaunch##suffix(void* executable, void* stream) {                  \
    static RealFunction real("cuGraphLaunch" #suffix, "libcuda.so");                            \
    return flopsprof::injector::Replay(&real, __builtin_return_address(0), executable, stream); \
  }

FLOPSPROF_CAPTURE_HOOKS()
FLOPSPROF_CAPTURE_HOOKS(_ptsz)
