// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the attaching process and the trampoline share, in a mapping that is made in the target for
// the time of one attach. The trampoline (trampoline.S) knows these offsets.

#include <cstddef>
#include <cstdint>

namespace flopsprof::attach {

enum class BoxState : uint32_t { kRunning = 1, kDone = 2 };

struct Box {
  uint64_t dlopen_function = 0;  // 0: the library is there already, and `start` is known
  uint64_t dlsym_function = 0;
  uint64_t dlerror_function = 0;
  uint64_t errno_function = 0;
  uint64_t frame = 0;   // signal frame that puts the thread back by itself
  uint64_t start = 0;   // flopsprof_attach, looked up or given
  uint64_t handle = 0;  // what dlopen returned
  int64_t result = 0;   // what flopsprof_attach returned; -1 with `error`
  uint64_t error = 0;   // what dlerror returned
  uint32_t state = 0;   // BoxState
  uint32_t saved_errno = 0;
  int64_t wait_seconds = 0;  // how long the thread waits to be fetched, before it returns by itself
  int64_t wait_nanoseconds = 0;
  char path[64] = {};
  char symbol[32] = {};
  int64_t memory = -1;    // descriptor of the library's memory file
  uint64_t argument = 0;  // of flopsprof_attach
};
static_assert(offsetof(Box, dlerror_function) == 16 && offsetof(Box, errno_function) == 24);
static_assert(offsetof(Box, frame) == 32 && offsetof(Box, start) == 40);
static_assert(offsetof(Box, handle) == 48 && offsetof(Box, result) == 56);
static_assert(offsetof(Box, error) == 64 && offsetof(Box, state) == 72);
static_assert(offsetof(Box, saved_errno) == 76 && offsetof(Box, wait_seconds) == 80);
static_assert(offsetof(Box, path) == 96 && offsetof(Box, symbol) == 160);
static_assert(offsetof(Box, memory) == 192 && offsetof(Box, argument) == 200);

}  // namespace flopsprof::attach
