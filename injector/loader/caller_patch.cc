// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/loader/caller_patch.h"

#include <atomic>
#include <initializer_list>

#include "injector/base/elf_tables.h"
#include "injector/base/loaded_objects.h"
#include "injector/base/platform.h"
#include "injector/base/text.h"
#include "injector/loader/hooked_slots.h"
#include "injector/loader/loader_lock.h"
#include "injector/loader/object_snapshots.h"
#include "injector/loader/patched_slots.h"
#include "injector/loader/slot_values.h"
#include "injector/transport/record_sink.h"

namespace flopsprof::injector {
namespace {

// Pages, made at the first walk. All of it is touched under the loader's lock only.
struct Memory {
  ObjectSnapshots objects;
  PatchedSlots slots;
  SlotSearch search;
};

Memory* memory = nullptr;
std::atomic<bool> restored{false};  // no object is patched any more, but after a new attach

// So far; for the note.
struct Counts {
  uint32_t objects = 0;  // that were looked at
  uint32_t slots = 0;    // written
  uint64_t took_ns = 0;  // all walks together
  uint64_t longest_ns = 0;
};
Counts counts;

void CountUnseen(size_t callers) {
  for (size_t i = 0; i < callers; ++i) CountLoss(shm::LossCounter::kCallerUnseen);
}

// libc, the loader and sanitizers call what they call before anything of ours is ready.
bool IsLeftAlone(const MappedObject& object) {
  if (IsOurs(object.dynamic)) return true;
  const char* name = FileName(object.path);
  for (const char* loader_or_tool :
       {"ld-linux", "ld-2.", "libc.so", "libc-2.", "libdl.so", "libdl-2.", "libpthread",
        "linux-vdso", "libasan.so", "libtsan.so", "liblsan.so", "libubsan.so"}) {
    if (BeginsWith(name, loader_or_tool)) return true;
  }
  return IsDriverLayer(object.path);
}

void PatchSlot(const MappedObject& object, const HookedSlot& slot, SlotWriter* writer) {
  void* const held = __atomic_load_n(slot.place, __ATOMIC_RELAXED);
  const SlotValue choice = ChooseSlotValue(object, *slot.hook, held, memory->objects);
  if (choice.is_unseen) CountUnseen(1);
  if (choice.value == nullptr) return;
  switch (memory->slots.Patch(slot.place, held, choice.value, writer)) {
    case PatchedSlots::Result::kWritten:
      ++counts.slots;
      return;
    case PatchedSlots::Result::kNotWritable:
    case PatchedSlots::Result::kFull:
      return CountUnseen(1);
  }
}

void PatchObject(const MappedObject& object, const ElfTables& tables) {
  SlotSearch& search = memory->search;
  FindHookedSlots(tables, FindHook, &search);
  CountUnseen(search.missed);
  SlotWriter writer(object);
  for (size_t i = 0; i < search.slot_count; ++i) PatchSlot(object, search.slots[i], &writer);
}

void TakeSnapshot() {
  if (!memory->objects.Take()) CountUnseen(1);
}

void PatchNewObjects() {
  const uint64_t begin_ns = MonoNs();
  TakeSnapshot();
  for (size_t i = 0; i < memory->objects.count(); ++i) {
    const MappedObject& object = memory->objects.at(i);
    const bool was_there = memory->objects.WasThereBefore(object);
    if (memory->slots.ForgetOverwritten(object.all, was_there) && was_there) continue;
    ElfTables tables;
    if (IsLeftAlone(object) || !tables.Read(object.base, object.dynamic)) continue;
    ++counts.objects;
    PatchObject(object, tables);
  }
  const uint64_t took_ns = MonoNs() - begin_ns;
  counts.took_ns += took_ns;
  if (took_ns > counts.longest_ns) counts.longest_ns = took_ns;
}

void RestoreSlots() {
  TakeSnapshot();
  for (size_t i = 0; i < memory->objects.count(); ++i) {
    const MappedObject& object = memory->objects.at(i);
    if (!memory->objects.WasThereBefore(object)) continue;
    CountUnseen(memory->slots.Restore(object));
  }
  memory->slots.Clear();
  memory->objects.Forget();
}

void PatchOrRestore() {
  if (memory == nullptr) memory = static_cast<Memory*>(MapPages(sizeof(Memory)));
  if (memory == nullptr) return CountUnseen(1);
  if (restored.load(std::memory_order_relaxed)) {
    RestoreSlots();
  } else {
    PatchNewObjects();
  }
}

}  // namespace

void PatchCallers() {
  const ErrnoKeeper keep;
  if (restored.load(std::memory_order_relaxed)) return;
  const uint32_t slots_before = counts.slots;
  if (!RunUnderLoaderLock(PatchOrRestore)) CountUnseen(1);
  if (counts.slots == slots_before) return;
  Text<160> text;
  text.AddNumber(counts.slots).Add(" slots of ").AddNumber(counts.objects).Add(" objects, ");
  text.AddNumber(counts.took_ns / 1000).Add(" us, longest ").AddNumber(counts.longest_ns / 1000);
  EmitNote("caller_patch", text.Add(" us").get());
}

void PatchCallersAgain() {
  restored.store(false, std::memory_order_relaxed);
  PatchCallers();
}

void RestoreCallers() {
  const ErrnoKeeper keep;
  if (restored.exchange(true) || memory == nullptr) return;
  if (!RunUnderLoaderLock(PatchOrRestore)) CountUnseen(1);
}

}  // namespace flopsprof::injector
