// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Our subscription to CUPTI: taken at session start, kept until the end or until the program's
// own profiler wants it, never taken twice. All functions but CuptiIsOurs are called by the
// session only: StartCupti once, the rest on the helper thread.

namespace flopsprof::injector {

// Subscribes and asks for launches, kernels, copies and sets. Whatever fails becomes a note
// ("cupti") and a counter; library calls are recorded all the same.
void StartCupti(bool another_client_was_seen);

// Delivers the records that CUPTI holds; `forced`: also those of work that still runs.
void FlushCupti(bool forced);

// Gives the subscription back. Buffers that CUPTI still holds stay valid.
void StopCupti();

bool CuptiIsOurs();

// One kClock record: CLOCK_MONOTONIC beside the clock of CUPTI's times.
void EmitClockPair();

}  // namespace flopsprof::injector
