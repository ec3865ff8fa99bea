// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/hooks/doors.h"

#include <stddef.h>

#include "injector/hooks/door_layout.h"

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

BriefLock lock;
uint32_t taken = 0;           // under `lock`
uint16_t index[kIndexSlots];  // number of the door + 1; under `lock`

uint32_t SlotOf(const void* function, const void* entry) {
  const auto mixed =
      reinterpret_cast<uintptr_t>(function) * 31 + reinterpret_cast<uintptr_t>(entry);
  return static_cast<uint32_t>((mixed * 0x9e3779b97f4a7c15u) >> 40) & (kIndexSlots - 1);
}

}  // namespace
}  // namespace flopsprof::injector

extern "C" {
extern const char flopsprof_door_code[] __attribute__((visibility("hidden")));
extern const char __ehdr_start[] __attribute__((visibility("hidden")));  // NOLINT: the linker's
extern const char _end[] __attribute__((visibility("hidden")));          // NOLINT
__attribute__((visibility("hidden")))
flopsprof::injector::Door flopsprof_doors[flopsprof::injector::kDoors];
}

namespace flopsprof::injector {

void* DoorTo(const Hook& hook, void* function) {
  BriefLockHolder hold(&lock);
  uint32_t at = SlotOf(function, hook.entry);
  for (; index[at] != 0; at = (at + 1) & (kIndexSlots - 1)) {
    const Door& door = flopsprof_doors[index[at] - 1];
    if (door.function == function && door.entry == hook.entry) break;
  }
  if (index[at] == 0) {
    if (taken == kDoors) return nullptr;
    flopsprof_doors[taken] = {function, hook.entry};
    index[at] = static_cast<uint16_t>(++taken);
  }
  return const_cast<char*>(flopsprof_door_code) + (index[at] - 1) * size_t{FLOPSPROF_DOOR_BYTES};
}

void* BehindDoor(const void* address) {
  const size_t offset =
      reinterpret_cast<uintptr_t>(address) - reinterpret_cast<uintptr_t>(flopsprof_door_code);
  if (offset >= size_t{kDoors} * FLOPSPROF_DOOR_BYTES || offset % FLOPSPROF_DOOR_BYTES != 0) {
    return nullptr;
  }
  return flopsprof_doors[offset / FLOPSPROF_DOOR_BYTES].function;
}

bool IsOurs(const void* address) {
  return address >= static_cast<const void*>(__ehdr_start) &&
         address < static_cast<const void*>(_end);
}

}  // namespace flopsprof::injector
