// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Return addresses on the calling thread's stack, innermost first. Reads only the current stack, up
// to the end of its mapping, whatever unwind rows say. So a wrong row gives a wrong frame, never a
// fault. Rows are kept per thread, so that a frame costs a few ns.

#include <stddef.h>
#include <stdint.h>

#include "injector/base/platform.h"
#include "injector/stacks/unwind_rows.h"

namespace flopsprof::injector {

struct Registers {
  uintptr_t rip;
  uintptr_t rsp;
  uintptr_t rbp;
};

// The registers of the function that calls it. Always inlined: a frame of its own would end.
__attribute__((always_inline)) inline Registers HereRegisters() {
  Registers here;
  asm volatile(
      "leaq 0(%%rip), %0\n\t"
      "movq %%rsp, %1\n\t"
      "movq %%rbp, %2"
      : "=&r"(here.rip), "=&r"(here.rsp), "=&r"(here.rbp));
  return here;
}

struct NativeStack {
  uint32_t count = 0;
  bool reached_stop = false;  // the frame that called `stop` is next
  bool cut = false;           // frames further out are not known
};

// One per thread that samples. All zero is a valid, empty one.
class StackWalker {
 public:
  // Frames that begin at `from`, which is not among them. Ends before the frame of the function
  // that begins at `stop` (0: none). `frames` holds return addresses.
  NativeStack Walk(Registers from, uintptr_t stop, uintptr_t* frames, uint32_t capacity);

  // The calling thread is another than at the last Walk.
  void ForgetThread() {
    stack_begin_ = stack_end_ = 0;
    next_sample_ns = 0;
    launches = 0;
  }

  // What the sampler keeps for each thread.
  uint64_t next_sample_ns = 0;
  uint32_t launches = 0;  // since the last sample

 private:
  static constexpr uint32_t kRows = 2048;  // a power of two
  struct KnownRow {
    uintptr_t address;
    UnwindRow row;
  };

  const UnwindRow& RowOf(uintptr_t address);
  bool StackHolds(uintptr_t address) const {
    return address >= lowest_ && address <= stack_end_ - sizeof(uintptr_t);
  }
  FLOPSPROF_APART bool FindStack(uintptr_t rsp);

  uintptr_t stack_begin_ = 0;
  uintptr_t stack_end_ = 0;
  uintptr_t lowest_ = 0;  // of this walk: below are frames that have ended
  uintptr_t stop_ = 0;    // for which `rows_` was filled
  KnownRow rows_[kRows] = {};
};

}  // namespace flopsprof::injector
