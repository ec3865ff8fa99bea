// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/rings/ring_reader.h"

#include <algorithm>
#include <cstring>

namespace flopsprof::agent {

using shm::SlotState;

RingReader::RingReader(const Segment* segment)
    : segment_(segment), mask_(segment->ring_records() - 1), slots_(segment->slot_count()) {
  for (uint32_t index = 0; index < slots_.size(); index++) {
    slots_[index].shared = &segment->slot(index);
  }
}

RingReader::PassResult RingReader::Pass(size_t max_records_per_slot, RecordBatchSink* sink) {
  PassResult result;
  for (uint32_t index = 0; index < slots_.size(); index++) {
    Slot& slot = slots_[index];
    shm::SlotHeader& shared = *slot.shared;
    // acquire; pairs with the release of the thread that retires its slot: read before `head`,
    // so that an empty retired ring stays empty.
    const uint32_t state = shared.state.load(std::memory_order_acquire);
    // acquire; pairs with the release store in the injector's ring writer.
    const uint64_t head = shared.head.load(std::memory_order_acquire);
    const bool retired = state == static_cast<uint32_t>(SlotState::kRetired);
    if (head == slot.tail && !retired) {
      // A thread claims the first free slot: behind one that nobody has ever claimed there is none.
      const bool free = state == static_cast<uint32_t>(SlotState::kFree);
      if (free && shared.generation.load(std::memory_order_relaxed) == 0) break;
      continue;
    }
    const uint64_t available = head - slot.tail;
    if (available > segment_->ring_records()) {  // also when head < tail
      corrupt_position_count_++;
      slot.tail = head;
      shared.tail.store(head, std::memory_order_release);
      continue;
    }
    if (available > 0) {
      const size_t taken = Drain(index, head, max_records_per_slot, sink);
      result.records += taken;
      if (taken < available) {
        result.more = true;
        continue;
      }
    }
    if (retired) {
      uint32_t expected = state;
      // release; pairs with the acquire of the thread that claims the slot.
      shared.state.compare_exchange_strong(expected, static_cast<uint32_t>(SlotState::kFree),
                                           std::memory_order_release, std::memory_order_relaxed);
    }
  }
  record_count_ += result.records;
  return result;
}

size_t RingReader::Drain(uint32_t index, uint64_t head, size_t max_records, RecordBatchSink* sink) {
  Slot& slot = slots_[index];
  shm::SlotHeader& shared = *slot.shared;
  const std::byte* ring = segment_->records(index);
  // After `head`: whoever wrote these records had claimed the slot before. A slot is freed only
  // when it is empty, so they are all of one generation.
  const RingId id = {index, shared.generation.load(std::memory_order_relaxed)};
  size_t taken = 0;
  while (slot.tail != head && taken < max_records) {
    const uint64_t position = slot.tail & mask_;
    const uint64_t until_wrap = mask_ + 1 - position;
    const size_t count = std::min<uint64_t>(
        {head - slot.tail, until_wrap, kBatchRecords, uint64_t{max_records - taken}});
    const std::byte* from = ring + position * shm::kRecordBytes;
    for (size_t i = 0; i < count * shm::kRecordBytes; i += shm::kRecordBytes) {
      std::memcpy(batch_.data() + i, from + i, shm::kRecordBytes);
    }
    slot.tail += count;
    taken += count;
    // release; pairs with the acquire in the writer: the room is free only after the copy.
    shared.tail.store(slot.tail, std::memory_order_release);
    sink->OnBatch(id, batch_.data(), count);
  }
  return taken;
}

uint64_t RingReader::calls_written() const {
  uint64_t sum = 0;
  for (const Slot& slot : slots_) {
    // Behind a slot that nobody has ever claimed there is none.
    if (slot.shared->generation.load(std::memory_order_relaxed) == 0) break;
    sum += slot.shared->calls.load(std::memory_order_relaxed);
  }
  return sum;
}

uint64_t RingReader::dropped_count() {
  uint64_t sum = 0;
  for (Slot& slot : slots_) {
    const uint64_t now = slot.shared->dropped.load(std::memory_order_relaxed);
    slot.dropped = std::max(slot.dropped, now);
    sum += slot.dropped;
  }
  return sum;
}

}  // namespace flopsprof::agent
