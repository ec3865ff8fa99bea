// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Numbers the training steps of the process, from 0 at the first call of a root module.
//
// A step ends lazily, at the root forward that follows the step of the primary optimizer: the one
// that stepped first in the process. So several optimizers in a row, gradient accumulation and
// evaluation after the last step stay in their step. While no optimizer is in the process every
// outermost forward is a step. A root forward inside a backward pass (recomputation) is none.
// After the first flopsprof.step() only those calls count. What is captured into a CUDA graph
// happens at its replays: captured_steps.h.
// Root forwards and optimizer steps arrive under Python's lock, explicit steps from any thread.

#include <stdint.h>

namespace flopsprof::injector {

// shm::kNoStep before the first. One relaxed load.
uint32_t CurrentStep();

// A module is called while no other one runs on its thread and no backward pass either.
void OnRootForward();

// True while OnRootForward needs to know whether an optimizer was made (first 64 root calls).
bool WantsOptimizerCheck();
void OnOptimizerFound();

// Was an optimizer made, or seen stepping? One relaxed load.
bool OptimizerKnown();

// An optimizer's step() returned. `primary`: the one that stepped first in the process.
void OnOptimizerStepped(bool primary);

// flopsprof.step(): a step begins now.
void OnExplicitStep();

void ForgetSteps();  // fork child and tests

}  // namespace flopsprof::injector
