// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/loader/caller_patch.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>

#include <atomic>

#include "injector/base/elf_tables.h"
#include "injector/base/loaded_objects.h"
#include "injector/base/platform.h"
#include "injector/base/real_loader.h"
#include "injector/base/text.h"
#include "injector/loader/doors.h"
#include "injector/loader/hook_table.h"
#include "injector/transport/record_sink.h"

namespace flopsprof::injector {
namespace {

constexpr size_t kMaxObjects = 8192;  // beyond them, and beyond the slots: counted
constexpr size_t kMaxSlots = 32768;
constexpr size_t kMaxAsked = 4096;  // hooked functions that one object asks for
constexpr size_t kFewRelocations = 4096;

struct Object {
  const char* path;
  const ElfW(Dyn) * dynamic;
  uintptr_t base, begin, end;
  uintptr_t writable_begin, writable_end;  // as linked; what is protected later included
  ProtectedRange protected_pages;
};

struct Slot {
  void** place;
  void* before;
  void* after;
};

// A hooked function that an object asks for.
struct Asked {
  uint32_t symbol;
  const Hook* hook;
};

// Pages, made at the first walk. All of it is touched under the loader's lock only.
struct Memory {
  Object objects[kMaxObjects];
  size_t object_count;
  Object before[kMaxObjects];  // objects of the walk before
  size_t before_count;
  Slot slots[kMaxSlots];
  size_t slot_count;
  Asked asked[kMaxAsked];
};

Memory* memory = nullptr;
std::atomic<bool> work_is_wanted{false};
std::atomic<bool> restored{false};  // for good: no object is patched any more
CallerPatchCounts counts;

bool IsLeftAlone(const Object& object) {
  if (IsOurs(object.dynamic)) return true;
  const char* name = FileName(object.path);
  for (const char* loader_or_tool :
       {"ld-linux", "ld-2.", "libc.so", "libc-2.", "libdl.so", "libdl-2.", "libpthread",
        "linux-vdso", "libasan.so", "libtsan.so", "liblsan.so", "libubsan.so"}) {
    if (BeginsWith(name, loader_or_tool)) return true;
  }
  return IsDriverLayer(object.path);
}

int Collect(dl_phdr_info* info, size_t, void*) {
  if (memory->object_count == kMaxObjects) {
    CountLoss(shm::LossCounter::kCallerUnseen);
    return 1;
  }
  Object object{};
  object.path = info->dlpi_name == nullptr ? "" : info->dlpi_name;
  object.base = info->dlpi_addr;
  object.begin = UINTPTR_MAX;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + part.p_vaddr;
    const uintptr_t end = begin + part.p_memsz;
    if (part.p_type == PT_DYNAMIC) object.dynamic = reinterpret_cast<const ElfW(Dyn)*>(begin);
    if (part.p_type == PT_LOAD) {
      if (begin < object.begin) object.begin = begin;
      if (end > object.end) object.end = end;
    }
    if (part.p_type == PT_LOAD && (part.p_flags & PF_W) != 0) {
      if (object.writable_end == 0) object.writable_begin = begin;
      object.writable_end = end;
    }
    if (part.p_type == PT_GNU_RELRO) object.protected_pages = ProtectedRangeOf(begin, end);
  }
  if (object.dynamic != nullptr) memory->objects[memory->object_count++] = object;
  return 0;
}

const Object* ObjectAt(const void* address) {
  const auto value = reinterpret_cast<uintptr_t>(address);
  for (size_t i = 0; i < memory->object_count; ++i) {
    const Object& object = memory->objects[i];
    if (value >= object.begin && value < object.end) return &object;
  }
  return nullptr;
}

// Is this address the function of that name in an object that defines it?
bool IsDefinition(const void* address, const char* name) {
  const Object* owner = ObjectAt(address);
  ElfTables tables;
  return owner != nullptr && tables.Read(owner->base, owner->dynamic) &&
         tables.FindFunction(name) == reinterpret_cast<uintptr_t>(address);
}

// What to write in place of `value`; nullptr: leave it.
void* ReplacementFor(const Object& object, const Hook& hook, void* value) {
  if (value == nullptr || IsOurs(value)) return nullptr;
  const auto address = reinterpret_cast<uintptr_t>(value);
  // Not bound yet: it points to the object's own linkage code. The hook will look for the
  // function where the loader would have.
  if (address >= object.begin && address < object.end) return hook.entry;
  // Anything else than the function itself is another tool's, or not relocated.
  if (!IsDefinition(value, hook.name)) return nullptr;
  if (hook.is_plain != 0) return hook.entry;
  void* door = DoorTo(hook, value);
  if (door == nullptr) CountLoss(shm::LossCounter::kCallerUnseen);
  return door;
}

// Writes into one object while it lives.
class OpenPages {
 public:
  explicit OpenPages(const Object& object) : object_(object), writer_(object.protected_pages) {}

