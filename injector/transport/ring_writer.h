// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Writes records into one ring slot of a segment. One thread owns a writer; the agent reads the
// slot in another process. Never blocks: a full ring refuses the record.

#include <stdint.h>

#include "injector/transport/segment.h"
#include "proto/shm/ring_layout.h"

namespace flopsprof::injector {

class RingWriter {
 public:
  // The last slots of a segment that has many are kept for `reserved` claims.
  static constexpr uint32_t kReservedSlots = 2;
  static constexpr uint32_t kSlotsThatAreMany = 16;

  // Takes a free slot of `segment`, whose slots are at `places`. False: there is none.
  bool Claim(shm::SegmentHeader* segment, const SlotPlaces& places, uint32_t thread_id,
             bool reserved = false);

  // Hands the slot back; the agent frees it when it has read everything.
  void Retire();

  // Forgets the slot without touching it.
  void Forget() { slot_ = nullptr; }

  // The segment of the newest slot; nullptr: none was ever claimed.
  const shm::SegmentHeader* segment() const { return segment_; }

  bool has_slot() const { return slot_ != nullptr; }

  // Copies one record. False: the ring is full. Needs a slot.
  bool Write(const void* record) {
    if (head_ - tail_ >= capacity_ && !RefreshTail(1)) return false;
    __builtin_memcpy(records_ + (head_ & (capacity_ - 1)) * shm::kRecordBytes, record,
                     shm::kRecordBytes);
    // Release; pairs with the acquire of the agent's reader: the record is there before it counts.
    slot_->head.store(++head_, std::memory_order_release);
    return true;
  }

  // Room for the next record, all zero; nullptr: the ring is full. Needs a slot.
  void* Reserve() {
    if (head_ - tail_ >= capacity_ && !RefreshTail(1)) return nullptr;
    void* room = records_ + (head_ & (capacity_ - 1)) * shm::kRecordBytes;
    __builtin_memset(room, 0, shm::kRecordBytes);
    return room;
  }

  // What Reserve gave is complete. Release; as in Write.
  void Commit() { slot_->head.store(++head_, std::memory_order_release); }

  // Is there room for `count` records?
  bool HasRoom(uint64_t count) {
    const uint64_t used = head_ - tail_;  // huge when the tail is nonsense
    return (used <= capacity_ && capacity_ - used >= count) || RefreshTail(count);
  }

  uint64_t capacity() const { return capacity_; }

  // A call's record, or its last one, was written. No own copy: what the agent would write there is
  // only its own count.
  void CountCall() {
    std::atomic<uint64_t>& calls = slot_->calls;
    calls.store(calls.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  void CountDropped(uint64_t count) { slot_->dropped.fetch_add(count, std::memory_order_relaxed); }

 private:
  bool RefreshTail(uint64_t wanted);

  shm::SlotHeader* slot_ = nullptr;
  const shm::SegmentHeader* segment_ = nullptr;
  uint8_t* records_ = nullptr;
  uint64_t head_ = 0;      // own copy: the agent cannot move it
  uint64_t tail_ = 0;      // cached: the agent's cache line is read only when the ring looks full
  uint64_t capacity_ = 0;  // a power of two
};

}  // namespace flopsprof::injector
