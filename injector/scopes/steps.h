// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Numbers the turns of the training loop, from 0.
//
// A part begins with a forward with gradients that follows an optimizer's step (the first part:
// with the first such forward), and optimizers end it; which parts make one step, step_cycle.h
// learns. Micro-batches are of the part of the optimizer that follows. What runs after the last
// optimizer of a step is its tail, from the first forward without gradients on beside it
// (StepPlace). A forward inside a backward pass is recomputation and none of this.
//
// While there is no optimizer in the process every outermost forward is a step; once a backward
// pass was seen, every first one with gradients after a pass. When an optimizer comes, what was
// taken for steps before is none. After the first flopsprof.step(), or with --step-at, only that
// begins steps. What is captured into a CUDA graph happens at its replays: captured_steps.h.
//
// Records carry labels, which only rise. What is known better later is sent as StepEvent::kNumber:
// readers make numbers of labels.
//
// A thread that trains a model of its own has a loop of steps of its own, beside the first, until
// it ends; the next such thread goes on in that loop, with the next number. Where none is left its
// work is in the steps of the first, counted as kStepLoopsFull. Who calls a model without training
// it, beside the thread that does, changes nothing.
// Root forwards and optimizer steps arrive under Python's lock, explicit steps and backward passes
// from any thread.

#include <stdint.h>

#include <atomic>

#include "injector/base/platform.h"

namespace flopsprof::injector {

// What a record of the calling thread carries as its step: place, loop and label. kNoStep before
// the first.
uint32_t CurrentStep();
// The same for work of a scope, which belongs to the loop that trains the scope's model.
uint32_t CurrentStepOf(uint32_t scope);

// Who is told around each change of the number below: what ends before the step, what begins with
// it. `label`: what the step's records carry. Null, as it is at first: nobody.
struct StepEdges {
  void (*before)(uint32_t label, uint32_t step);
  void (*after)(uint32_t label, uint32_t step);
};
void SetStepEdges(const StepEdges* edges);

// Number of the step that began last, kNoStep before the first.
uint32_t CurrentStepNumber();

// A module is called while no other one runs on its thread and no backward pass either.
void OnRootForward(uint32_t root_scope, bool with_gradients);

// True while OnRootForward needs to know whether an optimizer was made (first 64 root calls).
bool WantsOptimizerCheck();
void OnOptimizerFound();
// One more optimizer was made.
void OnOptimizerMade();

// Was an optimizer made, or seen stepping? One relaxed load.
bool OptimizerKnown();

// An optimizer's step() begins; has returned. `optimizer`: its number by first steps, from 0.
void OnOptimizerBegins();
void OnOptimizerStepped(uint32_t optimizer);

// A backward node of the scope runs: a pass of the loop that trains the scope's model.
void OnBackwardSlow(uint32_t scope);
extern std::atomic<bool> g_wants_backward;
inline void OnBackward(uint32_t scope) {
  if (FLOPSPROF_UNLIKELY(g_wants_backward.load(std::memory_order_relaxed))) OnBackwardSlow(scope);
}

// The process ends: what was waited for does not come.
void SettleSteps();

// Something was compiled or tuned: the step's time is not that of others.
void OnStepDisturbed();

// flopsprof.step(): a step begins now.
void OnExplicitStep();
// From now on, also before its first one, only explicit steps count.
void WantExplicitSteps();

// The thread ends: its loop is free for another one.
class ThreadScopes;
void ReleaseStepLoops(ThreadScopes* thread);

void ForgetSteps();  // fork child and tests

}  // namespace flopsprof::injector
