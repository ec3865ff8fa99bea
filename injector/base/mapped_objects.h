// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The one walk over the loader's list of mapped objects. What an object is asked for (a function,
// a slot, an unwind table, a build id) is worked out by whoever walks, from MappedObject.
//
// Threads: any. The loader's lock is held during a walk: no function of the loader may be called
// from within it, and nothing that waits for a thread. real_loader.cc alone goes another way,
// because it runs before this may be called, and says why.

#include <link.h>
#include <stddef.h>
#include <stdint.h>

#include "injector/base/address_range.h"

namespace flopsprof::injector {

// An executable or a shared library as it is mapped. A copy may outlive the walk, `path`,
// `segments` and `dynamic` are then only good as long as the object is mapped.
struct MappedObject {
  const char* path = "";         // as the loader has it: "" of the program itself
  uintptr_t base = 0;            // what is added to the addresses of its file
  AddressRange all;              // from its first segment to the end of its last one
  AddressRange writable;         // as linked, also what is protected later; empty: nothing is
  AddressRange protected_pages;  // read-only since they were relocated (RELRO)
  const ElfW(Dyn) * dynamic = nullptr;  // null: it has no dynamic tables
  const ElfW(Phdr) * segments = nullptr;
  size_t segment_count = 0;

  uintptr_t AddressOf(const ElfW(Phdr) & segment) const { return base + segment.p_vaddr; }
};

// From the program headers of an object.
MappedObject DescribeMappedObject(const char* path, uintptr_t base, const ElfW(Phdr) * segments,
                                  size_t segment_count);

// Calls `visit` for each object, in the loader's order, until it returns true. False: it never did.
using ObjectVisitor = bool (*)(const MappedObject& object, void* data);
bool VisitMappedObjects(ObjectVisitor visit, void* data);

// The same with a callable object.
template <class Visit>
bool AnyMappedObject(Visit visit) {
  return VisitMappedObjects(
      [](const MappedObject& object, void* data) { return (*static_cast<Visit*>(data))(object); },
      &visit);
}

// The object that holds an address. False: none does.
bool FindMappedObject(const void* address, MappedObject* found);

// Grows with every object that is mapped. One step into the list: may be asked at each call.
uint64_t CountObjectsEverMapped();

// Around a fork: no walk is on, or begins, in between (but after 200 ms). In the child: none is.
void HoldWalks();
void LetWalks();
void ForgetWalks();

}  // namespace flopsprof::injector
