// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/hooks/capture_state.h"

#include <stdint.h>

#include <atomic>

#include "injector/hooks/real_function.h"

namespace flopsprof::injector {
namespace {

std::atomic<int32_t> active_captures{0};

}  // namespace

void OnCaptureBegan() { active_captures.fetch_add(1, std::memory_order_relaxed); }

void OnCaptureEnded() {
  int32_t active = active_captures.load(std::memory_order_relaxed);
  while (active > 0 &&
         !active_captures.compare_exchange_weak(active, active - 1, std::memory_order_relaxed)) {
  }
}

bool AnyCaptureIsActive() { return active_captures.load(std::memory_order_relaxed) > 0; }

bool StreamIsCapturing(void* stream, const void* caller) {
  static RealFunction real("cudaStreamIsCapturing", "libcudart.so");
  auto* const function = reinterpret_cast<int (*)(void*, int*)>(real.Find(caller));
  int status = 0;  // cudaStreamCaptureStatusNone
  return function != nullptr && function(stream, &status) == 0 && status != 0;
}

}  // namespace flopsprof::injector
