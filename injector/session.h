// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The life of the injector in one process: dormant -> connecting -> recording -> draining ->
// dead. It begins with the first sign of GPU work (InitializeInjection, or the first hooked
// call); until then there is no thread, socket or file. It never begins without FLOPSPROF_SOCKET.

#include <stdint.h>

#include "injector/base/platform.h"

namespace flopsprof::injector {

enum class SessionState : uint32_t { kDormant, kConnecting, kRecording, kDraining, kDead };

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

// What else is undone when the agent has gone and the program runs on.
void SetDetachAction(void (*action)());

// In the child of a fork: no thread, no record, no counter.
void AbandonSessionInForkedChild();

}  // namespace flopsprof::injector