  bool Write(void** place, void* value) {
    const auto address = reinterpret_cast<uintptr_t>(place);
    // A relocated address in the middle of code is left alone.
    const bool writable = address >= object_.writable_begin && address < object_.writable_end;
    if (writable && writer_.Write(place, value)) return true;
    ++counts.unwritable;
    CountLoss(shm::LossCounter::kCallerUnseen);
    return false;
  }

 private:
  const Object& object_;
  ProtectedWriter writer_;
};

void PatchSlot(const Object& object, const Hook& hook, uintptr_t address, OpenPages* pages) {
  auto** place = reinterpret_cast<void**>(address);
  void* const before = __atomic_load_n(place, __ATOMIC_RELAXED);
  void* const after = ReplacementFor(object, hook, before);
  if (after == nullptr) return;
  if (memory->slot_count == kMaxSlots) {
    CountLoss(shm::LossCounter::kCallerUnseen);
    return;
  }
  if (!pages->Write(place, after)) return;
  memory->slots[memory->slot_count++] = {place, before, after};
  ++counts.slots;
}

class Patcher {
 public:
  Patcher(const Object& object, const ElfTables& tables) : object_(object), tables_(tables) {}

  void Run() {
    // Far fewer symbols are asked for than there are relocations: most objects end here.
    known_end_ = tables_.KnownEnd();
    for (uint32_t i = 1; i < known_end_; ++i) {
      if (tables_.symbols[i].st_shndx != SHN_UNDEF) continue;
      const Hook* hook = FindHook(NameOf(i));
      if (hook == nullptr) continue;
      if (asked_count_ == kMaxAsked) {
        CountLoss(shm::LossCounter::kCallerUnseen);
        break;
      }
      memory->asked[asked_count_++] = {i, hook};
    }
    // An object that defines nothing has an empty hash table, which does not tell of its symbols.
    const bool asks = asked_count_ > 0 || known_end_ <= 1;
    OpenPages pages(object_);
    if (asks || tables_.plt_relocation_count <= kFewRelocations) {
      Walk(tables_.plt_relocations, tables_.plt_relocation_count, &pages);
    }
    if (asks || tables_.relocation_count <= kFewRelocations) {
      Walk(tables_.relocations, tables_.relocation_count, &pages);
    }
  }

 private:
  const char* NameOf(uint32_t symbol) const {
    return tables_.strings + tables_.symbols[symbol].st_name;
  }

