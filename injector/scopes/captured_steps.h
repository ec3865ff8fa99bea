// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Steps and CUDA graphs. Work that a stream capture records does not run at that moment. So a root
// forward or an optimizer step under capture is no step; it is a step at each replay of the graph.

#include <stdint.h>

namespace flopsprof::injector {

enum CapturedStep : uint8_t {
  kCapturedForward = 1,  // a root module was called
  kCapturedOptimizer = 2,
  kCapturedEvaluation = 4,  // a root module was called without gradients
};
// The bits above tell optimizers apart: their numbers, or'ed together.
constexpr int kCapturedOptimizerShift = 3;
constexpr uint8_t CapturedOptimizer(uint32_t optimizer) {
  return static_cast<uint8_t>(kCapturedOptimizer | (optimizer & 31) << kCapturedOptimizerShift);
}

// The calling thread has begun a capture on a stream. `capture` is CUDA's id; with 0 (not known)
// nothing happens. False: as far as we know the stream was capturing already, so the end of that
// capture was not seen.
bool BeginCaptureOnThread(uint64_t capture, const void* stream);

// A capture has ended, on any thread. Returns the CapturedStep bits of what the thread that began
// it has captured.
uint8_t EndCapture(uint64_t capture);

// True (and noted) while the calling thread captures.
bool NoteIfCaptured(uint8_t captured);

// A graph with these bits is about to be replayed; has been.
void BeforeReplay(uint8_t captured);
void AfterReplay(uint8_t captured);

}  // namespace flopsprof::injector
