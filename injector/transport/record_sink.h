// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where everything in the injector puts its records: the calling thread's ring. Implemented by
// ring_writer and string_table; tests link a recording fake instead. None of these functions
// blocks, throws or calls into CUDA or Python; before a session exists they do nothing.

#include <stddef.h>
#include <stdint.h>

#include "injector/base/platform.h"
#include "proto/shm/loss_counters.h"
#include "proto/shm/records.h"

namespace flopsprof::injector {

// True while work is recorded. One relaxed load; check it before any other work.
bool IsRecording();

// True while an agent is there, also when work is not recorded just now (window.h): definitions and
// notes are written. Everything below asks this only; who records work asks IsRecording() first.
// True as well while one has gone and another may come (segment.h, GoAway): what is written then
// goes nowhere, and is written again in the next epoch.
bool IsConnected();

// Changes whenever a new segment is in use: definitions of an older epoch must be sent again.
// 0 = never recorded.
uint32_t SessionEpoch();

// While there is one, no thread waits for room in a ring.
class NobodyWaitsForRoom {
 public:
  NobodyWaitsForRoom();
  ~NobodyWaitsForRoom();
  NobodyWaitsForRoom(const NobodyWaitsForRoom&) = delete;
  NobodyWaitsForRoom& operator=(const NobodyWaitsForRoom&) = delete;
};

// Copies one record into the calling thread's ring. False: dropped and counted.
FLOPSPROF_APART bool EmitRecord(const void* record);

// Room for one record in the calling thread's ring, all zero, to be filled there and committed by
// the same thread, which emits nothing in between. nullptr: not recording, or no room.
void* ReserveRecord();
void CommitRecord();

// As EmitRecord of a zeroed record that `fill` has completed. Filled in the ring, there is no copy
// whose wide loads would wait for the narrow stores just made. `fill` emits nothing itself.
template <class Record, class Fill>
bool EmitInPlace(Fill fill) {
  if (void* room = ReserveRecord()) {
    fill(static_cast<Record*>(room));
    CommitRecord();
    return true;
  }
  Record record{};
  fill(&record);
  return EmitRecord(&record);
}

// As EmitRecord and EmitInPlace, of the record that ends a call: its only one, or its last. Each
// call that has finished goes through one of these, so that the reader knows how many there were
// (proto/shm/FORMAT.md, "Calls that were made").
FLOPSPROF_APART bool EmitCall(const void* record);
void CommitCall();
// Counts a call for which ReserveRoom found no room.
void CountCallWithoutRoom();

template <class Record, class Fill>
bool EmitCallInPlace(Fill fill) {
  if (void* room = ReserveRecord()) {
    fill(static_cast<Record*>(room));
    CommitCall();
    return true;
  }
  Record record{};
  fill(&record);
  return EmitCall(&record);
}

// Is there room for `count` records that belong together, written next by this thread? False:
// none of them is to be written, and they are counted as lost. While the agent is away there is.
bool ReserveRoom(uint64_t count);

// Waits for room for `count` records, or for as many as the ring holds, as long as this thread may
// (thread_state.h). Nothing is counted where there is none.
void AwaitRoom(uint64_t count);

// The parts of one call, after ReserveRoom: all in the ring that has the room, even if the agent
// goes meanwhile.
void EmitPart(const void* record);
void EmitLastPart(const void* record);

// Id of a string (1 ...), defined for the reader when new; 0 for "" and on failure (counted).
// Takes a lock when the string is new: keep the id, do not call on the launch path.
uint32_t InternString(const char* text, size_t bytes);
uint32_t InternString(const char* text);

// As InternString. False: there was no room to send it, which is counted; a later try may have
// some.
bool TryInternString(const char* text, size_t bytes, uint32_t* id);

// How long a blob may be: an empty ring can hold it.
size_t LongestBlobBytes();

// Sends a blob (a cuDNN plan) in one or more records. False: dropped and counted.
bool EmitBlob(shm::BlobKind kind, uint32_t id, const char* data, size_t bytes);

// Named fact about the process; the newest value of a key counts. Keys: proto/shm/FORMAT.md.
void EmitNote(const char* key, const char* value);

// In a new epoch, once: the newest of all notes, and all names whose ids somebody may have kept.
// Helper thread.
void TellAgain();

// A launch of the program while no agent is there.
void CountAwayLaunch();

void CountLoss(shm::LossCounter counter, uint64_t count = 1);

// Counters in the segment header.
void CountModuleCalls(uint64_t count);
void CountBackwardNodes(uint64_t count);

}  // namespace flopsprof::injector
