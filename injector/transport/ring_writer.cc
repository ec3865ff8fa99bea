// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/transport/ring_writer.h"

namespace flopsprof::injector {

bool RingWriter::Claim(shm::SegmentHeader* segment, const SlotPlaces& places, uint32_t thread_id,
                       bool reserved) {
  const uint32_t count = places.count;
  const uint32_t kept = count >= kSlotsThatAreMany && !reserved ? kReservedSlots : 0;
  auto* first = reinterpret_cast<uint8_t*>(segment) + places.first;
  for (uint32_t i = 0; i < count - kept; ++i) {
    auto* slot = reinterpret_cast<shm::SlotHeader*>(first + i * places.stride);
    auto expected = static_cast<uint32_t>(shm::SlotState::kFree);
    // Acquire; pairs with the agent's release when it frees a drained slot.
    if (!slot->state.compare_exchange_strong(
            expected, static_cast<uint32_t>(shm::SlotState::kOwned), std::memory_order_acq_rel)) {
      continue;
    }
    // Both are visible to the agent before the first record of this owner is (release of head).
    slot->generation.fetch_add(1, std::memory_order_relaxed);
    slot->thread_id.store(thread_id, std::memory_order_relaxed);
    slot_ = slot;
    segment_ = segment;
    records_ = reinterpret_cast<uint8_t*>(slot) + shm::kSlotHeaderBytes;
    capacity_ = places.ring_records;
    head_ = slot->head.load(std::memory_order_relaxed);
    tail_ = head_;  // a free slot is a drained one
    return true;
  }
  return false;
}

void RingWriter::Retire() {
  if (slot_ == nullptr) return;
  // Release: the agent that sees kRetired sees the last head.
  slot_->state.store(static_cast<uint32_t>(shm::SlotState::kRetired), std::memory_order_release);
  slot_ = nullptr;
}

bool RingWriter::RefreshTail(uint64_t wanted) {
  // Acquire; pairs with the agent's release: it has copied what lies before the tail.
  tail_ = slot_->tail.load(std::memory_order_acquire);
  const uint64_t used = head_ - tail_;  // huge when the tail is nonsense: the ring stays full
  return used <= capacity_ && capacity_ - used >= wanted;
}

}  // namespace flopsprof::injector
