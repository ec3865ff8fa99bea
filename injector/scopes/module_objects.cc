// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/scopes/module_objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "injector/platform.h"
#include "injector/scopes/class_name.h"

namespace flopsprof::injector {

namespace {

constexpr uint32_t kMaxEntries = 1u << 20;  // of each table
constexpr int kMaxWrappers = 8;             // one around the other
constexpr int kAddressBits = 48;
// A program that makes models for ever does not get scopes for ever: from so many models at one
// address on they share one.
constexpr uint64_t kMostGenerations = 8;
constexpr uint64_t kPrime = 0x9E3779B97F4A7C15ull;

struct Object {
  PyObject* address;    // never followed
  PyObject* reference;  // weak
  uint16_t generation;
};

struct Place {
  uint64_t hash;  // 0: free
  uint64_t first;
  uint64_t* more;
  uint32_t count;
  uint32_t described_epoch;
  uint32_t described;  // a bit for each number
};

// Open addressing; an entry is never taken out. All under Python's lock.
template <typename Entry>
struct Table {
  Entry* entries;
  uint32_t mask;
  uint32_t count;
};
Table<Object> g_objects;
Table<Place> g_places;
PyObject* g_modules_name;
uint16_t g_oldest_generation;  // what objects at unknown addresses begin with

uint64_t KeyOf(const Object& object) { return reinterpret_cast<uintptr_t>(object.address); }
uint64_t KeyOf(const Place& place) { return place.hash; }

template <typename Entry>
Entry* Find(const Table<Entry>& table, uint64_t key) {
  auto at = static_cast<uint32_t>(key * kPrime >> 32) & table.mask;
  while (KeyOf(table.entries[at]) != 0 && KeyOf(table.entries[at]) != key) {
    at = (at + 1) & table.mask;
  }
  return &table.entries[at];
}

// Room for one more; false: no memory, or full.
template <typename Entry>
bool MakeRoom(Table<Entry>& table) {
  if (table.entries != nullptr && (table.count + 1) * 2 <= table.mask + 1) return true;
  if (table.count >= kMaxEntries) return false;
  Table<Entry> grown = {};
  const uint32_t size = table.entries == nullptr ? 1024 : (table.mask + 1) * 2;
  grown.entries = static_cast<Entry*>(calloc(size, sizeof(Entry)));
  if (grown.entries == nullptr) return false;
  grown.mask = size - 1;
  grown.count = table.count;
  for (uint32_t i = 0; table.entries != nullptr && i <= table.mask; ++i) {
    if (KeyOf(table.entries[i]) != 0) *Find(grown, KeyOf(table.entries[i])) = table.entries[i];
  }
  free(table.entries);
  table = grown;
  return true;
}

// Addresses of modules that are gone are forgotten. What comes there is younger than all of them.
FLOPSPROF_APART void ForgetDeadObjects() {
  Table<Object> old = g_objects;
  g_objects = {};
  for (uint32_t i = 0; i <= old.mask; ++i) {
    const Object& object = old.entries[i];
    if (object.generation >= g_oldest_generation) g_oldest_generation = object.generation + 1;
    if (KeyOf(object) == 0) continue;
    if (AliveModule(object.reference) == object.address && MakeRoom(g_objects)) {
      *Find(g_objects, KeyOf(object)) = object;
      ++g_objects.count;
    } else {
      g_python.DecRef(object.reference);
    }
  }
  free(old.entries);
}

// Null: no memory, or too many modules.
Object* FindOrAddObject(PyObject* module) {
  if (g_objects.count >= kMaxEntries) ForgetDeadObjects();
  if (!MakeRoom(g_objects)) return nullptr;
  Object* object = Find(g_objects, reinterpret_cast<uintptr_t>(module));
  if (object->address == module && AliveModule(object->reference) == module) return object;
  if (object->address == nullptr) {
    object->generation = g_oldest_generation;
    ++g_objects.count;
  } else {
    ++object->generation;
    g_python.DecRef(object->reference);
  }
  object->address = module;
  object->reference = NewModuleReference(module);
  return object;
}

uint64_t GenerationOf(PyObject* module) {
  const Object* object = FindOrAddObject(module);
  return object == nullptr ? g_oldest_generation : object->generation;
}

uint64_t UniqueObject(PyObject* module) {
  return reinterpret_cast<uintptr_t>(module) | GenerationOf(module) << kAddressBits;
}

// What a wrapper that readers fold stands for; any other module itself.
PyObject* Unwrapped(PyObject* module) {
  for (int level = 0; level < kMaxWrappers; ++level) {
    const char* name = WrappedModuleName(module->type);
    PyObject* modules = name == nullptr ? nullptr : ModulesOf(module);
    if (modules == nullptr) return module;
    PyObject* inside = g_python.PyDict_GetItemString(modules, name);
    g_python.DecRef(modules);
    if (inside == nullptr || inside == g_python.none) return module;
    module = inside;
  }
  return module;
}

// Never called itself: its class has no forward (ModuleList, ModuleDict).
bool IsContainer(PyObject* module) {
  PyObject* forward = g_python.PyObject_GetAttrString(module->type, "forward");
  PyObject* name =
      forward == nullptr ? nullptr : g_python.PyObject_GetAttrString(forward, "__name__");
  const char* text = name == nullptr ? nullptr : g_python.PyUnicode_AsUTF8AndSize(name, nullptr);
  const bool container = text != nullptr && strcmp(text, "_forward_unimplemented") == 0;
  g_python.PyErr_Clear();
  g_python.DecRef(name);
  g_python.DecRef(forward);
  return container;
}

uint64_t Mix(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * kPrime;
  return hash ^ hash >> 29;
}

// 1 for the first object in the place, and so on; kMaxObjectsInPlace + 1 for all further ones.
uint32_t NumberInPlace(ModulePlace where, uint64_t object) {
  if (!MakeRoom(g_places)) return 1;
  Place* place = Find(g_places, where.hash);
  if (place->hash == 0) {
    place->hash = where.hash;
    place->first = object;
    place->count = 1;
    ++g_places.count;
  }
  if (place->first == object) return 1;
  for (uint32_t i = 1; i < place->count; ++i) {
    if (place->more[i - 1] == object) return i + 1;
  }
  if (place->count == kMaxObjectsInPlace) return kMaxObjectsInPlace + 1;
  if (place->more == nullptr) {
    place->more = static_cast<uint64_t*>(calloc(kMaxObjectsInPlace - 1, sizeof(uint64_t)));
    if (place->more == nullptr) return kMaxObjectsInPlace + 1;
  }
  place->more[place->count - 1] = object;
  return ++place->count;
}

}  // namespace

PyObject* NewModuleReference(PyObject* module) {
  PyObject* reference = g_python.PyWeakref_NewRef(module, nullptr);
  if (reference == nullptr) g_python.PyErr_Clear();
  return reference;
}

PyObject* AliveModule(PyObject* reference) {
  if (reference == nullptr) return nullptr;
  PyObject* module = g_python.PyWeakref_GetObject(reference);
  return module == g_python.none ? nullptr : module;
}

PyObject* ModulesOf(PyObject* module) {
  if (g_modules_name == nullptr) g_modules_name = g_python.PyUnicode_InternFromString("_modules");
  PyObject* modules = g_python.PyObject_GenericGetAttr(module, g_modules_name);
  if (modules == nullptr) {
    g_python.PyErr_Clear();
    return nullptr;
  }
  if ((g_python.PyType_GetFlags(modules->type) & kPyDictSubclass) != 0) return modules;
  g_python.DecRef(modules);
  return nullptr;
}

uint64_t ModuleObject(PyObject* module) {
  const uint64_t generation = GenerationOf(module);
  return reinterpret_cast<uintptr_t>(module) |
         (generation < kMostGenerations ? generation : kMostGenerations - 1) << kAddressBits;
}

ModulePlace PlaceBelow(PyObject* module) { return {Mix(kPrime, UniqueObject(module))}; }

ModulePlace PlaceOf(ModulePlace above, const char* name, size_t name_bytes) {
  uint64_t hash = Mix(above.hash, name_bytes);
  for (size_t i = 0; i < name_bytes; ++i) hash = Mix(hash, static_cast<unsigned char>(name[i]));
  return {hash | 1};
}

ModulePlace PlaceInside(ModulePlace place, PyObject* child) {
  return IsContainer(child) ? place : PlaceBelow(child);
}

void NameInPlace(ModulePlace above, PyObject* child, PlacedName* name) {
  name->number = 0;
  if (IsContainer(child)) return;
  const ModulePlace place = PlaceOf(above, name->text, name->bytes);
  name->number = NumberInPlace(place, UniqueObject(Unwrapped(child)));
  if (name->number == 1) return;
  const int shown = static_cast<int>(name->bytes < 512 ? name->bytes : 512);
  name->bytes = static_cast<size_t>(snprintf(name->buffer, sizeof(name->buffer), "%.*s#%u%s", shown,
                                             name->text, name->number,
                                             name->number > kMaxObjectsInPlace ? "+" : ""));
  name->text = name->buffer;
}

void NoteDescribed(ModulePlace where, uint32_t number, uint32_t epoch) {
  if (g_places.entries == nullptr || number == 0) return;
  Place* place = Find(g_places, where.hash);
  if (place->hash == 0) return;
  if (place->described_epoch != epoch) place->described = 0;
  place->described_epoch = epoch;
  place->described |= 1u << number;
}

bool IsDescribed(ModulePlace where, uint32_t number, uint32_t epoch) {
  if (g_places.entries == nullptr || number == 0) return true;
  const Place* place = Find(g_places, where.hash);
  return place->hash == 0 ||
         (place->described_epoch == epoch && (place->described >> number & 1u) != 0);
}

void ForgetModuleObjects() {
  for (uint32_t i = 0; g_places.entries != nullptr && i <= g_places.mask; ++i) {
    free(g_places.entries[i].more);
  }
  free(g_objects.entries);
  free(g_places.entries);
  g_objects = {};
  g_places = {};
  g_modules_name = nullptr;
}

}  // namespace flopsprof::injector
