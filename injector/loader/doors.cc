// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/loader/doors.h"

#include <stddef.h>
#include <stdint.h>

#include <atomic>

#include "injector/loader/door_layout.h"

namespace flopsprof::injector {
namespace {

// As door_code.S reads it.
struct Door {
  void* function;  // behind it
  void* entry;     // of the hook
};
static_assert(sizeof(Door) == FLOPSPROF_DOOR_BYTES);

constexpr uint32_t kDoors = FLOPSPROF_DOOR_COUNT;
constexpr uint32_t kIndexSlots = 2 * kDoors;
static_assert((kIndexSlots & (kIndexSlots - 1)) == 0 && kDoors < UINT16_MAX);

std::atomic<uint32_t> taken{0};
std::atomic<uint16_t> index[kIndexSlots];  // number of the door + 1

uint32_t SlotOf(const void* function, const void* entry) {
  const auto mixed =
      reinterpret_cast<uintptr_t>(function) * 31 + reinterpret_cast<uintptr_t>(entry);
  return static_cast<uint32_t>((mixed * 0x9e3779b97f4a7c15u) >> 40) & (kIndexSlots - 1);
}

}  // namespace
}  // namespace flopsprof::injector

extern "C" {
extern const char flopsprof_door_code[] __attribute__((visibility("hidden")));
__attribute__((visibility("hidden")))
flopsprof::injector::Door flopsprof_doors[flopsprof::injector::kDoors];
}

namespace flopsprof::injector {
namespace {

// Number of the door + 1; 0: all are taken.
uint16_t MakeDoor(void* function, void* entry) {
  uint32_t number = taken.load(std::memory_order_relaxed);
  do {
    if (number == kDoors) return 0;
  } while (!taken.compare_exchange_weak(number, number + 1, std::memory_order_relaxed));
  flopsprof_doors[number] = {function, entry};
  return static_cast<uint16_t>(number + 1);
}

}  // namespace

void* DoorTo(const Hook& hook, void* function) {
  uint16_t made = 0;
  for (uint32_t at = SlotOf(function, hook.entry);; at = (at + 1) & (kIndexSlots - 1)) {
    // Acquire; pairs with the exchange below: the door is complete.
    uint16_t number = index[at].load(std::memory_order_acquire);
    if (number == 0) {
      if (made == 0) made = MakeDoor(function, hook.entry);
      if (made == 0) return nullptr;
      if (index[at].compare_exchange_strong(number, made, std::memory_order_acq_rel)) number = made;
    }
    const Door& door = flopsprof_doors[number - 1];
    // Where another thread was faster, one door stays without use.
    if (door.function == function && door.entry == hook.entry) {
      return const_cast<char*>(flopsprof_door_code) + (number - 1) * size_t{FLOPSPROF_DOOR_BYTES};
    }
  }
}

void* BehindDoor(const void* address) {
  const size_t offset =
      reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(flopsprof_door_code);
  if (offset >= size_t{kDoors} * FLOPSPROF_DOOR_BYTES || offset % FLOPSPROF_DOOR_BYTES != 0) {
    return nullptr;
  }
  return flopsprof_doors[offset / FLOPSPROF_DOOR_BYTES].function;
}

}  // namespace flopsprof::injector
