// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which shared-memory segment the records go to now. Set by the session, read by everyone.

#include <stdint.h>

#include <atomic>

#include "proto/shm/ring_layout.h"

namespace flopsprof::injector {

// True if `header` (of a mapping of `bytes`) describes rings that lie inside of the mapping.
bool SegmentIsValid(const shm::SegmentHeader* header, uint64_t bytes);

// Begins to record into the segment, which stays mapped for ever. Counts that were made before
// are carried over.
void UseSegment(shm::SegmentHeader* header);

// Nothing is written to rings from here on; counters still reach the header.
void StopRecording();

// As StopRecording, and counters reach nobody: the memory belongs to the parent process.
void ForgetSegmentInForkedChild();

// Forgets the segment, whose memory is about to go.
void StopUsingSegmentForTesting();

// The segment in use, also after StopRecording; nullptr before the first.
shm::SegmentHeader* CurrentSegment();

// Where the header's statistics (launches, hook_calls ...) are counted: the segment's header or,
// when there is none, one that nobody reads.
shm::SegmentHeader* Statistics();

}  // namespace flopsprof::injector
