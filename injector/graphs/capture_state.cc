// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/graphs/capture_state.h"

#include <atomic>

#include "injector/loader/real_function.h"
#include "injector/transport/record_sink.h"

namespace flopsprof::injector {
namespace {

std::atomic<int32_t> active_captures{0};
std::atomic<bool> cut{false};

// Seven parameters since CUDA 13 (runtime) and 12.3 (driver); those of CUDA 12 take the first six
// of them, and do not look at the other.
using GetInfo = int (*)(void* stream, int* status, unsigned long long* id, void** graph,
                        const void** dependencies, const void** edges, void* count);

bool Ask(RealFunction* real, void* stream, const void* caller, Capture* capture) {
  auto* const function = reinterpret_cast<GetInfo>(real->Find(caller));
  int status = 0;  // none; 1: active, 2: invalidated
  unsigned long long id = 0;
  void* graph = nullptr;
  if (function == nullptr ||
      function(stream, &status, &id, &graph, nullptr, nullptr, nullptr) != 0 || status == 0) {
    return false;
  }
  capture->id = id;
  capture->graph = graph;
  return true;
}

}  // namespace

void CutCaptures() {
  if (AnyCaptureIsActive()) cut.store(true, std::memory_order_relaxed);
}

bool CapturesAreCut() { return cut.load(std::memory_order_relaxed); }

void OnCaptureBegan() {
  if (active_captures.fetch_add(1, std::memory_order_relaxed) == 0) {
    cut.store(false, std::memory_order_relaxed);
  }
  if (!IsRecording()) cut.store(true, std::memory_order_relaxed);
}

void OnCaptureEnded() {
  int32_t active = active_captures.load(std::memory_order_relaxed);
  while (active > 0 &&
         !active_captures.compare_exchange_weak(active, active - 1, std::memory_order_relaxed)) {
  }
}

bool AnyCaptureIsActive() { return active_captures.load(std::memory_order_relaxed) > 0; }

bool FindCapture(void* stream, const void* caller, Capture* capture) {
  // In CUDA 12 the name without a version is an old form, which tells no graph.
  static RealFunction real("cudaStreamGetCaptureInfo", "libcudart.so",
                           "cudaStreamGetCaptureInfo_v2");
  return Ask(&real, stream, caller, capture);
}

bool FindCaptureOfDriver(void* stream, const void* caller, Capture* capture) {
  static RealFunction real("cuStreamGetCaptureInfo_v2", "libcuda.so");
  return Ask(&real, stream, caller, capture);
}

}  // namespace flopsprof::injector
