// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/transport/segment.h"

#include "injector/transport/record_sink.h"

namespace flopsprof::injector {
namespace {

// Stands in while there is no segment: `recording` is 0, counters are kept for the first one.
shm::SegmentHeader no_segment;

// One cache line, which each hook reads: the program's own work has it out of the first cache
// between two of them.
struct alignas(64) InUse {
  std::atomic<shm::SegmentHeader*> recording{&no_segment};  // what IsRecording asks
  std::atomic<shm::SegmentHeader*> counting{&no_segment};
  std::atomic<shm::SegmentHeader*> current{nullptr};
  std::atomic<uint32_t> epoch{0};
};
InUse in_use;

void CarryOver(shm::SegmentHeader* to) {
  for (uint32_t i = 0; i < shm::kLossCounterSlots; ++i) {
    const uint64_t count = no_segment.loss[i].exchange(0, std::memory_order_relaxed);
    if (count != 0) to->loss[i].fetch_add(count, std::memory_order_relaxed);
  }
}

}  // namespace

bool SegmentIsValid(const shm::SegmentHeader* header, uint64_t bytes) {
  if (bytes < shm::kSegmentHeaderBytes) return false;
  const uint32_t slots = header->slot_count;
  const uint32_t records = header->ring_records;
  return header->magic == shm::kSegmentMagic && header->version == shm::kSegmentVersion &&
         header->record_bytes == shm::kRecordBytes && slots > 0 && slots <= 65536 && records > 0 &&
         records <= (1u << 24) && (records & (records - 1)) == 0 &&
         header->slot_stride >= shm::SlotStride(records) && header->slot_stride < bytes &&
         header->slot_stride % alignof(shm::SlotHeader) == 0 &&
         header->first_slot >= shm::kSegmentHeaderBytes && header->first_slot < bytes &&
         header->first_slot % alignof(shm::SlotHeader) == 0 &&
         header->first_slot + slots * header->slot_stride <= bytes;
}

void UseSegment(shm::SegmentHeader* header) {
  CarryOver(header);
  in_use.counting.store(header, std::memory_order_relaxed);
  in_use.current.store(header, std::memory_order_relaxed);
  in_use.epoch.fetch_add(1, std::memory_order_relaxed);
  header->process_state.store(static_cast<uint32_t>(shm::ProcessState::kRecording),
                              std::memory_order_relaxed);
  // Release; pairs with the acquire in IsRecording: who sees the header sees its fields.
  in_use.recording.store(header, std::memory_order_release);
  CarryOver(header);  // counts made by other threads in between
}

void StopRecording() { in_use.recording.store(&no_segment, std::memory_order_release); }

void ForgetSegmentInForkedChild() {
  in_use.recording.store(&no_segment, std::memory_order_release);
  in_use.counting.store(&no_segment, std::memory_order_relaxed);
}

void StopUsingSegmentForTesting() {
  ForgetSegmentInForkedChild();
  in_use.current.store(nullptr, std::memory_order_relaxed);
  in_use.epoch.fetch_add(1, std::memory_order_relaxed);  // rings of the old one are not retired
}

shm::SegmentHeader* CurrentSegment() { return in_use.current.load(std::memory_order_relaxed); }

shm::SegmentHeader* Statistics() { return in_use.counting.load(std::memory_order_relaxed); }

bool IsRecording() {
  // An acquire load is a plain load on x86-64.
  return in_use.recording.load(std::memory_order_acquire)
             ->recording.load(std::memory_order_relaxed) ==
         static_cast<uint32_t>(shm::Recording::kWork);
}

bool IsConnected() {
  return in_use.recording.load(std::memory_order_acquire)
             ->recording.load(std::memory_order_relaxed) !=
         static_cast<uint32_t>(shm::Recording::kNothing);
}

uint32_t SessionEpoch() { return in_use.epoch.load(std::memory_order_relaxed); }

void CountLoss(shm::LossCounter counter, uint64_t count) {
  const auto index = static_cast<uint32_t>(counter);
  if (index < shm::kLossCounterSlots) {
    Statistics()->loss[index].fetch_add(count, std::memory_order_relaxed);
  }
}

}  // namespace flopsprof::injector
