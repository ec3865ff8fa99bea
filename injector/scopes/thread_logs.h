// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which log is which thread's. Logs are found by PyTorch's thread number and outlive their thread,
// because nodes do. A log whose thread has ended is given to another one when there is no other
// place for it; of threads that have lost theirs, or got none, nothing is known.
//
// Threads: any. No lock.

#include <stdint.h>

#include "injector/scopes/thread_log.h"

namespace flopsprof::injector {

// The calling thread's log, made when missing (one mmap). Null: out of memory, or of places for
// threads: its nodes are "pruned".
ThreadLog* AcquireThreadLog(uint64_t thread_number);

// The owner thread has ended: its log may go when it is old.
void ReleaseThreadLog(ThreadLog* log);

// Null: there is none.
ThreadLog* FindThreadLog(uint64_t thread_number);

// May this thread have had a log that is not there any more?
bool MayHaveLostItsLog(uint64_t thread_number);

// Only in the child of a fork or a test, when no other thread is in here.
void ForgetThreadLogs();

}  // namespace flopsprof::injector
