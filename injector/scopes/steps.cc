// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/scopes/steps.h"

#include <atomic>

#include "injector/record_sink.h"
#include "injector/scopes/captured_steps.h"
#include "injector/scopes/spin_lock.h"
#include "injector/window.h"

namespace flopsprof::injector {

namespace {

constexpr uint32_t kOptimizerChecks = 64;

std::atomic<uint32_t> g_step{shm::kNoStep};
std::atomic<bool> g_optimizer_known{false};  // made, or seen stepping
std::atomic<bool> g_primary_stepped{false};  // since the current step began
std::atomic<bool> g_explicit{false};
std::atomic<uint32_t> g_checks_left{kOptimizerChecks};
SpinLock g_lock;  // beginning a step

void EmitStep(shm::StepEvent event, uint32_t step) {
  if (!IsRecording()) return;
  shm::StepRecord record = {};
  record.header.type = static_cast<uint16_t>(shm::RecordType::kStep);
  record.header.step = step;
  record.event = static_cast<uint8_t>(event);
  record.mono_ns = MonoNs();
  EmitRecord(&record);
}

void BeginStep() {
  uint32_t step;
  {
    SpinGuard guard(g_lock);
    step = g_step.load(std::memory_order_relaxed) + 1;  // kNoStep + 1 = 0
    g_primary_stepped.store(false, std::memory_order_relaxed);
    BeforeStepBegins(step);
    g_step.store(step, std::memory_order_relaxed);
    AfterStepBegan(step);
  }
  EmitStep(shm::StepEvent::kBegin, step);
}

}  // namespace

uint32_t CurrentStep() { return g_step.load(std::memory_order_relaxed); }

void OnRootForward() {
  if (g_explicit.load(std::memory_order_relaxed)) return;
  if (NoteIfCaptured(kCapturedForward)) return;
  const bool first = g_step.load(std::memory_order_relaxed) == shm::kNoStep;
  const bool every_forward = !g_optimizer_known.load(std::memory_order_relaxed);
  if (first || every_forward || g_primary_stepped.load(std::memory_order_relaxed)) BeginStep();
}

bool WantsOptimizerCheck() {
  if (g_optimizer_known.load(std::memory_order_relaxed)) return false;
  const uint32_t left = g_checks_left.load(std::memory_order_relaxed);
  if (left == 0) return false;
  g_checks_left.store(left - 1, std::memory_order_relaxed);
  return true;
}

bool OptimizerKnown() { return g_optimizer_known.load(std::memory_order_relaxed); }

void OnOptimizerFound() { g_optimizer_known.store(true, std::memory_order_relaxed); }

void OnOptimizerStepped(bool primary) {
  g_optimizer_known.store(true, std::memory_order_relaxed);
  const int captured = primary ? kCapturedOptimizer | kCapturedPrimary : kCapturedOptimizer;
  if (NoteIfCaptured(static_cast<uint8_t>(captured))) return;
  if (primary) g_primary_stepped.store(true, std::memory_order_relaxed);
  EmitStep(shm::StepEvent::kOptimizerEnd, CurrentStep());
}

void OnExplicitStep() {
  g_explicit.store(true, std::memory_order_relaxed);
  BeginStep();
}

void ForgetSteps() {
  g_lock.Unlock();
  g_step.store(shm::kNoStep, std::memory_order_relaxed);
  g_optimizer_known.store(false, std::memory_order_relaxed);
  g_primary_stepped.store(false, std::memory_order_relaxed);
  g_explicit.store(false, std::memory_order_relaxed);
  g_checks_left.store(kOptimizerChecks, std::memory_order_relaxed);
}

}  // namespace flopsprof::injector
