// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/scopes/captured_steps.h"

#include <atomic>

#include "injector/scopes/attribution.h"
#include "injector/scopes/scope_stack.h"
#include "injector/scopes/steps.h"
#include "injector/transport/record_sink.h"

namespace flopsprof::injector {
namespace {

// An active capture. Ids are never used again, so a thread whose capture was ended by another finds
// it gone.
struct ActiveCapture {
  std::atomic<uint64_t> id{0};  // 0: free
  std::atomic<const void*> stream{nullptr};
  std::atomic<uint8_t> steps{0};
};
constexpr int kCaptures = 64;
constexpr uint64_t kTaken = UINT64_MAX;  // an id: being filled in
ActiveCapture g_captures[kCaptures];
std::atomic<int32_t> g_capture_count{0};

ActiveCapture* Find(uint64_t capture) {
  for (ActiveCapture& active : g_captures) {
    // Acquire; pairs with the release in BeginCaptureOnThread.
    if (active.id.load(std::memory_order_acquire) == capture) return &active;
  }
  return nullptr;
}

uint8_t Free(ActiveCapture* active, uint64_t capture) {
  const uint8_t steps = active->steps.load(std::memory_order_relaxed);
  if (active->id.compare_exchange_strong(capture, 0, std::memory_order_acq_rel)) {
    g_capture_count.fetch_sub(1, std::memory_order_relaxed);
  }
  return steps;
}

// One whose end nobody saw.
bool FreeOfStream(const void* stream) {
  bool freed = false;
  for (ActiveCapture& active : g_captures) {
    const uint64_t id = active.id.load(std::memory_order_acquire);
    if (id == 0 || id == kTaken || active.stream.load(std::memory_order_relaxed) != stream)
      continue;
    Free(&active, id);
    freed = true;
  }
  return freed;
}

}  // namespace

bool BeginCaptureOnThread(uint64_t capture, const void* stream) {
  const bool first = !FreeOfStream(stream);
  if (capture == 0) return first;
  for (ActiveCapture& active : g_captures) {
    uint64_t free = 0;
    if (!active.id.compare_exchange_strong(free, kTaken, std::memory_order_relaxed)) continue;
    active.stream.store(stream, std::memory_order_relaxed);
    active.steps.store(0, std::memory_order_relaxed);
    active.id.store(capture, std::memory_order_release);
    g_capture_count.fetch_add(1, std::memory_order_relaxed);
    ThreadScopes& thread = ThisThread();
    thread.captures[1] = thread.captures[0];
    thread.captures[0] = capture;
    return first;
  }
  CountLoss(shm::LossCounter::kGraphStepsFull);
  return first;
}

uint8_t EndCapture(uint64_t capture) {
  ActiveCapture* active = capture == 0 ? nullptr : Find(capture);
  return active == nullptr ? uint8_t{0} : Free(active, capture);
}

bool NoteIfCaptured(uint8_t captured) {
  if (g_capture_count.load(std::memory_order_relaxed) == 0) return false;
  for (const uint64_t capture : ThisThread().captures) {
    ActiveCapture* active = capture == 0 ? nullptr : Find(capture);
    if (active == nullptr) continue;
    active->steps.fetch_or(captured, std::memory_order_relaxed);
    return true;
  }
  return false;
}

void BeforeReplay(uint8_t captured) {
  // Inside of a module's call (make_graphed_callables, compiled models) that call is the step.
  const bool trains = (captured & kCapturedForward) != 0;
  if (!trains && (captured & kCapturedEvaluation) == 0) return;
  if (CurrentAttribution().phase == shm::Phase::kOther) OnRootForward(shm::kOutsideScope, trains);
}

void AfterReplay(uint8_t captured) {
  if ((captured & kCapturedOptimizer) != 0) OnOptimizerStepped(captured >> kCapturedOptimizerShift);
}

}  // namespace flopsprof::injector
