// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/loader/call_as.h"

#include <string.h>

#include "injector/base/mapped_objects.h"

extern "C" void* flopsprof_call_as(void* function, const void* a, const void* b, const void* c,
                                   const void* ret) __attribute__((visibility("hidden")));

namespace flopsprof::injector {
namespace {

constexpr size_t kFinishBytes = 64;  // as much as is looked at of it

// Processes with user shadow stacks do not let a return address be chosen.
bool HasShadowStack() {
  uint64_t pointer = 0;
  asm volatile("rdsspq %0" : "+r"(pointer));  // leaves it as it is where there is none
  return pointer != 0;
}

// May code be read there? Pages of a segment are mapped whole.
bool HasReadableCode(const MappedObject& object, uintptr_t begin, size_t bytes) {
  for (size_t i = 0; i < object.segment_count; ++i) {
    const ElfW(Phdr)& segment = object.segments[i];
    constexpr uint32_t kCode = PF_X | PF_R;
    if (segment.p_type != PT_LOAD || (segment.p_flags & kCode) != kCode) continue;
    const uintptr_t first = object.AddressOf(segment);
    const uintptr_t end = (first + segment.p_memsz + 4095) & ~uintptr_t{4095};
    if (begin >= first && begin + bytes <= end) return true;
  }
  return false;
}

// _fini of the object (DT_FINI), which the C runtime puts into every one; nullptr: it has none.
const uint8_t* FindFinish(const MappedObject& object) {
  uintptr_t finish = 0;
  for (const ElfW(Dyn)* entry = object.dynamic; entry != nullptr && entry->d_tag != DT_NULL;
       ++entry) {
    if (entry->d_tag == DT_FINI) finish = object.base + entry->d_un.d_ptr;
  }
  return HasReadableCode(object, finish, kFinishBytes) ? reinterpret_cast<const uint8_t*>(finish)
                                                       : nullptr;
}

}  // namespace

const void* FindReturnFor(const void* caller) {
  MappedObject object;
  if (HasShadowStack() || !FindMappedObject(caller, &object)) return nullptr;
  const uint8_t* const finish = FindFinish(object);
  if (finish == nullptr) return nullptr;
  // It ends in: add $8, %rsp; ret.
  constexpr uint8_t kEnd[] = {0x48, 0x83, 0xc4, 0x08, 0xc3};
  for (size_t i = 0; i < kFinishBytes / 2; ++i) {
    if (memcmp(finish + i, kEnd, sizeof(kEnd)) == 0) return finish + i + sizeof(kEnd) - 1;
  }
  return nullptr;
}

void* CallAs(const void* ret, void* function, const void* a, const void* b, const void* c) {
  return flopsprof_call_as(function, a, b, c, ret);
}

}  // namespace flopsprof::injector
