// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which shared-memory segment the records go to now. Set by the session, read by everyone.

#include <stdint.h>

#include <atomic>

#include "proto/shm/ring_layout.h"

namespace flopsprof::injector {

// Where the slots of a segment are. Asked once and checked: its agent may write into the header
// until the end, and after it.
struct SlotPlaces {
  uint32_t count;
  uint32_t ring_records;  // of each slot; a power of two
  uint64_t first;         // bytes from the header
  uint64_t stride;
};

// Reads the places from `header` (of a mapping of `bytes`). False: it is no segment of ours, or its
// rings do not lie inside of the mapping.
bool ReadSlotPlaces(const shm::SegmentHeader* header, uint64_t bytes, SlotPlaces* places);

// Begins to record into the segment. Counts that were made before are carried over. Threads may
// still write into the one before (old_segments.h): its memory must stay.
void UseSegment(shm::SegmentHeader* header, const SlotPlaces& places);

// The agent has gone, another one may come: as paused, but what is written goes nowhere. Calls and
// launches are counted for the next segment, if work was recorded until now.
void GoAway();
// Right after it: the next segment is the first of another run, which counts from zero.
void ForgetCounts();
bool IsAway();
bool AwayCounts();

// What threads have counted where they should not any more, because the segment changed meanwhile,
// is counted where it belongs: into this header, which may be the stand-in for one.
void MoveLateCounts(shm::SegmentHeader* from);

// Nothing is written to rings from here on; counters still reach the header.
void StopRecording();

// As StopRecording, and counters reach nobody: the memory belongs to the parent process.
void ForgetSegmentInForkedChild();

// Forgets the segment, whose memory is about to go.
void StopUsingSegmentForTesting();

// The segment in use, also after StopRecording; nullptr before the first and while there is none.
shm::SegmentHeader* CurrentSegment();

// The slots of CurrentSegment, if the epoch is the same before that call and after this one.
SlotPlaces CurrentSlotPlaces();

// Where the header's statistics (launches, hook_calls ...) are counted: the segment's header or,
// when there is none, one that nobody reads.
shm::SegmentHeader* Statistics();

}  // namespace flopsprof::injector
