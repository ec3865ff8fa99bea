// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/python/module_objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "injector/base/growing_table.h"
#include "injector/base/platform.h"
#include "injector/python/class_name.h"

namespace flopsprof::injector {

namespace {

constexpr uint32_t kMaxEntries = 1u << 20;  // of each table
constexpr int kMaxWrappers = 8;             // one around the other
constexpr int kAddressBits = 48;
// A program that makes models for ever does not get scopes for ever: from so many models at one
// address on they share one.
constexpr uint64_t kMostGenerations = 8;
constexpr uint64_t kPrime = 0x9E3779B97F4A7C15ull;

uint32_t HashOfKey(uint64_t key) { return static_cast<uint32_t>(key * kPrime >> 32); }

struct Object {
  PyObject* address;    // never followed
  PyObject* reference;  // weak
  uint32_t next;        // in the table
  uint16_t generation;

  uint64_t Key() const { return reinterpret_cast<uintptr_t>(address); }
  uint32_t Hash() const { return HashOfKey(Key()); }
};

struct Place {
  uint64_t hash;
  uint64_t first;
  uint64_t* more;
  uint32_t count;
  uint32_t described_epoch;
  uint32_t described;  // a bit for each number
  uint32_t next;       // in the table

  uint64_t Key() const { return hash; }
  uint32_t Hash() const { return HashOfKey(hash); }
};

// All under Python's lock.
GrowingTable<Object, kMaxEntries> g_objects;
GrowingTable<Place, kMaxEntries> g_places;
PyObject* g_modules_name;
uint16_t g_oldest_generation;  // what objects at unknown addresses begin with

// Null: it is not there.
template <typename Entry>
Entry* Find(const GrowingTable<Entry, kMaxEntries>& table, uint64_t key) {
  uint32_t number = table.First(HashOfKey(key));
  while (number != 0 && table.at(number).Key() != key) number = table.at(number).next;
  return number == 0 ? nullptr : &table.at(number);
}

// Addresses of modules that are gone are forgotten. What comes there is younger than all of them.
FLOPSPROF_APART void ForgetDeadObjects() {
  const uint32_t count = g_objects.count();
  g_objects.Clear();
  for (uint32_t i = 1; i <= count; ++i) {
    const Object object = g_objects.at(i);  // whose place one before it may take
    if (object.generation >= g_oldest_generation) g_oldest_generation = object.generation + 1;
    if (AliveModule(object.reference) == object.address) {
      g_objects.Add(object);
    } else {
      g_python.DecRef(object.reference);
    }
  }
}

// Null: no memory, or too many modules.
Object* FindOrAddObject(PyObject* module) {
  Object* object = Find(g_objects, reinterpret_cast<uintptr_t>(module));
  if (object == nullptr) {
    if (g_objects.full()) ForgetDeadObjects();
    Object added = {};
    added.address = module;
    added.reference = NewModuleReference(module);
    added.generation = g_oldest_generation;
    const uint32_t number = g_objects.Add(added);
    if (number != 0) return &g_objects.at(number);
    g_python.DecRef(added.reference);
    return nullptr;
  }
  if (AliveModule(object->reference) == module) return object;
  ++object->generation;
  g_python.DecRef(object->reference);
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
  Place* place = Find(g_places, where.hash);
  if (place == nullptr) {
    Place added = {};
    added.hash = where.hash;
    added.first = object;
    added.count = 1;
    g_places.Add(added);
    return 1;
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
  Place* place = number == 0 ? nullptr : Find(g_places, where.hash);
  if (place == nullptr) return;
  if (place->described_epoch != epoch) place->described = 0;
  place->described_epoch = epoch;
  place->described |= 1u << number;
}

bool IsDescribed(ModulePlace where, uint32_t number, uint32_t epoch) {
  const Place* place = number == 0 ? nullptr : Find(g_places, where.hash);
  return place == nullptr ||
         (place->described_epoch == epoch && (place->described >> number & 1u) != 0);
}

void ForgetModuleObjects() {
  for (uint32_t i = 1; i <= g_places.count(); ++i) free(g_places.at(i).more);
  g_objects.Clear();
  g_places.Clear();
  g_modules_name = nullptr;
}

}  // namespace flopsprof::injector
