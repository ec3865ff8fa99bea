// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// The way of a record: pending until its operation has ended (plus "late_ms"), then in a
// buffer that the client gave, then back to the client on a worker thread.
//
// Buffers are per launching thread, as CUPTI 13.0 has them by default. A buffer comes back
// when it is full, or at a flush. Records stand in it in the order in which they became
// complete, which across streams is not the order of the launches.
//
// Threads: Put from any; the worker moves and delivers. No lock is held while the client's
// functions run, except the one that keeps the worker's own turns apart.
#include <cupti.h>

#include "records.h"

namespace simgpu {

void PutRecord(Record record);

CUptiResult RegisterBufferCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                    CUpti_BuffersCallbackCompleteFunc complete);

// Waits until the buffers that can go are with the client. forced: also records whose
// operation has not ended, without their times.
CUptiResult Flush(bool forced);

// 0: full buffers come back at once; else only every so often.
void SetFlushPeriod(uint32_t period_ms);

// Records that are not with the client are lost, and not counted.
void ForgetUndelivered(int device);

// CUPTI leaves the process: nothing is delivered any more, and nothing registered. Returns how many
// buffers of the client it had, which the client never sees again.
size_t LeaveProcess();

// Dropped records since the last call.
size_t TakeDropped();

// The record after `record` (or the first) of a buffer.
CUptiResult NextRecord(uint8_t* buffer, size_t valid_bytes, CUpti_Activity** record);

}  // namespace simgpu
