// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// NVTX start/end ranges: begun on one thread, possibly ended on another. They are defined and
// counted, but they are on no stack. Such a range owns a launch only when nothing else does. Then
// the owner is the newest range that the launching thread has begun and that is still open; only
// the last few are looked at.

#include <stdint.h>

#include "injector/base/platform.h"

namespace flopsprof::injector {

// In the id that a program gets: its ScopeEnter has a time. Not an id of ours, so that it is told
// apart where an id that is not open is turned away.
constexpr uint64_t kTimedRangeId = 1u << 31;

// Process-wide id of the open range (never 0), or 0 when too many are open (counted kScopeDepth).
// `previous`: what its thread has begun before it, 0 = nothing.
uint64_t BeginStartedRange(uint32_t scope, uint64_t previous);

// False: no such range is open (counted by the caller).
bool EndStartedRange(uint64_t id);

// The scope of the range. If the range has ended: the scope of the newest open range before it, or
// shm::kOutsideScope. Lock-free.
FLOPSPROF_APART uint32_t ScopeOfStartedRange(uint64_t id);

}  // namespace flopsprof::injector
