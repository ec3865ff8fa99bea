// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// In which scope was an autograd node made? PyTorch numbers the nodes of each thread in the order
// of their creation. The log of a forward thread (thread_log.h) keeps the ascending list of
// (next number, scope) transitions; the last transition at or below a node's number names the
// node's scope. Written by its own thread, read by the threads that run backward passes.
//
// No call tells which nodes are still alive, so the oldest transitions are forgotten first. A node
// that is older than the log is "pruned"; it is never given to a scope that is left in the log.
// There is no lock, and no thread waits for another.

#include <stdint.h>

#include "injector/scopes/thread_logs.h"

namespace flopsprof::injector {

// From now on nodes with `sequence` and later are made in `scope`. Owner thread only.
inline void NoteTransition(ThreadLog* log, uint64_t sequence, uint32_t scope) {
  log->Note(sequence, scope);
}

NodeLookup FindNodeScope(uint64_t thread_number, uint64_t sequence, uint32_t* scope);

// Entries in all logs.
uint64_t SequenceLogEntries();

// Only in the child of a fork or a test, when no other thread is in here.
void ForgetSequenceLogs();
void SetSequenceLogLimitForTesting(uint64_t entries);

}  // namespace flopsprof::injector
