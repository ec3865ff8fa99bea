// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Layout of the shared-memory segment (one memfd per profiled process, created, sized and
// sealed by the agent): SegmentHeader, then slot_count slots of slot_stride bytes, each a
// SlotHeader followed by ring_records records. One thread writes a slot, the agent reads it.

#include <stddef.h>
#include <stdint.h>

#include <atomic>

#include "proto/shm/loss_counters.h"
#include "proto/shm/records.h"

namespace flopsprof::shm {

constexpr uint64_t kSegmentMagic = 0x31304d4853504c46ull;  // "FLPSHM01"
constexpr uint32_t kSegmentVersion = 2;
constexpr uint32_t kDefaultSlotCount = 64;
constexpr uint32_t kDefaultRingRecords = 16384;  // 1 MiB a thread; a power of two
constexpr size_t kSlotHeaderBytes = 256;
constexpr size_t kSegmentHeaderBytes = 4096;

enum class ProcessState : uint32_t {
  kUnspecified = 0,
  kRecording = 1,
  kGoodbye = 2,  // left in an orderly way; rings still to be drained
  kDead = 3,     // the injector gave up; reason in the notes and counters
};

// What an agent accepts. With a window of steps, only the injector changes kWork (or kTimedWork,
// where the segment has `host_clock`) to kPaused and back, where the window's steps begin and end.
enum class Recording : uint32_t {
  kNothing = 0,
  kWork = 1,
  kPaused = 2,  // definitions, notes and what becomes of graphs; no calls, launches and activities
  kTimedWork = 3,  // as kWork; launches, entries and ends of scopes have the host's clock
};
constexpr bool RecordsWork(uint32_t recording) { return (recording & 1) != 0; }

// Steps to be recorded: from `first` up to, not including, `end`. If the two are equal, none. From
// 0 on and without an end, work of a process that has not begun a step is recorded too.
struct StepsWanted {
  uint32_t first;
  uint32_t end;
};
constexpr uint32_t kNoEnd = 0xffffffffu;
constexpr uint64_t PackSteps(StepsWanted steps) {
  return uint64_t{steps.first} << 32 | uint64_t{steps.end};
}
constexpr StepsWanted UnpackSteps(uint64_t word) {
  return {static_cast<uint32_t>(word >> 32), static_cast<uint32_t>(word)};
}
constexpr uint64_t kNoSteps = 0;

enum class SlotState : uint32_t {
  kFree = 0,     // agent -> writer: may be claimed (compare and swap to kOwned)
  kOwned = 1,    // a thread writes
  kRetired = 2,  // its thread has ended; the agent drains it and sets kFree
};

struct SlotHeader {
  // Written by the writer.
  alignas(64) std::atomic<uint32_t> state;  // SlotState
  std::atomic<uint32_t> generation;         // +1 at each claim
  std::atomic<uint32_t> thread_id;          // gettid of the owner
  uint32_t reserved0;
  alignas(64) std::atomic<uint64_t> head;  // records written, ever; release
  std::atomic<uint64_t> dropped;           // records not written: ring full
  std::atomic<uint64_t> calls;             // calls whose (last) record was written, ever
  // Written by the agent.
  alignas(64) std::atomic<uint64_t> tail;  // records read, ever; release
  alignas(64) uint64_t reserved1[8];
};
static_assert(sizeof(SlotHeader) == kSlotHeaderBytes);
static_assert(std::atomic<uint64_t>::is_always_lock_free);
static_assert(offsetof(SlotHeader, head) == 64 && offsetof(SlotHeader, tail) == 128);
static_assert(offsetof(SlotHeader, calls) == 80);

struct SegmentHeader {
  // Written by the agent before the descriptor is passed; constant from then on.
  uint64_t magic;
  uint32_t version;
  uint32_t record_bytes;
  uint32_t slot_count;
  uint32_t ring_records;
  uint64_t slot_stride;
  uint64_t first_slot;  // offset of slot 0
  uint32_t host_clock;  // 1: work is recorded as kTimedWork, 0: as kWork
  uint32_t reserved9;
  uint64_t reserved0[2];
  // Written by the agent at any time.
  alignas(64) std::atomic<uint32_t> recording;  // Recording
  uint32_t reserved6;
  uint64_t reserved1[7];
  // Written by the injector at any time.
  alignas(64) std::atomic<uint32_t> process_state;  // ProcessState
  std::atomic<uint32_t> reserved2;
  std::atomic<uint64_t> launches;      // kLaunch records made or lost, ever
  std::atomic<uint64_t> activities;    // activity records received from CUPTI
  std::atomic<uint64_t> hook_calls;    // hooked library calls, outermost
  std::atomic<uint64_t> module_calls;  // module entries
  std::atomic<uint64_t> nodes;         // backward nodes
  std::atomic<uint64_t> own_cpu_ns;    // CPU time of our own threads
  std::atomic<uint64_t> cupti_overhead_ns;
  alignas(64) std::atomic<uint64_t> loss[kLossCounterSlots];
  // Written by the agent at any time: what `flopsprof ctl` has asked for.
  alignas(64) std::atomic<uint32_t> controlled;  // 1: obey what follows
  std::atomic<uint32_t> times_wanted;            // number of the start; 0 = CUPTI is not needed
  std::atomic<uint64_t> steps_wanted;            // PackSteps
  std::atomic<uint32_t> flush_wanted;            // number of the newest flush
  uint32_t reserved3;
  uint64_t reserved4[5];
  // Written by the injector.
  alignas(64) std::atomic<uint32_t> times_answer;  // times_wanted that CUPTI has been set to
  std::atomic<uint32_t> flush_answer;
  std::atomic<uint32_t> step;     // current; kNoStep: none has begun
  std::atomic<uint32_t> windows;  // that were opened, ever
  std::atomic<uint32_t> resting;  // 1: neither modules nor backward nodes are followed
  uint32_t reserved7;
  uint64_t reserved5[5];
  // Written by the injector at any time. Finished calls of libraries and operations (FORMAT.md,
  // "Calls that were made"), over the life of the process: all that were made are these three and
  // `calls` of the slots.
  alignas(64) std::atomic<uint64_t> calls_before;  // written into segments of earlier sessions
  std::atomic<uint64_t> calls_dropped;             // no slot, or no room in its ring
  std::atomic<uint64_t> calls_away;                // while there was no agent
  std::atomic<uint64_t> launches_away;             // of `launches`: while there was no agent
  std::atomic<uint64_t> activities_unwritten;      // of `activities`: no agent, no slot or no room
  uint64_t reserved8[3];
};
static_assert(sizeof(SegmentHeader) <= kSegmentHeaderBytes);
static_assert(offsetof(SegmentHeader, host_clock) == 40);
static_assert(offsetof(SegmentHeader, recording) == 64);
static_assert(offsetof(SegmentHeader, process_state) == 128);
static_assert(offsetof(SegmentHeader, loss) == 192);
static_assert(offsetof(SegmentHeader, controlled) == 704);
static_assert(offsetof(SegmentHeader, times_answer) == 768);
static_assert(offsetof(SegmentHeader, calls_before) == 832);

inline Recording RecordingOfWork(const SegmentHeader& header) {
  return header.host_clock == 1 ? Recording::kTimedWork : Recording::kWork;
}

constexpr uint64_t SlotStride(uint32_t ring_records) {
  return kSlotHeaderBytes + uint64_t{ring_records} * kRecordBytes;
}
constexpr uint64_t SegmentBytes(uint32_t slot_count, uint32_t ring_records) {
  return kSegmentHeaderBytes + uint64_t{slot_count} * SlotStride(ring_records);
}

}  // namespace flopsprof::shm
