// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Segments whose agents have gone. A thread may be in the middle of a record in one, and nothing
// tells when it has left: a sign at each record would cost as much as the record. So they stay
// mapped. Their memory is given back a while later, and the oldest one's addresses are used again
// by a new segment: what a thread that slept so long writes there is a position that makes no
// sense, which the agent counts. Helper thread only.

#include <stdint.h>

#include "injector/transport/segment.h"
#include "proto/shm/ring_layout.h"

namespace flopsprof::injector {

// The segment of `bytes` is in use no more. What was counted there is counted as made before.
void KeepOldSegment(shm::SegmentHeader* header, uint64_t bytes, const SlotPlaces& slots);

// As long as none comes, nothing of the agent's memory stays in this process: counts that come late
// go to memory of our own at the same addresses. The agent's is as it was.
void LeaveSegmentMemory(shm::SegmentHeader* header, uint64_t bytes);

// Counts that came late; memory that can be given back.
void LookAfterOldSegments(uint64_t now_ns);

// Where a new segment of so many bytes may be mapped in the place of an old one, which is then
// forgotten; nullptr: at any address.
void* TakeOldAddress(uint64_t bytes);

// No other segment comes.
void EmptyOldSegments();

}  // namespace flopsprof::injector
