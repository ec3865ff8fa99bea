// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which launches are sampled with their stack: those that nothing else explains. Off unless the
// agent asks for it; then CUPTI calls another function at each launch, and nothing is added to the
// one that it calls otherwise.

#include <stdint.h>

#include "injector/scopes/attribution.h"
#include "injector/stacks/python_reader.h"
#include "injector/transport/thread_state.h"

namespace flopsprof::injector {

// Samples so many launches a second and thread from now on (shm::kNoStacks, shm::kEveryStack).
void StartStacks(uint32_t per_second);
bool StacksAreWanted();

// In Python's main thread, with its lock, once Python is there.
void LetStacksReadPython(const PythonReader& python);

struct StackSample {
  uint32_t stack = shm::kNoStack;
  uint32_t launches = 0;  // that it stands for
};

// For a launch of the calling thread, in CUPTI's callback. Nothing if it is not this launch's turn,
// or if a module and a library call explain it already.
StackSample SampleStack(ThreadState* thread, const Attribution& at);

}  // namespace flopsprof::injector
