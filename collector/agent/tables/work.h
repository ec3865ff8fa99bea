// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the correlator and the aggregator say to each other.

#include <cstdint>

#include "flopsprof/v1/profile.pb.h"
#include "proto/shm/records.h"

namespace flopsprof::agent {

// To whom work belongs.
struct WorkContext {
  uint32_t scope = shm::kOutsideScope;
  uint32_t step = shm::kNoStep;
  shm::Phase phase = shm::Phase::kOther;
};

// Work in no step or beside one is in none.
constexpr bool InStep(uint32_t step) { return shm::PlaceOfStep(step) < shm::StepPlace::kBeside; }

inline WorkContext ContextOf(const shm::RecordHeader& header, uint32_t scope) {
  return {scope, header.step, static_cast<shm::Phase>(header.phase)};
}

constexpr uint32_t kNoRow = 0xffffffffu;

// A finished library call, as the aggregator has booked it: what its kernels are worth.
struct BookedCall {
  WorkContext context;
  v1::TimeCategory category = v1::TIME_CATEGORY_UNKNOWN;
  uint32_t row = kNoRow;  // of the aggregator's call rows; kNoRow: not kept
  // Collectives: what finds the other ends of the call (collective_waits.h); 0 = nothing does.
  uint64_t match = 0;
  uint32_t end_count = 0;
  int32_t rank = -1;
  uint64_t nccl_group = 0;  // of several calls (collective_groups.h); 0 = a call alone
};

// A kernel, copy or set with the work that it belongs to.
struct JoinedActivity {
  shm::ActivityRecord record;
  WorkContext context;
  // kNoRow in `call.row` and no category: outside of any library call.
  bool in_call = false;
  BookedCall call = {};
  bool valid_times = false;  // else its duration is not known
  bool share = false;        // of a graph that was timed as a whole; `record.kind` is the node's
  uint32_t stack = shm::kNoStack;  // its launch was sampled with this stack
  uint32_t stack_launches = 0;     // and stands for so many; 0 at further work of one launch
  uint64_t duration_ns = 0;
  // Where the time is that of a whole replay: how many of its nodes have been booked already.
  // duration_ns is what they left of it.
  uint32_t nodes_before = 0;
};

// A longer kernel is a broken time.
constexpr uint64_t kMaxDurationNs = uint64_t{1} << 47;  // 39 hours

inline bool HasValidTimes(const shm::ActivityRecord& record) {
  return (record.header.flags & shm::kFlagBadTimestamp) == 0 && record.start_gpu_ns != 0 &&
         record.end_gpu_ns >= record.start_gpu_ns &&
         record.end_gpu_ns - record.start_gpu_ns <= kMaxDurationNs;
}

inline bool IsKernel(const JoinedActivity& activity) {
  return activity.record.kind == static_cast<uint8_t>(shm::ActivityKind::kKernel);
}

}  // namespace flopsprof::agent
