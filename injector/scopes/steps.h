// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Numbers the turns of the training loop, from 0.
//
// A part begins with a forward with gradients that follows an optimizer's step; the first part
// begins with the first forward with gradients. Optimizers end a part. step_cycle.h learns which
// parts make one step. Micro-batches belong to the part of the optimizer that follows them. What
// runs after the last optimizer of a step is the tail of the step. From the first forward without
// gradients in the tail on, work is beside the step (StepPlace). A forward inside a backward pass
// is recomputation and changes no step.
//
// While the process has no optimizer, every outermost forward is a step. Once a backward pass was
// seen, only the first forward with gradients after a pass begins a step. When the first optimizer
// appears, the steps before it turn out to be none. After the first flopsprof.step(), or with
// --step-at, only these begin steps. Steps that are captured into a CUDA graph happen at its
// replays: captured_steps.h.
//
// Records carry labels, which only rise. The step number of a label may be corrected later;
// StepEvent::kNumber sends the correction. Readers turn labels into numbers.
//
// A thread that trains a model of its own has a loop of steps of its own, beside the first loop.
// When the thread ends, the next such thread continues that loop with the next number. If no loop
// is left, the thread's work is in the steps of the first loop, counted as kStepLoopsFull. A thread
// that calls a model which another thread trains changes no step. Root forwards and optimizer steps
// arrive under Python's lock, explicit steps and backward passes from any thread.

#include <stdint.h>

#include <atomic>

#include "injector/base/platform.h"

namespace flopsprof::injector {

// What a record of the calling thread carries as its step: place, loop and label. kNoStep before
// the first.
uint32_t CurrentStep();
// The same for work of a scope, which belongs to the loop that trains the scope's model.
uint32_t CurrentStepOf(uint32_t scope);

// Functions that are called around each change of the step number below: `before` ends what ends
// with the old step, `after` begins what begins with the new one. `label` is the label in the new
// step's records. Null, the value at first: nobody is called.
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

// A new epoch has begun: its reader learns which numbers the labels have that may still come.
void TellStepsAgain();

// The process ends: decides what was still open, because nothing more will come.
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
