// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which module object is it, and is it the first one in its place? All functions need Python's
// lock. Not for the launch path: they allocate.
//
// A *place* is an attribute of a module: the module that is called, and the names down from it
// through containers that are never called (ModuleList). Objects that stood in a place in turn
// (replaced, wrapped, unwrapped, merged) have names of their own: "q", "q#2" ... The wrappers that
// readers fold are no other object than what they wrap.

#include <stddef.h>
#include <stdint.h>

#include "injector/python/python_api.h"

namespace flopsprof::injector {

// Objects in one place that have a name of their own; later ones share "q#9+".
constexpr uint32_t kMaxObjectsInPlace = 8;
constexpr size_t kMaxPlacedNameBytes = 512 + 16;

// The address in the lower 48 bits; above them how many objects that were freed had it before, 7
// for more.
uint64_t ModuleObject(PyObject* module);

// A module that is no container starts anew: places below it do not depend on where it is.
struct ModulePlace {
  uint64_t hash = 0;
};
ModulePlace PlaceBelow(PyObject* module);
// The place of a child of whatever is in `above`.
ModulePlace PlaceOf(ModulePlace above, const char* name, size_t name_bytes);
// Where children of `child`, which is in `place`, are.
ModulePlace PlaceInside(ModulePlace place, PyObject* child);

struct PlacedName {
  explicit PlacedName(const char* name, size_t name_bytes) : text(name), bytes(name_bytes) {}

  const char* text;  // `name`, or `buffer`
  size_t bytes;
  uint32_t number = 1;  // 0: a container
  char buffer[kMaxPlacedNameBytes];
};
// Names `child` as an attribute of what is in `above`: as it is for the first object there, else
// with its number.
void NameInPlace(ModulePlace above, PyObject* child, PlacedName* name);

// Was the object with that number in the place described to the reader in this session epoch?
void NoteDescribed(ModulePlace place, uint32_t number, uint32_t epoch);
bool IsDescribed(ModulePlace place, uint32_t number, uint32_t epoch);

// Weak; null: no memory.
PyObject* NewModuleReference(PyObject* module);
// What a weak reference leads to if it still lives (borrowed), else null.
PyObject* AliveModule(PyObject* reference);
// The module's _modules if it is a dict (new reference), else null. Never runs user code.
PyObject* ModulesOf(PyObject* module);

// Python has ended: what it was is gone, and is not touched.
void ForgetModuleObjects();

}  // namespace flopsprof::injector
