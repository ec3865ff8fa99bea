// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// In which scope was an autograd node made? PyTorch numbers the nodes of each thread in the order
// of their creation. A ThreadLog keeps, for one forward thread, the ascending list of
// (next number, scope) transitions; the last transition at or below a node's number names the
// node's scope. Written by its own thread, read by the threads that run backward passes.
//
// Nobody waits for anybody: there is no lock. Transitions lie in chunks of one pool of reserved
// pages; nothing is moved when a log grows. A log that needs a chunk takes the one that was taken
// longest ago in the process, whoever has it, so each step of growth and of forgetting costs the
// same. Readers compare the chunk's number before and after.
//
// Logs are found by PyTorch's thread number and outlive their thread, because nodes do. No call
// tells which nodes are still alive, so age is the only rule for forgetting: older nodes are
// "pruned", never booked on what is left.

#include <stdint.h>

namespace flopsprof::injector {

struct ThreadLog;

enum class NodeLookup {
  kFound,
  kBeforeLog,  // made before any scope was entered on its thread: outside
  kPruned,     // not known any more
};

// The calling thread's log, made when missing (one mmap). Null: out of memory, or of places for
// threads: its nodes are "pruned".
ThreadLog* AcquireThreadLog(uint64_t thread_number);

// The owner thread has ended: its log may go when it is old.
void ReleaseThreadLog(ThreadLog* log);

// From now on nodes with `sequence` and later are made in `scope`. Owner thread only.
void NoteTransition(ThreadLog* log, uint64_t sequence, uint32_t scope);

NodeLookup FindNodeScope(uint64_t thread_number, uint64_t sequence, uint32_t* scope);

// Entries in all logs.
uint64_t SequenceLogEntries();

// Of one chunk; the first of them repeats the last of the chunk before.
constexpr uint32_t kChunkEntries = 63;

// Only in the child of a fork or a test, when no other thread is in here.
void ForgetSequenceLogs();
void SetSequenceLogLimitForTesting(uint64_t entries);

}  // namespace flopsprof::injector
