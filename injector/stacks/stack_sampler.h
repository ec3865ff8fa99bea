// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Decides which launches are sampled with their stack: those that nothing else explains. This is
// off unless the agent asks for it. When it is on, CUPTI calls another function at each launch; so
// nothing is added to the usual one.

#include <stdint.h>

#include "injector/scopes/attribution.h"
#include "injector/stacks/python_reader.h"
#include "injector/transport/thread_state.h"

namespace flopsprof::injector {

// From now on samples this many launches a second in each thread (shm::kNoStacks,
// shm::kEveryStack).
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
