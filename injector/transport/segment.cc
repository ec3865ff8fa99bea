// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/transport/segment.h"

#include "injector/transport/record_sink.h"

namespace flopsprof::injector {
namespace {

// Stands in while there is no segment: `recording` is 0, counters are kept for the first one.
shm::SegmentHeader no_segment;

// Stands in while the agent is away: what is recorded is nothing, as while it is paused.
shm::SegmentHeader away_segment;
std::atomic<bool> away_counts{false};

// One cache line, which each hook reads: the program's own work has it out of the first cache
// between two of them.
struct alignas(64) InUse {
  std::atomic<shm::SegmentHeader*> recording{&no_segment};  // what IsRecording asks
  std::atomic<shm::SegmentHeader*> counting{&no_segment};
  std::atomic<shm::SegmentHeader*> current{nullptr};
  std::atomic<uint32_t> epoch{0};
};
InUse in_use;

// Of in_use.current.
struct Places {
  std::atomic<uint32_t> count{0};
  std::atomic<uint32_t> ring_records{0};
  std::atomic<uint64_t> first{0};
  std::atomic<uint64_t> stride{0};
};
Places current_places;

void Move(std::atomic<uint64_t>* from, std::atomic<uint64_t>* to) {
  if (from->load(std::memory_order_relaxed) == 0) return;
  to->fetch_add(from->exchange(0, std::memory_order_relaxed), std::memory_order_relaxed);
}

// All that is added to from anywhere. The others are stored as a whole, by FoldCounts and the
// helper thread.
void MoveCounts(shm::SegmentHeader* from, shm::SegmentHeader* to) {
  if (from == to) return;
  for (uint32_t i = 0; i < shm::kLossCounterSlots; ++i) Move(&from->loss[i], &to->loss[i]);
  Move(&from->launches, &to->launches);
  Move(&from->activities, &to->activities);
  Move(&from->cupti_overhead_ns, &to->cupti_overhead_ns);
  Move(&from->calls_before, &to->calls_before);
  Move(&from->calls_dropped, &to->calls_dropped);
  Move(&from->calls_away, &to->calls_away);
  Move(&from->launches_away, &to->launches_away);
  Move(&from->activities_unwritten, &to->activities_unwritten);
}

// Release, and last; pairs with the acquire in SessionEpoch: who knows the new epoch writes nothing
// into the segment of the one before.
void BeginEpoch() { in_use.epoch.fetch_add(1, std::memory_order_release); }

}  // namespace

bool ReadSlotPlaces(const shm::SegmentHeader* header, uint64_t bytes, SlotPlaces* places) {
  if (bytes < shm::kSegmentHeaderBytes) return false;
  // Each once: what is checked is what is used.
  places->count = __atomic_load_n(&header->slot_count, __ATOMIC_RELAXED);
  places->ring_records = __atomic_load_n(&header->ring_records, __ATOMIC_RELAXED);
  places->first = __atomic_load_n(&header->first_slot, __ATOMIC_RELAXED);
  places->stride = __atomic_load_n(&header->slot_stride, __ATOMIC_RELAXED);
  const uint32_t records = places->ring_records;
  return header->magic == shm::kSegmentMagic && header->version == shm::kSegmentVersion &&
         header->record_bytes == shm::kRecordBytes && places->count > 0 && places->count <= 65536 &&
         records > 0 && records <= (1u << 24) && (records & (records - 1)) == 0 &&
         places->stride >= shm::SlotStride(records) && places->stride < bytes &&
         places->stride % alignof(shm::SlotHeader) == 0 &&
         places->first >= shm::kSegmentHeaderBytes && places->first < bytes &&
         places->first % alignof(shm::SlotHeader) == 0 &&
         places->first + places->count * places->stride <= bytes;
}

void UseSegment(shm::SegmentHeader* header, const SlotPlaces& places) {
  MoveCounts(&no_segment, header);
  in_use.counting.store(header, std::memory_order_relaxed);
  // Releases: who sees one of them sees that the epoch of the segment before has ended.
  current_places.count.store(places.count, std::memory_order_release);
  current_places.ring_records.store(places.ring_records, std::memory_order_release);
  current_places.first.store(places.first, std::memory_order_release);
  current_places.stride.store(places.stride, std::memory_order_release);
  // Release; pairs with the acquire in CurrentSegment: who sees the segment sees its places.
  in_use.current.store(header, std::memory_order_release);
  header->process_state.store(static_cast<uint32_t>(shm::ProcessState::kRecording),
                              std::memory_order_relaxed);
  // Release; pairs with the acquire in IsRecording: who sees the header sees its fields.
  in_use.recording.store(header, std::memory_order_release);
  BeginEpoch();
  MoveCounts(&no_segment, header);  // counts made by other threads in between
}

void GoAway() {
  away_segment.recording.store(static_cast<uint32_t>(shm::Recording::kPaused),
                               std::memory_order_relaxed);
  shm::SegmentHeader* left = in_use.current.exchange(nullptr, std::memory_order_relaxed);
  away_counts.store(
      left == nullptr || shm::RecordsWork(left->recording.load(std::memory_order_relaxed)),
      std::memory_order_relaxed);
  in_use.counting.store(&no_segment, std::memory_order_relaxed);
  in_use.recording.store(&away_segment, std::memory_order_release);
  BeginEpoch();
  if (left != nullptr) MoveCounts(left, &no_segment);
}

void ForgetCounts() {
  static shm::SegmentHeader forgotten;
  MoveCounts(&no_segment, &forgotten);
}

bool IsAway() { return in_use.recording.load(std::memory_order_acquire) == &away_segment; }

bool AwayCounts() { return IsAway() && away_counts.load(std::memory_order_relaxed); }

void MoveLateCounts(shm::SegmentHeader* from) {
  shm::SegmentHeader* to = Statistics();
  if (from != nullptr) MoveCounts(from, to);
  MoveCounts(&no_segment, to);
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

shm::SegmentHeader* CurrentSegment() { return in_use.current.load(std::memory_order_acquire); }

SlotPlaces CurrentSlotPlaces() {
  return {current_places.count.load(std::memory_order_acquire),
          current_places.ring_records.load(std::memory_order_acquire),
          current_places.first.load(std::memory_order_acquire),
          current_places.stride.load(std::memory_order_acquire)};
}

shm::SegmentHeader* Statistics() { return in_use.counting.load(std::memory_order_relaxed); }

shm::Recording WhatIsRecorded() {
  // An acquire load is a plain load on x86-64.
  return static_cast<shm::Recording>(
      in_use.recording.load(std::memory_order_acquire)->recording.load(std::memory_order_relaxed));
}

bool IsRecording() { return shm::RecordsWork(static_cast<uint32_t>(WhatIsRecorded())); }

bool IsRecordingTimed() { return WhatIsRecorded() == shm::Recording::kTimedWork; }

bool IsConnected() { return WhatIsRecorded() != shm::Recording::kNothing; }

uint32_t SessionEpoch() { return in_use.epoch.load(std::memory_order_acquire); }

void CountLoss(shm::LossCounter counter, uint64_t count) {
  const auto index = static_cast<uint32_t>(counter);
  if (index < shm::kLossCounterSlots) {
    Statistics()->loss[index].fetch_add(count, std::memory_order_relaxed);
  }
}

}  // namespace flopsprof::injector
