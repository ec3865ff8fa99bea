// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/user.h>

#include <cstdint>
#include <string>

namespace flopsprof::attach {

// A thread as it was found: all that has to be as it was when the thread goes on.
struct ThreadContext {
  user_regs_struct registers = {};
  std::string vectors;  // NT_X86_XSTATE, all of it
  uint64_t signal_mask = 0;
  // The call in which it waits is to be made again, and where its number is not in the registers
  // (restart_syscall) by this one; -1: it is not known, and the program sees EINTR.
  bool makes_call_again = false;
  int64_t call_again = -1;
};

// A frame as the kernel writes it for a signal handler: whoever returns to it (rt_sigreturn) is put
// back to `context`, with nobody's help.
struct SignalFrame {
  uint64_t address = 0;  // of its first word, the return address `restore_rt`
  uint64_t vectors_address = 0;
  std::string bytes;
  std::string vectors;
};

// What goes below `top`. `restore_rt`: libc's function that makes the system call rt_sigreturn.
SignalFrame MakeSignalFrame(const ThreadContext& context, uint64_t restore_rt, uint64_t top);

}  // namespace flopsprof::attach
