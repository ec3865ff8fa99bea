// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// When GPU times begin: not before the program has come out of cuInit, nor before it has a
// libcupti. What hooks and callbacks tell of it is declared in transport/session_calls.h.

#include <stdint.h>

namespace flopsprof::injector {

// What the agent wants, with the session that begins now.
void SetTimesWanted(uint32_t welcome_options);

// After a late attach nothing tells that the driver has long been up: MayCallCuda asks it.
void LetDriverTellThatItIsUp();

// The session begins inside of cuInit, which holds locks of the driver that CUPTI takes as well:
// the helper thread calls into neither before the program has come out of it.
bool MayCallCuda();
// CUDA has refused the program's first calls: there is nothing to be timed.
bool CudaHasFailed();
// The program's thread is where the driver lets its tools begin: contexts come after this.
void StartTimesInInit();

void StartTimes();
// CUPTI could not be started yet: it is at the next occasion.
void OweTimes();
bool TimesAreOwed();
// On the helper thread, or on the program's at the exit of a call that shows that CUDA is up.
void StartOwedTimes(bool on_program_thread);

// Helper thread: pairs the clocks; whether that was done in this session.
void TellClock();
bool ClockWasTold();

}  // namespace flopsprof::injector
