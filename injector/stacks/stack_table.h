// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Ids of the stacks seen so far, and their definitions for the reader. No lock: a place is taken by
// writing the stack's hash into it, and the id is the place. Two stacks with one hash of 64 bits
// would be taken for one; of the 16,384 that are kept, one pair in 10^11 processes.

#include <stddef.h>
#include <stdint.h>

#include "injector/stacks/python_reader.h"
#include "proto/shm/records.h"

namespace flopsprof::injector {

// A stack as it was found: native frames, then Python's, innermost first.
struct FoundStack {
  static constexpr uint32_t kMaxNative = 128;
  static constexpr uint32_t kMaxPython = shm::kMaxStackFrames - kMaxNative - 2;
  uint32_t native_count = 0;
  uint32_t python_count = 0;
  bool native_cut = false;       // native frames are missing outwards of those here
  bool cut = false;              // frames are missing outwards of all
  uintptr_t native[kMaxNative];  // return addresses
  PythonFrame python[kMaxPython];
};

// Id of the stack, defined for the reader if it was not. kNoStack: it could not be kept, which is
// counted. Quick for a stack that is known.
uint32_t InternStack(const FoundStack& stack);

constexpr uint32_t kMaxStacks = 1u << 14;

// Fork child and tests: everything is left behind.
void ForgetStacks();

}  // namespace flopsprof::injector
