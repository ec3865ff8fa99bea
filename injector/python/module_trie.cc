// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/python/module_trie.h"

#include <stdlib.h>
#include <string.h>

#include "injector/base/growing_table.h"
#include "injector/base/pages.h"
#include "injector/base/platform.h"
#include "injector/python/class_name.h"
#include "injector/python/module_objects.h"
#include "injector/python/python_shim.h"
#include "injector/scopes/scope_table.h"
#include "injector/transport/record_sink.h"

namespace flopsprof::injector {

uint32_t g_late_root;

namespace {

constexpr int kLevels = 4;  // of modules between caller and called that are not called
constexpr uint32_t kMaxEdges = 1u << 20;  // then the trie starts again
constexpr uint32_t kMaxChain = 64;
constexpr uint32_t kLongSearch = 512;  // modules looked at

// What is known of the module behind a scope, by scope id.
struct ScopeModule {
  PyObject* reference;  // weak
  uint32_t described_epoch;
  uint32_t failed_search;  // registrations at the last long search that found nothing, + 1
  bool many;  // of all further objects of a place, or in one: it stays as it was defined
};

// All under Python's lock.
GrowingTable<ModuleEdge, kMaxEdges> g_edges;
uint32_t g_newest_edge;  // of the newest call; 0: none yet
uint32_t g_generation;
uint32_t g_registrations;
uint32_t g_looked_at;          // modules, in the current search
ScopeModule* g_scope_modules;  // kMaxScopes, once there is one
PyObject** g_shared;           // open addressing
uint32_t g_shared_mask, g_shared_count;
ModuleEdge g_no_memory_edge;

uint32_t HashPointer(const void* pointer, uint32_t salt) {
  const uint64_t hash = (reinterpret_cast<uintptr_t>(pointer) >> 4) * 0x9E3779B97F4A7C15ull ^
                        salt * 0xC2B2AE3D27D4EB4Full;
  return static_cast<uint32_t>(hash >> 32) ^ static_cast<uint32_t>(hash);
}

// 0: there is none.
uint32_t FindEdge(uint32_t parent, PyObject* child) {
  uint32_t index = g_edges.First(HashPointer(child, parent));
  while (index != 0 && (g_edges.at(index).child != child || g_edges.at(index).parent != parent)) {
    index = g_edges.at(index).next;
  }
  return index;
}

void FreeKeys(ModuleEdge& edge) {
  if (edge.key_count > 1) free(edge.keys);
  edge.keys = nullptr;
  edge.key_count = 0;
}

void ClearPath(ModuleEdge& edge) {
  PyObject* const* keys = edge.Keys();
  for (uint32_t i = 0; i < edge.key_count; ++i) g_python.DecRef(keys[i]);
  FreeKeys(edge);
  g_python.DecRef(edge.anchor);
  edge.anchor = nullptr;
}

FLOPSPROF_APART void StartAgain() {
  for (uint32_t i = 1; i <= g_edges.count(); ++i) ClearPath(g_edges.at(i));
  g_edges.Clear();
  g_newest_edge = 0;
}

FLOPSPROF_APART uint32_t AddEdge(uint32_t parent, PyObject* child) {
  ModuleEdge edge = {};
  edge.parent = parent;
  edge.child = child;
  return g_edges.Add(edge);
}

// Index of the edge, made when missing; 0: no memory. Calls come in the order of the last time: the
// edge that came next then is looked at before the table, and has been asked into the cache.
uint32_t FindOrAddEdge(uint32_t parent, PyObject* child) {
  uint32_t index = g_newest_edge == 0 ? 0 : g_edges.at(g_newest_edge).follower;
  if (index == 0 || g_edges.at(index).child != child || g_edges.at(index).parent != parent) {
    index = FindEdge(parent, child);
    if (index == 0) index = AddEdge(parent, child);
    if (index == 0) return 0;
    if (g_newest_edge != 0) g_edges.at(g_newest_edge).follower = index;
  }
  g_newest_edge = index;
  __builtin_prefetch(&g_edges.at(g_edges.at(index).follower));
  return index;
}

ScopeModule* ModuleRow(uint32_t scope) {
  if (g_scope_modules == nullptr) {
    g_scope_modules = static_cast<ScopeModule*>(MapPages(kMaxScopes * sizeof(ScopeModule)));
  }
  return g_scope_modules == nullptr || scope >= kMaxScopes ? nullptr : &g_scope_modules[scope];
}

bool HasRow(uint32_t scope) { return g_scope_modules != nullptr && scope < kMaxScopes; }

// modules[key] of a module (borrowed), or null.
PyObject* ChildByKey(PyObject* module, PyObject* key) {
  PyObject* modules = ModulesOf(module);
  if (modules == nullptr) return nullptr;
  PyObject* child = g_python.PyDict_GetItemWithError(modules, key);
  g_python.DecRef(modules);
  if (child == nullptr) g_python.PyErr_Clear();
  return child == g_python.none ? nullptr : child;
}

bool IsOfMany(uint32_t scope) { return HasRow(scope) && g_scope_modules[scope].many; }

// The scope's module is this one now.
void ReferToModule(uint32_t scope, PyObject* module) {
  ScopeModule* row = ModuleRow(scope);
  if (row == nullptr || AliveModule(row->reference) == module) return;
  g_python.DecRef(row->reference);
  row->reference = NewModuleReference(module);
  row->described_epoch = 0;
  row->failed_search = 0;
}

uint32_t RootOf(uint32_t scope) {
  for (;;) {
    const ScopeEntry* entry = FindScopeEntry(scope);
    if (entry == nullptr || entry->parent == shm::kOutsideScope) return scope;
    scope = entry->parent;
  }
}

uint32_t ModuleScope(uint32_t parent, const char* name, size_t name_bytes, PyObject* module,
                     bool known, bool many = false) {
  const ClassName class_name(module->type);
  ScopeIdentity identity;
  identity.parent = parent;
  identity.kind = shm::ScopeKind::kModule;
  identity.known = known;
  identity.name = name;
  identity.name_bytes = name_bytes;
  identity.class_name = class_name.text();
  identity.object = ModuleObject(module);
  const uint32_t scope = FindOrAddScope(identity);
  const ScopeEntry* entry = FindScopeEntry(scope);
  if (entry != nullptr && entry->kind != shm::ScopeKind::kModule) return scope;  // shared
  if (!IsOfMany(scope)) RebindScope(scope, class_name.text(), identity.object);
  ReferToModule(scope, module);
  if (many || IsOfMany(parent)) {
    if (ScopeModule* row = ModuleRow(scope)) row->many = true;
  }
  return scope;
}

uint32_t UnknownScope(uint32_t parent, PyObject* module) {
  char name[256] = "?";
  strncpy(name + 1, ClassName(module->type).text(), sizeof(name) - 2);
  return ModuleScope(parent, name, strlen(name), module, false);
}

// From the scope and place of a module to those of `child`, its attribute `key`.
bool EnterKey(PyObject* key, PyObject* child, ModulePlace* place, uint32_t* scope) {
  intptr_t bytes = 0;
  const char* text = g_python.PyUnicode_AsUTF8AndSize(key, &bytes);
  if (text == nullptr) {
    g_python.PyErr_Clear();
    return false;
  }
  PlacedName name(text, static_cast<size_t>(bytes));
  const ModulePlace at = PlaceOf(*place, name.text, name.bytes);
  NameInPlace(*place, child, &name);
  const bool many = name.number > kMaxObjectsInPlace;
  *scope = ModuleScope(*scope, name.text, name.bytes, child, true, many);
  *place = PlaceInside(at, child);
  // It came after the others of its root: they are described again.
  if (!IsDescribed(at, name.number, SessionEpoch())) {
    g_late_root = RootOf(*scope);
    SetDescribed(g_late_root, 0);
  }
  return true;
}

// Follows the keys from `start`; makes the scope of every module on the way when asked to.
// Null when the path does not exist (any more).
PyObject* FollowKeys(PyObject* start, const ModuleEdge& edge, uint32_t* scope) {
  PyObject* module = start;
  PyObject* const* keys = edge.Keys();
  ModulePlace place;
  if (scope != nullptr) place = PlaceBelow(start);
  for (uint32_t i = 0; i < edge.key_count && module != nullptr; ++i) {
    module = ChildByKey(module, keys[i]);
    if (scope == nullptr || module == nullptr) continue;
    if (!EnterKey(keys[i], module, &place, scope)) return nullptr;
  }
  return module;
}

bool SetKeys(ModuleEdge& edge, PyObject* const* keys, uint32_t count) {
  auto** copy = count > 1 ? static_cast<PyObject**>(malloc(count * sizeof(PyObject*))) : nullptr;
  if (count > 1 && copy == nullptr) return false;
  for (uint32_t i = 0; i < count; ++i) {
    if (count > 1) copy[i] = keys[i];
    g_python.Py_IncRef(keys[i]);
  }
  PyObject* const only = count == 1 ? keys[0] : nullptr;
  ClearPath(edge);
  if (count > 1) {
    edge.keys = copy;
  } else {
    edge.key = only;
  }
  edge.key_count = static_cast<uint16_t>(count);
  edge.kind = EdgeKind::kNamed;
  edge.scope = 0;
  return true;
}

bool IsShared(PyObject* child) {
  if (g_shared_count == 0) return false;
  uint32_t i = HashPointer(child, 0) & g_shared_mask;
  while (g_shared[i] != nullptr && g_shared[i] != child) i = (i + 1) & g_shared_mask;
  return g_shared[i] == child;
}

// Makes edges for all modules exactly `level` levels below; true when `child` is one of them.
bool IndexLevel(uint32_t parent, PyObject* module, PyObject* child, PyObject** keys, int depth,
                int level) {
  PyObject* modules = ModulesOf(module);
  if (modules == nullptr) return false;
  bool found = false;
  intptr_t position = 0;
  PyObject *key, *value;
  while (g_python.PyDict_Next(modules, &position, &key, &value) != 0) {
    if (value == g_python.none) continue;
    ++g_looked_at;
    keys[depth] = key;
    if (depth + 1 < level) {
      found |= IndexLevel(parent, value, child, keys, depth + 1, level);
      continue;
    }
    // One that several modules hold is called by the first of its paths, whoever calls it.
    if (value != child && IsShared(value)) continue;
    const uint32_t index = FindOrAddEdge(parent, value);
    if (index == 0) break;
    ModuleEdge& edge = g_edges.at(index);
    const bool wanted = value == child && !found;
    if (wanted || edge.kind == EdgeKind::kNew) {
      SetKeys(edge, keys, static_cast<uint32_t>(level));
      edge.type = value->type;
    }
    found |= value == child;
  }
  g_python.DecRef(modules);
  return found;
}

// `was_below`: it was there before, so it may only have moved.
bool FindBelow(uint32_t parent_scope, PyObject* parent, PyObject* child, bool was_below) {
  // A large module that calls others which it does not contain is not searched on every call.
  ScopeModule* row = ModuleRow(parent_scope);
  const bool useless = !was_below && row != nullptr && row->failed_search == g_registrations + 1;
  PyObject* keys[kLevels];
  g_looked_at = 0;
  for (int level = 1; level <= (useless ? 1 : kLevels); ++level) {
    if (IndexLevel(parent_scope, parent, child, keys, 0, level)) return true;
  }
  if (row != nullptr && g_looked_at > kLongSearch) row->failed_search = g_registrations + 1;
  return false;
}

// `chain`: [root, name, module, name, module ...] from the shim; the last module is the child.
bool UseChain(uint32_t index, PyObject* chain) {
  const intptr_t size = g_python.PyList_Size(chain);
  if (size < 3 || size > 2 * static_cast<intptr_t>(kMaxChain) + 1) return false;
  PyObject* keys[kMaxChain];
  const auto count = static_cast<uint32_t>(size / 2);
  for (uint32_t i = 0; i < count; ++i) keys[i] = g_python.PyList_GetItem(chain, 2 * i + 1);
  PyObject* root = g_python.PyList_GetItem(chain, 0);
  ModuleEdge& edge = g_edges.at(index);
  if (!SetKeys(edge, keys, count)) return false;
  edge.anchor = NewModuleReference(root);
  uint32_t scope = ModuleScope(shm::kOutsideScope, "", 0, root, true);
  edge.root_scope = scope;
  if (FollowKeys(root, edge, &scope) != edge.child) return false;
  edge.scope = scope;
  return true;
}

void BeUnparented(uint32_t index, PyObject* module, bool outermost) {
  ModuleEdge& edge = g_edges.at(index);
  ClearPath(edge);
  if (outermost) {
    edge.kind = EdgeKind::kRoot;
    edge.scope = ModuleScope(shm::kOutsideScope, "", 0, module, true);
    edge.anchor = NewModuleReference(module);
  } else {
    edge.kind = EdgeKind::kUnknown;
    edge.scope = UnknownScope(edge.parent, module);
  }
  edge.root_scope = RootOf(edge.scope);
}

PyObject* StartOf(const ModuleEdge& edge, const ModuleParent& parent) {
  if (edge.anchor != nullptr) return AliveModule(edge.anchor);
  return parent.module != nullptr ? parent.module : ModuleOfScope(parent.scope);
}

// Gives a named edge its scope. False: the path is gone.
FLOPSPROF_APART bool EnterPath(uint32_t index, const ModuleParent& parent) {
  PyObject* start = StartOf(g_edges.at(index), parent);
  if (start == nullptr) return g_edges.at(index).scope != 0;
  uint32_t scope =
      g_edges.at(index).anchor == nullptr ? parent.scope : g_edges.at(index).root_scope;
  const ModuleEdge edge = g_edges.at(index);
  if (FollowKeys(start, edge, &scope) != edge.child) return false;
  g_edges.at(index).scope = scope;
  g_edges.at(index).root_scope = RootOf(scope);
  return true;
}

FLOPSPROF_APART void Resolve(uint32_t index, PyObject* module, const ModuleParent& parent) {
  const bool was_below = g_edges.at(index).kind == EdgeKind::kNamed;
  g_edges.at(index).type = module->type;
  g_edges.at(index).registrations = g_registrations;
  g_edges.at(index).kind = EdgeKind::kNew;
  const bool nested = parent.scope != shm::kOutsideScope;
  PyObject* caller = parent.module != nullptr ? parent.module : ModuleOfScope(parent.scope);
  if (nested && caller != nullptr && !IsShared(module) &&
      FindBelow(parent.scope, caller, module, was_below) && EnterPath(index, parent)) {
    return;
  }
  // Python code runs here: other threads may change the trie, so only the index is kept.
  PyObject* chain = AskShimForChain(module, parent.outermost);
  const bool listed = chain != nullptr && chain != g_python.none;
  if (chain == g_python.none) {
    g_edges.at(index).kind = EdgeKind::kInherited;
  } else if (!listed || !UseChain(index, chain)) {
    if (!(nested && caller != nullptr && IsShared(module) &&
          FindBelow(parent.scope, caller, module, was_below) && EnterPath(index, parent))) {
      BeUnparented(index, module, !nested);
    }
  }
  g_python.DecRef(chain);
}

bool StillRight(ModuleEdge& edge, PyObject* module, const ModuleParent& parent) {
  if (edge.type != module->type) return false;
  switch (edge.kind) {
    case EdgeKind::kNamed: {
      if (edge.scope == 0) return false;
      // Its topmost parent may have got a parent.
      if (edge.parent == 0 && edge.registrations != g_registrations) return false;
      PyObject* start = StartOf(edge, parent);
      if (start == nullptr) return edge.anchor == nullptr;
      return FollowKeys(start, edge, nullptr) == module;
    }
    case EdgeKind::kRoot:
    case EdgeKind::kAlias:
      return AliveModule(edge.anchor) == module;
    case EdgeKind::kUnknown:
      return edge.registrations == g_registrations;
    case EdgeKind::kInherited:
      return true;
    case EdgeKind::kNew:
      break;
  }
  return false;
}

}  // namespace

uint32_t ModuleEdge::Hash() const { return HashPointer(child, parent); }

FLOPSPROF_HOT const ModuleEdge& ResolveModule(PyObject* module, const ModuleParent& parent) {
  if (parent.outermost) {
    ++g_generation;
    if (g_edges.full()) StartAgain();
  }
  const uint32_t index = FindOrAddEdge(parent.scope, module);
  if (index == 0) {
    CountLoss(shm::LossCounter::kScopeTableFull);
    g_no_memory_edge.kind = EdgeKind::kInherited;
    return g_no_memory_edge;
  }
  ModuleEdge& edge = g_edges.at(index);
  if (edge.generation == g_generation && edge.type == module->type && edge.kind != EdgeKind::kNew &&
      (edge.scope != 0 || edge.kind == EdgeKind::kInherited)) {
    return edge;
  }
  const uint32_t generation = g_generation;
  if (edge.kind == EdgeKind::kNamed && edge.scope == 0 && edge.type == module->type) {
    // Made in one pass with its siblings and called for the first time.
    if (!EnterPath(index, parent)) Resolve(index, module, parent);
  } else if (!StillRight(edge, module, parent)) {
    Resolve(index, module, parent);
  } else if (edge.kind == EdgeKind::kNamed) {
    // Another module had the scope in between, or its address. A scope that only the parent of a
    // fork knew stays as it is.
    if (ModuleOfScope(edge.scope) != module && FindScopeEntry(edge.scope) != nullptr) {
      if (IsOfMany(edge.scope)) {
        ReferToModule(edge.scope, module);
      } else {
        EnterPath(index, parent);
      }
    }
  }
  g_edges.at(index).generation = generation;
  return g_edges.at(index);
}

PyObject* ModuleOfScope(uint32_t scope) {
  return HasRow(scope) ? AliveModule(g_scope_modules[scope].reference) : nullptr;
}

uint32_t ModuleScopeAtOrAbove(uint32_t scope) {
  for (;;) {
    const ScopeEntry* entry = FindScopeEntry(scope);
    if (entry == nullptr) return shm::kOutsideScope;
    if (entry->kind == shm::ScopeKind::kModule) return scope;
    scope = entry->parent;
  }
}

bool NeedsDescription(uint32_t root_scope, uint32_t epoch) {
  return HasRow(root_scope) && g_scope_modules[root_scope].described_epoch != epoch;
}

void SetDescribed(uint32_t root_scope, uint32_t epoch) {
  if (HasRow(root_scope)) g_scope_modules[root_scope].described_epoch = epoch;
}

void OnModuleRegistered(PyObject* child) {
  ++g_registrations;
  const uint32_t index = FindEdge(shm::kOutsideScope, child);
  if (index == 0) return;
  g_edges.at(index).kind = EdgeKind::kNew;  // a root got a parent: name it again
}

void OnModuleShared(PyObject* child) {
  if (IsShared(child)) return;
  if (g_shared == nullptr || (g_shared_count + 1) * 2 > g_shared_mask + 1) {
    PyObject** old = g_shared;
    const uint32_t old_size = old == nullptr ? 0 : g_shared_mask + 1;
    const uint32_t size = old == nullptr ? 256 : old_size * 2;
    auto** fresh = static_cast<PyObject**>(calloc(size, sizeof(PyObject*)));
    if (fresh == nullptr) return;
    g_shared = fresh;
    g_shared_mask = size - 1;
    g_shared_count = 0;
    for (uint32_t i = 0; i < old_size; ++i) {
      if (old[i] != nullptr) OnModuleShared(old[i]);
    }
    free(old);
  }
  uint32_t i = HashPointer(child, 0) & g_shared_mask;
  while (g_shared[i] != nullptr) i = (i + 1) & g_shared_mask;
  g_shared[i] = child;
  ++g_shared_count;
  // Its edges may be anywhere: let every one of them be resolved again.
  for (uint32_t e = 1; e <= g_edges.count(); ++e) {
    if (g_edges.at(e).child == child && g_edges.at(e).kind != EdgeKind::kAlias) {
      g_edges.at(e).kind = EdgeKind::kNew;
    }
  }
}

void AddModuleAlias(PyObject* replica, uint32_t scope) {
  const uint32_t index = FindOrAddEdge(shm::kOutsideScope, replica);
  if (index == 0 || FindScopeEntry(scope) == nullptr) return;
  ModuleEdge& edge = g_edges.at(index);
  ClearPath(edge);
  edge.kind = EdgeKind::kAlias;
  edge.type = replica->type;
  edge.scope = scope;
  edge.root_scope = RootOf(scope);
  edge.anchor = NewModuleReference(replica);
}

void ForgetModuleTrie() {
  for (uint32_t i = 1; i <= g_edges.count(); ++i) FreeKeys(g_edges.at(i));
  g_edges.Clear();
  g_newest_edge = 0;
  if (g_scope_modules != nullptr) memset(g_scope_modules, 0, kMaxScopes * sizeof(ScopeModule));
  free(g_shared);
  g_shared = nullptr;
  g_shared_mask = g_shared_count = 0;
  g_late_root = 0;
  ForgetModuleObjects();
}

uint32_t ModuleEdgeCount() { return g_edges.count(); }

}  // namespace flopsprof::injector
