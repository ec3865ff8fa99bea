// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/scopes/captured_steps.h"

#include <atomic>

#include "injector/scopes/attribution.h"
#include "injector/scopes/scope_stack.h"
#include "injector/scopes/steps.h"

namespace flopsprof::injector {
namespace {

std::atomic<int32_t> g_captures{0};  // active ones, of all threads

}  // namespace

void BeginCaptureOnThread() {
  ThreadScopes& thread = ThisThread();
  if (g_captures.fetch_add(1, std::memory_order_relaxed) == 0) thread.captures = 0;
  ++thread.captures;
  thread.captured_steps = 0;
}

uint8_t EndCaptureOnThread() {
  int32_t active = g_captures.load(std::memory_order_relaxed);
  while (active > 0 &&
         !g_captures.compare_exchange_weak(active, active - 1, std::memory_order_relaxed)) {
  }
  ThreadScopes& thread = ThisThread();
  if (thread.captures > 0) --thread.captures;
  const uint8_t captured = thread.captured_steps;
  thread.captured_steps = 0;
  return captured;
}

bool NoteIfCaptured(uint8_t captured) {
  if (g_captures.load(std::memory_order_relaxed) == 0) return false;
  ThreadScopes& thread = ThisThread();
  if (thread.captures == 0) return false;
  thread.captured_steps |= captured;
  return true;
}

void BeforeReplay(uint8_t captured) {
  // Inside of a module's call (make_graphed_callables, compiled models) that call is the step.
  if ((captured & kCapturedForward) != 0 && CurrentAttribution().phase == shm::Phase::kOther) {
    OnRootForward();
  }
}

void AfterReplay(uint8_t captured) {
  if ((captured & kCapturedOptimizer) != 0) OnOptimizerStepped((captured & kCapturedPrimary) != 0);
}

}  // namespace flopsprof::injector
