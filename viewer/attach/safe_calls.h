// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "viewer/attach/target.h"

namespace flopsprof::attach {

// In which system calls a waiting thread may be borrowed for loading a library, which takes
// malloc's and the loader's locks: none of those in which a thread may hold one of them.
enum class CallRank {
  kNo,
  kFair,  // a relative time-out begins again if we are killed; or a call that may be cut short
  kGood,
};
CallRank RankCall(const WaitingCall& call, bool pc_is_in_libc);

// Code of the loader or of a memory allocator beside libc's: a thread that waits there may be in
// the middle of what we are going to call, whatever it waits for.
bool IsOfLoaderOrMalloc(const std::vector<Mapping>& mappings, uint64_t pc);

// Calls that fail with EINTR when a thread is merely stopped: the program must not see that.
bool StopsWithEintr(int64_t number);

// The kernel's own results of a call that it will do again: never seen by programs.
bool IsRestarting(int64_t result);

}  // namespace flopsprof::attach
