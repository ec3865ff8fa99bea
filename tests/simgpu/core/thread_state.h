// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// What the core remembers per thread.
#include <cstdint>

#include "simcore.h"

namespace simgpu {

struct ThreadState {
  SimFrame* top = nullptr;     // innermost open API frame
  SimFrame* outer = nullptr;   // outermost open API frame
  const char* call = nullptr;  // outermost library call
  int call_depth = 0;
  uint64_t call_id = 0;  // per process, from 1; 0 outside calls
  char shape[192] = "";  // of the outermost library call
  char tag[256] = "";    // sim_set_tag
};

ThreadState& Thread();

// gettid, remembered; right after fork too.
uint32_t ThreadId();

}  // namespace simgpu
