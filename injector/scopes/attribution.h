// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which scope, phase and step the work belongs to that the calling thread launches now.

#include <stdint.h>

#include "proto/shm/records.h"

namespace flopsprof::injector {

struct Attribution {
  uint32_t scope;  // shm::kOutsideScope: none
  shm::Phase phase;
  uint32_t step;  // shm::kNoStep: before step 0
};

// Reads thread-local state and one atomic: no lock, allocation, Python or CUDA call.
Attribution CurrentAttribution();

// Called by the session when it begins to record: sends the definitions of the ranges that were
// entered before. They may never be entered again, but what is launched now is theirs.
void DefineScopesSoFar();

// Once, when the session begins: what a thread enters in its last destructors is left as well.
void PrepareScopeEnds();

// Called once by the session when it begins to record (any thread, CUDA may be initialising):
// schedules the installation of the module hook and the backward callback in Python's main
// thread when this process runs Python. Returns at once.
void BeginScopes();

// Called by the session in its helper thread once a second: retries what had to wait
// (torch not imported yet); where Python's main thread does nothing, on a thread for it alone.
void TickScopes();

// Called by the session in its helper thread: nobody asks for attributions for a while, or does so
// again soon (rest.h). True: all that costs rests; else some of it is followed as before.
bool LetScopesRest(bool rest);

// Called by the session when it ends, not from a signal handler: says what never came.
void SettleScopes();

// Takes the hooks out again (detach); calls in flight unwind by themselves.
void EndScopes();

// In the child of a fork: touches nothing shared, forgets everything.
void ForgetScopesInForkedChild();

}  // namespace flopsprof::injector
