// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A shared-memory segment in ordinary memory, for tests of the injector.

#include <stdlib.h>
#include <string.h>

#include <memory>
#include <string>
#include <vector>

#include "injector/transport/segment.h"
#include "proto/shm/records.h"
#include "proto/shm/ring_layout.h"
#include "tests/support/injector/segment_memory.h"

namespace flopsprof::test {

struct RawRecord {
  alignas(8) uint8_t bytes[shm::kRecordBytes];

  template <class T>
  T As() const {
    T record;
    memcpy(&record, bytes, sizeof(record));
    return record;
  }
  shm::RecordType type() const {
    return static_cast<shm::RecordType>(As<shm::RecordHeader>().type);
  }
};

class TestSegment {
 public:
  explicit TestSegment(uint32_t slot_count = 8, uint32_t ring_records = 1024)
      : bytes_(shm::SegmentBytes(slot_count, ring_records)),
        memory_(static_cast<uint8_t*>(aligned_alloc(64, bytes_)), &free) {
    memset(memory_.get(), 0, bytes_);
    MakeSegment(memory_.get(), slot_count, ring_records);
  }
  ~TestSegment() {
    if (injector::CurrentSegment() == header()) injector::StopUsingSegmentForTesting();
  }
  TestSegment(const TestSegment&) = delete;
  TestSegment& operator=(const TestSegment&) = delete;

  void Use() { injector::UseSegment(header(), places()); }

  injector::SlotPlaces places() {
    injector::SlotPlaces places = {};
    injector::ReadSlotPlaces(header(), bytes_, &places);
    return places;
  }

  shm::SegmentHeader* header() { return reinterpret_cast<shm::SegmentHeader*>(memory_.get()); }
  uint64_t bytes() const { return bytes_; }

  shm::SlotHeader* slot(uint32_t i) { return SlotOf(header(), i); }

  uint64_t loss(shm::LossCounter counter) { return LossOf(header(), counter); }

  // Takes what is in one slot, as the agent does; frees it if its thread has ended.
  std::vector<RawRecord> DrainSlot(uint32_t i) {
    shm::SlotHeader* s = slot(i);
    const uint32_t state = s->state.load();
    std::vector<RawRecord> result;
    TakeRecords(header(), i, [&](const uint8_t* bytes) {
      memcpy(result.emplace_back().bytes, bytes, shm::kRecordBytes);
    });
    if (state == static_cast<uint32_t>(shm::SlotState::kRetired)) {
      s->state.store(static_cast<uint32_t>(shm::SlotState::kFree));
    }
    return result;
  }

  std::vector<RawRecord> Drain() {
    std::vector<RawRecord> all;
    for (uint32_t i = 0; i < header()->slot_count; ++i) {
      for (const RawRecord& record : DrainSlot(i)) all.push_back(record);
    }
    return all;
  }

 private:
  const uint64_t bytes_;
  const std::unique_ptr<uint8_t, void (*)(void*)> memory_;
};

// The records of one type.
template <class T>
std::vector<T> Only(const std::vector<RawRecord>& records, shm::RecordType type) {
  std::vector<T> result;
  for (const RawRecord& record : records) {
    if (record.type() == type) result.push_back(record.As<T>());
  }
  return result;
}

// Text of the blob that begins at records[i].
inline std::string BlobText(const std::vector<RawRecord>& records, size_t i) {
  const auto begin = records.at(i).As<shm::BlobBegin>();
  std::string text(begin.data, begin.inline_bytes);
  for (++i; text.size() < begin.total_bytes; ++i) {
    const auto part = records.at(i).As<shm::BlobPart>();
    const size_t left = begin.total_bytes - part.offset;
    text.resize(part.offset);
    text.append(part.data, left < sizeof(part.data) ? left : sizeof(part.data));
  }
  return text;
}

}  // namespace flopsprof::test
