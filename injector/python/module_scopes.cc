// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/python/module_scopes.h"

#include <string.h>

#include "injector/python/class_name.h"
#include "injector/python/module_objects.h"
#include "injector/python/scope_modules.h"
#include "injector/scopes/scope_table.h"
#include "injector/transport/record_sink.h"

namespace flopsprof::injector {

uint32_t g_late_root;

namespace {

// _modules[key] of a module (borrowed), or null.
PyObject* FindChild(PyObject* module, PyObject* key) {
  PyObject* modules = ModulesOf(module);
  if (modules == nullptr) return nullptr;
  PyObject* child = g_python.PyDict_GetItemWithError(modules, key);
  g_python.DecRef(modules);
  if (child == nullptr) g_python.PyErr_Clear();
  return child == g_python.none ? nullptr : child;
}

uint32_t MakeModuleScope(uint32_t parent, const char* name, size_t name_bytes, PyObject* module,
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
    if (ScopeModule* row = RowOfScope(scope)) row->many = true;
  }
  return scope;
}

// From the scope and place of a module to those of `child`, its attribute `key`.
bool EnterChild(PyObject* key, PyObject* child, ModulePlace* place, uint32_t* scope) {
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
  *scope = MakeModuleScope(*scope, name.text, name.bytes, child, true, many);
  *place = PlaceInside(at, child);
  // It came after the others of its root: they are described again.
  if (!IsDescribed(at, name.number, SessionEpoch())) {
    g_late_root = RootOfScope(*scope);
    SetDescribed(g_late_root, 0);
  }
  return true;
}

}  // namespace

uint32_t ModuleScopeAtOrAbove(uint32_t scope) {
  for (;;) {
    const ScopeEntry* entry = FindScopeEntry(scope);
    if (entry == nullptr) return shm::kOutsideScope;
    if (entry->kind == shm::ScopeKind::kModule) return scope;
    scope = entry->parent;
  }
}

uint32_t MakeRootScope(PyObject* module) {
  return MakeModuleScope(shm::kOutsideScope, "", 0, module, /*known=*/true);
}

uint32_t MakeUnknownScope(uint32_t parent, PyObject* module) {
  char name[256] = "?";
  strncpy(name + 1, ClassName(module->type).text(), sizeof(name) - 2);
  return MakeModuleScope(parent, name, strlen(name), module, false);
}

PyObject* FollowPath(PyObject* start, const ModuleEdge& edge) {
  PyObject* module = start;
  PyObject* const* keys = edge.Keys();
  for (uint32_t i = 0; i < edge.key_count && module != nullptr; ++i) {
    module = FindChild(module, keys[i]);
  }
  return module;
}

PyObject* EnterPath(PyObject* start, const ModuleEdge& edge, uint32_t* scope) {
  PyObject* module = start;
  PyObject* const* keys = edge.Keys();
  ModulePlace place = PlaceBelow(start);
  for (uint32_t i = 0; i < edge.key_count && module != nullptr; ++i) {
    module = FindChild(module, keys[i]);
    if (module != nullptr && !EnterChild(keys[i], module, &place, scope)) return nullptr;
  }
  return module;
}

}  // namespace flopsprof::injector
