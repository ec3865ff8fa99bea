// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/loader/slot_values.h"

#include "injector/base/elf_tables.h"
#include "injector/base/loaded_objects.h"
#include "injector/loader/doors.h"

namespace flopsprof::injector {
namespace {

// Is this address the function of that name in an object that defines it?
bool IsDefinition(const void* address, const char* name, const ObjectSnapshots& mapped) {
  const MappedObject* owner = mapped.ObjectAt(address);
  ElfTables tables;
  return owner != nullptr && tables.Read(owner->base, owner->dynamic) &&
         tables.FindFunction(name) == reinterpret_cast<uintptr_t>(address);
}

}  // namespace

SlotValue ChooseSlotValue(const MappedObject& object, const Hook& hook, void* held,
                          const ObjectSnapshots& mapped) {
  if (held == nullptr || IsOurs(held)) return {};
  // Not bound yet: it points to the object's own linkage code. The hook will look for the
  // function where the loader would have.
  if (object.all.Contains(held)) return {hook.entry};
  // Anything else than the function itself is another tool's, or not relocated.
  if (!IsDefinition(held, hook.name, mapped)) return {};
  if (hook.is_plain != 0) return {hook.entry};
  void* const door = DoorTo(hook, held);
  return {door, door == nullptr};
}

}  // namespace flopsprof::injector
