// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/transport/old_segments.h"

#include <string.h>
#include <sys/mman.h>

#include "injector/base/platform.h"
#include "injector/transport/segment.h"

namespace flopsprof::injector {
namespace {

// More than a second or two of sessions that come and go at once.
constexpr uint32_t kMostKept = 8;
constexpr uint64_t kLateNs = 5000000000u;

struct OldSegment {
  shm::SegmentHeader* header;  // nullptr: none
  uint64_t bytes;
  SlotPlaces slots;
  uint64_t calls;     // that were written there, as far as they are counted
  uint64_t until_ns;  // then its memory is given back; 0: it is
};
OldSegment kept[kMostKept];
uint32_t next_place = 0;  // of the oldest

// Of all slots that were ever claimed: a thread claims the first free one.
uint64_t CallsIn(const OldSegment& old) {
  uint64_t calls = 0;
  const auto* first = reinterpret_cast<const uint8_t*>(old.header) + old.slots.first;
  for (uint32_t i = 0; i < old.slots.count; ++i) {
    const auto* slot = reinterpret_cast<const shm::SlotHeader*>(first + i * old.slots.stride);
    if (slot->generation.load(std::memory_order_relaxed) == 0) break;
    calls += slot->calls.load(std::memory_order_relaxed);
  }
  return calls;
}

void CountLateCalls(OldSegment* old) {
  const uint64_t calls = CallsIn(*old);
  if (calls <= old->calls) return;
  Statistics()->calls_before.fetch_add(calls - old->calls, std::memory_order_relaxed);
  old->calls = calls;
}

// The header stays: late counts may come there at any time.
void Empty(OldSegment* old) {
  if (old->header == nullptr || old->until_ns == 0) return;
  CountLateCalls(old);
  old->until_ns = 0;
  uint8_t* const begin = reinterpret_cast<uint8_t*>(old->header) + shm::kSegmentHeaderBytes;
  const size_t bytes = old->bytes - shm::kSegmentHeaderBytes;
  if (madvise(begin, bytes, MADV_REMOVE) != 0) madvise(begin, bytes, MADV_DONTNEED);
}

}  // namespace

void KeepOldSegment(shm::SegmentHeader* header, uint64_t bytes, const SlotPlaces& slots) {
  EmptyOldSegments();
  kept[next_place] = {header, bytes, slots, 0, MonoNs() + kLateNs};
  CountLateCalls(&kept[next_place]);
  next_place = (next_place + 1) % kMostKept;
}

void LeaveSegmentMemory(shm::SegmentHeader* header, uint64_t bytes) {
  void* const own = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (own == MAP_FAILED) return;
  memcpy(own, static_cast<void*>(header), shm::kSegmentHeaderBytes);
  for (OldSegment& old : kept) {
    if (old.header == header) old.until_ns = 0;  // there is nothing to give back
  }
  // In one step, for threads that write late.
  if (mremap(own, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, header) == MAP_FAILED) {
    munmap(own, bytes);
  }
}

void LookAfterOldSegments(uint64_t now_ns) {
  for (OldSegment& old : kept) {
    if (old.header == nullptr) continue;
    MoveLateCounts(old.header);
    if (old.until_ns == 0) continue;
    if (now_ns < old.until_ns) {
      CountLateCalls(&old);
    } else {
      Empty(&old);
    }
  }
}

void* TakeOldAddress(uint64_t bytes) {
  OldSegment* oldest = &kept[next_place];
  if (oldest->header == nullptr || oldest->bytes != bytes) return nullptr;
  void* const address = oldest->header;
  MoveLateCounts(oldest->header);
  *oldest = OldSegment();
  return address;
}

void EmptyOldSegments() {
  for (OldSegment& old : kept) Empty(&old);
}

}  // namespace flopsprof::injector
