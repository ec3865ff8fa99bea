// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "collector/agent/rings/segment.h"
#include "proto/shm/records.h"

namespace flopsprof::agent {

// One life of one ring: the records of one thread.
struct RingId {
  uint32_t slot = 0;
  uint32_t generation = 0;
};

// Takes records. Called on the reader's thread, with memory that only the reader can write.
class RecordBatchSink {
 public:
  virtual ~RecordBatchSink() = default;
  // `count` records of kRecordBytes, aligned as a uint64_t and in the order in which the thread
  // wrote them.
  virtual void OnBatch(RingId ring, const std::byte* records, size_t count) = 0;
};

// Drains the rings of one segment. The other side may write anything at any time: positions are
// checked, records are copied out before anybody looks at them, and a pass ends after a bounded
// number of records however fast the other side writes. One thread; does not own the segment.
class RingReader {
 public:
  explicit RingReader(const Segment* segment);

  struct PassResult {
    size_t records = 0;
    bool more = false;  // a ring was left before it was empty
  };
  // Visits every slot once and takes at most `max_records_per_slot` from each; frees slots whose
  // thread has ended and that are empty.
  PassResult Pass(size_t max_records_per_slot, RecordBatchSink* sink);

  uint64_t record_count() const { return record_count_; }
  // Times a ring's position made no sense; what it held then is lost.
  uint64_t corrupt_position_count() const { return corrupt_position_count_; }
  // Calls that writers say they have written.
  uint64_t calls_written() const;
  // Records that writers dropped because their ring was full, as the slots say; never falls.
  uint64_t dropped_count();

 private:
  struct Slot {
    shm::SlotHeader* shared = nullptr;
    uint64_t tail = 0;  // our own: the shared one is only ever written
    uint64_t dropped = 0;
  };
  static constexpr size_t kBatchRecords = 256;

  size_t Drain(uint32_t index, uint64_t head, size_t max_records, RecordBatchSink* sink);

  const Segment* const segment_;
  const uint64_t mask_;
  std::vector<Slot> slots_;
  alignas(shm::kRecordBytes) std::array<std::byte, kBatchRecords * shm::kRecordBytes> batch_;
  uint64_t record_count_ = 0;
  uint64_t corrupt_position_count_ = 0;
};

}  // namespace flopsprof::agent
