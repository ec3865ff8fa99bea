// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The agent's side of a shared-memory segment, for tests and benchmarks of the injector.

#include <stdint.h>

#include <atomic>

#include "proto/shm/ring_layout.h"

namespace flopsprof::test {

// Makes zeroed memory of SegmentBytes(slot_count, ring_records) a segment that records.
inline shm::SegmentHeader* MakeSegment(void* memory, uint32_t slot_count, uint32_t ring_records) {
  auto* header = static_cast<shm::SegmentHeader*>(memory);
  header->magic = shm::kSegmentMagic;
  header->version = shm::kSegmentVersion;
  header->record_bytes = shm::kRecordBytes;
  header->slot_count = slot_count;
  header->ring_records = ring_records;
  header->slot_stride = shm::SlotStride(ring_records);
  header->first_slot = shm::kSegmentHeaderBytes;
  header->recording.store(1);
  return header;
}

inline shm::SlotHeader* SlotOf(shm::SegmentHeader* header, uint32_t i) {
  return reinterpret_cast<shm::SlotHeader*>(reinterpret_cast<uint8_t*>(header) +
                                            header->first_slot + i * header->slot_stride);
}

inline uint64_t LossOf(const shm::SegmentHeader* header, shm::LossCounter counter) {
  return header->loss[static_cast<uint32_t>(counter)].load();
}

// Gives take() each record that is in one slot, kRecordBytes each, and makes room.
template <class Take>
void TakeRecords(shm::SegmentHeader* header, uint32_t i, Take take) {
  shm::SlotHeader* slot = SlotOf(header, i);
  const auto* records = reinterpret_cast<const uint8_t*>(slot) + shm::kSlotHeaderBytes;
  const uint64_t head = slot->head.load(std::memory_order_acquire);
  uint64_t tail = slot->tail.load(std::memory_order_relaxed);
  for (; tail < head; ++tail) take(records + tail % header->ring_records * shm::kRecordBytes);
  slot->tail.store(tail, std::memory_order_release);
}

}  // namespace flopsprof::test
