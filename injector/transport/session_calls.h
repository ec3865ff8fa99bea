// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the rooms below the session ask of it. Declared down here, where hooks and callbacks may
// include it, and defined above, in session/session.cc: the linker joins them, so that a hook pays
// nothing for it. A program that has the lower rooms only brings a stand-in of these functions.

#include <stdint.h>

#include "injector/base/platform.h"

namespace flopsprof::injector {

// kAway: the agent has gone, and another one may come.
enum class SessionState : uint32_t { kDormant, kConnecting, kRecording, kAway, kDraining, kDead };

SessionState CurrentSessionState();

// Starts the session if it is dormant; waits at most ConnectTimeoutNs() for the agent. Returns
// at once in every other state.
FLOPSPROF_APART void StartSession();

// For hooks: true when their records are wanted. Starts the session at the first call.
bool SessionWantsRecords();

// Orderly end of the process: what CUPTI holds is flushed (at most 1 s), then kGoodbye is
// written. Does nothing in a forked child, a second time, or without a session.
void EndSession(bool fast_exit);

// The session gives CUPTI up, because the program's own profiler wants it. Returns when it is
// free, after at most 1 s.
void YieldCupti();

// The program has come out of cuInit: it has used CUDA.
void NoteCudaIsUp();

// The same, at the exit of a call that has succeeded: times that could not be begun in cuInit, or
// before the program had a libcupti, begin here.
void OnCudaCallEnded();

// CUDA refused the program's first calls with this status. Where that tells about the machine the
// session begins all the same, without CUPTI, to say so.
void NoteCudaFailure(int status);

// The session must leave CUPTI alone from now on: another client has been seen; until that client
// has given it back.
void NoteForeignCuptiClient();
void NoteForeignCuptiClientGone();

}  // namespace flopsprof::injector