  const Hook* HookOf(uint32_t symbol) const {
    if (symbol >= known_end_) return FindHook(NameOf(symbol));
    size_t begin = 0;
    size_t end = asked_count_;
    while (begin < end) {
      const size_t middle = (begin + end) / 2;
      const Asked& asked = memory->asked[middle];
      if (asked.symbol == symbol) return asked.hook;
      if (asked.symbol < symbol) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    return nullptr;
  }

  void Walk(const ElfW(Rela) * relocation, size_t count, OpenPages* pages) const {
    for (; count > 0; --count, ++relocation) {
      const auto type = ELF64_R_TYPE(relocation->r_info);
      const bool holds_function = type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT ||
                                  (type == R_X86_64_64 && relocation->r_addend == 0);
      const auto symbol = static_cast<uint32_t>(ELF64_R_SYM(relocation->r_info));
      if (!holds_function || symbol == 0) continue;
      if (const Hook* hook = HookOf(symbol)) {
        PatchSlot(object_, *hook, object_.base + relocation->r_offset, pages);
      }
    }
  }

  const Object& object_;
  const ElfTables& tables_;
  uint32_t known_end_ = 0;
  size_t asked_count_ = 0;
};

bool WasThereBefore(const Object& object) {
  for (size_t i = 0; i < memory->before_count; ++i) {
    const Object& other = memory->before[i];
    if (other.base == object.base && other.dynamic == object.dynamic &&
        other.begin == object.begin && other.end == object.end) {
      return true;
    }
  }
  return false;
}

bool IsIn(const Slot& slot, const Object& object) {
  const auto place = reinterpret_cast<uintptr_t>(slot.place);
  return place >= object.begin && place < object.end;
}

// Is nothing left to do? Forgets what is known of slots that do not hold ours any more: of an
// object that was unloaded and has come anew, or one that the loader bound at the same moment.
bool IsDone(const Object& object) {
  const bool was_there = WasThereBefore(object);
  bool all_ours = true;
  size_t kept = 0;
  for (size_t i = 0; i < memory->slot_count; ++i) {
    const Slot slot = memory->slots[i];
    // Slots of another object that was here may lie where nothing is mapped now.
    const bool is_ours = !IsIn(slot, object) || (was_there && *slot.place == slot.after);
    if (is_ours) memory->slots[kept++] = slot;
    all_ours = all_ours && is_ours;
  }
  memory->slot_count = kept;
  return was_there && all_ours;
}

void CollectObjects() {
  memory->before_count = memory->object_count;
  for (size_t i = 0; i < memory->object_count; ++i) memory->before[i] = memory->objects[i];
  memory->object_count = 0;
  dl_iterate_phdr(Collect, nullptr);
}

void PatchNewObjects() {
  const uint64_t begin_ns = MonoNs();
  CollectObjects();
  for (size_t i = 0; i < memory->object_count; ++i) {
    const Object& object = memory->objects[i];
    if (IsDone(object)) continue;
    ElfTables tables;
    if (IsLeftAlone(object) || !tables.Read(object.base, object.dynamic)) continue;
    ++counts.objects;
    Patcher(object, tables).Run();
  }
  const uint64_t took_ns = MonoNs() - begin_ns;
  counts.took_ns += took_ns;
  if (took_ns > counts.longest_ns) counts.longest_ns = took_ns;
}

void RestoreSlots() {
  CollectObjects();
  for (size_t i = 0; i < memory->object_count; ++i) {
    const Object& object = memory->objects[i];
    if (!WasThereBefore(object)) continue;
    OpenPages pages(object);
    for (size_t j = 0; j < memory->slot_count; ++j) {
      const Slot& slot = memory->slots[j];
      if (IsIn(slot, object) && *slot.place == slot.after) pages.Write(slot.place, slot.before);
    }
  }
  memory->slot_count = 0;
}

void WorkUnderLoaderLock() {
  static void* const self = [] {
    Dl_info ours;
    return dladdr(reinterpret_cast<const void*>(&WorkUnderLoaderLock), &ours) == 0
               ? nullptr
               : OpenLoadedLibrary(ours.dli_fname);
  }();
  if (self == nullptr) {
    CountLoss(shm::LossCounter::kCallerUnseen);
    return;
  }
  work_is_wanted.store(true, std::memory_order_relaxed);
  // Whoever comes first does it; who comes later waits for the lock, and then it is done.
  RealDlsym(self, "flopsprof_under_loader_lock");
}

}  // namespace

void PatchCallers() {
  const ErrnoKeeper keep;
  if (restored.load(std::memory_order_relaxed)) return;
  const uint32_t slots_before = counts.slots;
  WorkUnderLoaderLock();
  if (counts.slots == slots_before) return;
  Text<160> text;
  text.AddNumber(counts.slots).Add(" slots of ").AddNumber(counts.objects).Add(" objects, ");
  text.AddNumber(counts.took_ns / 1000).Add(" us, longest ").AddNumber(counts.longest_ns / 1000);
  EmitNote("caller_patch", text.Add(" us").get());
}

void RestoreCallers() {
  const ErrnoKeeper keep;
  if (!restored.exchange(true) && memory != nullptr) WorkUnderLoaderLock();
}

CallerPatchCounts CountsOfCallerPatch() { return counts; }

}  // namespace flopsprof::injector

// The resolver of an indirect function: dl_entries.S.
extern "C" __attribute__((visibility("hidden"))) void flopsprof_work_under_loader_lock() {
  using namespace flopsprof::injector;  // NOLINT: one function
  if (!work_is_wanted.exchange(false, std::memory_order_relaxed)) return;
  if (memory == nullptr) memory = static_cast<Memory*>(MapPages(sizeof(Memory)));
  if (memory == nullptr) {
    CountLoss(flopsprof::shm::LossCounter::kCallerUnseen);
    return;
  }
  if (restored.load(std::memory_order_relaxed)) {
    RestoreSlots();
  } else {
    PatchNewObjects();
  }
}
