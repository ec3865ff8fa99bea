// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// NVTX start/end ranges: begun on one thread, possibly ended on another. They are defined and
// counted, but they nest in no stack; they own a launch only when nothing else does: the newest
// one that its thread has begun and that is still open, looked for among the last few.

#include <stdint.h>

#include "injector/base/platform.h"

namespace flopsprof::injector {

// Process-wide id of the open range (never 0), or 0 when too many are open (counted kScopeDepth).
// `previous`: what its thread has begun before it, 0 = nothing.
uint64_t BeginStartedRange(uint32_t scope, uint64_t previous);

// False: no such range is open (counted by the caller).
bool EndStartedRange(uint64_t id);

// Its scope or, once it has ended, that of the newest one before it that is open, or
// shm::kOutsideScope. Lock-free.
FLOPSPROF_APART uint32_t ScopeOfStartedRange(uint64_t id);

}  // namespace flopsprof::injector
