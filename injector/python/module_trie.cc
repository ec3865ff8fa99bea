// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/python/module_trie.h"

#include "injector/base/platform.h"
#include "injector/python/address_set.h"
#include "injector/python/module_objects.h"
#include "injector/python/module_scopes.h"
#include "injector/python/module_search.h"
#include "injector/python/python_shim.h"
#include "injector/python/scope_modules.h"
#include "injector/scopes/scope_table.h"
#include "injector/transport/record_sink.h"

namespace flopsprof::injector {
namespace {

constexpr uint32_t kMaxChain = 64;     // names from a module's topmost parent
constexpr uint32_t kLongSearch = 512;  // modules looked at

// All under Python's lock.
ModuleEdges g_edges;
AddressSet g_shared;       // modules that several modules hold
uint32_t g_generation;     // the outermost call that runs
uint32_t g_registrations;  // modules that got a parent
ModuleEdge g_no_memory_edge;

// The module at which the edge's path begins; null: it is not known, or gone.
PyObject* StartOfPath(const ModuleEdge& edge, const ModuleParent& parent) {
  if (edge.anchor != nullptr) return AliveModule(edge.anchor);
  return parent.module != nullptr ? parent.module : ModuleOfScope(parent.scope);
}

// Gives a named edge its scope. False: the path is gone.
FLOPSPROF_APART bool EnterEdge(uint32_t index, const ModuleParent& parent) {
  // A copy: the table may get edges while scopes are made.
  const ModuleEdge edge = g_edges.at(index);
  PyObject* start = StartOfPath(edge, parent);
  if (start == nullptr) return edge.scope != 0;
  uint32_t scope = edge.anchor == nullptr ? parent.scope : edge.root_scope;
  if (EnterPath(start, edge, &scope) != edge.child) return false;
  g_edges.at(index).scope = scope;
  g_edges.at(index).root_scope = RootOfScope(scope);
  return true;
}

// Names the edge from its caller. `was_below`: it was there before, so it may only have moved.
bool NameFromCaller(uint32_t index, const ModuleParent& parent, PyObject* caller, bool was_below) {
  ModuleSearch search = {parent.scope, caller, g_edges.at(index).child, &g_shared, &g_edges};
  // A large module that calls others which it does not contain is not searched on every call.
  ScopeModule* row = RowOfScope(parent.scope);
  const bool useless = !was_below && row != nullptr && row->failed_search == g_registrations + 1;
  if (SearchModulesBelow(useless ? 1 : kSearchedLevels, &search)) return EnterEdge(index, parent);
  if (row != nullptr && search.looked_at > kLongSearch) row->failed_search = g_registrations + 1;
  return false;
}

// Names the edge from its topmost living parent. `chain`: [root, name, module, name, module ...]
// from the shim; the last module is the child.
bool NameFromRoot(uint32_t index, PyObject* chain) {
  const intptr_t size = g_python.PyList_Size(chain);
  if (size < 3 || size > 2 * static_cast<intptr_t>(kMaxChain) + 1) return false;
  PyObject* names[kMaxChain];
  const auto count = static_cast<uint32_t>(size / 2);
  for (uint32_t i = 0; i < count; ++i) names[i] = g_python.PyList_GetItem(chain, 2 * i + 1);
  PyObject* root = g_python.PyList_GetItem(chain, 0);
  ModuleEdge& edge = g_edges.at(index);
  if (!edge.SetPath(names, count)) return false;
  edge.anchor = NewModuleReference(root);
  uint32_t scope = MakeRootScope(root);
  edge.root_scope = scope;
  if (EnterPath(root, edge, &scope) != edge.child) return false;
  edge.scope = scope;
  return true;
}

// The module has no living parent, or none that its caller contains.
void NameWithoutParent(uint32_t index, PyObject* module, bool nested) {
  ModuleEdge& edge = g_edges.at(index);
  edge.ClearPath();
  if (nested) {
    edge.kind = EdgeKind::kUnknown;
    edge.scope = MakeUnknownScope(edge.parent, module);
  } else {
    edge.kind = EdgeKind::kRoot;
    edge.scope = MakeRootScope(module);
    edge.anchor = NewModuleReference(module);
  }
  edge.root_scope = RootOfScope(edge.scope);
}

FLOPSPROF_APART void ResolveEdge(uint32_t index, PyObject* module, const ModuleParent& parent) {
  const bool was_below = g_edges.at(index).kind == EdgeKind::kNamed;
  g_edges.at(index).type = module->type;
  g_edges.at(index).registrations = g_registrations;
  g_edges.at(index).kind = EdgeKind::kNew;
  const bool nested = parent.scope != shm::kOutsideScope;
  PyObject* caller = parent.module != nullptr ? parent.module : ModuleOfScope(parent.scope);
  const bool has_caller = nested && caller != nullptr;
  if (has_caller && !g_shared.Contains(module) &&
      NameFromCaller(index, parent, caller, was_below)) {
    return;
  }
  // Python code runs here: other threads may change the trie, so only the index is kept.
  PyObject* chain = AskShimForChain(module, parent.outermost);
  if (chain == g_python.none) {
    g_edges.at(index).kind = EdgeKind::kInherited;
  } else if (chain == nullptr || !NameFromRoot(index, chain)) {
    const bool is_shared = has_caller && g_shared.Contains(module);
    if (!is_shared || !NameFromCaller(index, parent, caller, was_below)) {
      NameWithoutParent(index, module, nested);
    }
  }
  g_python.DecRef(chain);
}

// Does the edge still lead to this module?
bool IsStillRight(const ModuleEdge& edge, PyObject* module, const ModuleParent& parent) {
  if (edge.type != module->type) return false;
  switch (edge.kind) {
    case EdgeKind::kNamed: {
      if (edge.scope == 0) return false;
      // Its topmost parent may have got a parent.
      if (edge.parent == 0 && edge.registrations != g_registrations) return false;
      PyObject* start = StartOfPath(edge, parent);
      if (start == nullptr) return edge.anchor == nullptr;
      return FollowPath(start, edge) == module;
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

// Was the edge checked in this outermost call already?
bool IsChecked(const ModuleEdge& edge, PyObject* module) {
  return edge.generation == g_generation && edge.type == module->type &&
         edge.kind != EdgeKind::kNew && (edge.scope != 0 || edge.kind == EdgeKind::kInherited);
}

// Of an edge that is right: another module had its scope in between, or its address. A scope that
// only the parent of a fork knew stays as it is.
void TakeScopeBack(uint32_t index, PyObject* module, const ModuleParent& parent) {
  const uint32_t scope = g_edges.at(index).scope;
  if (ModuleOfScope(scope) == module || FindScopeEntry(scope) == nullptr) return;
  if (IsOfMany(scope)) {
    ReferToModule(scope, module);
  } else {
    EnterEdge(index, parent);
  }
}

}  // namespace

FLOPSPROF_HOT const ModuleEdge& ResolveModule(PyObject* module, const ModuleParent& parent) {
  if (parent.outermost) {
    ++g_generation;
    if (g_edges.full()) g_edges.Clear();
  }
  const uint32_t index = g_edges.FindOrAdd(parent.scope, module);
  if (index == 0) {
    CountLoss(shm::LossCounter::kScopeTableFull);
    g_no_memory_edge.kind = EdgeKind::kInherited;
    return g_no_memory_edge;
  }
  ModuleEdge& edge = g_edges.at(index);
  if (IsChecked(edge, module)) return edge;
  const uint32_t generation = g_generation;
  if (edge.kind == EdgeKind::kNamed && edge.scope == 0 && edge.type == module->type) {
    // Made in one pass with its siblings and called for the first time.
    if (!EnterEdge(index, parent)) ResolveEdge(index, module, parent);
  } else if (!IsStillRight(edge, module, parent)) {
    ResolveEdge(index, module, parent);
  } else if (edge.kind == EdgeKind::kNamed) {
    TakeScopeBack(index, module, parent);
  }
  g_edges.at(index).generation = generation;
  return g_edges.at(index);
}

void OnModuleRegistered(PyObject* child) {
  ++g_registrations;
  const uint32_t index = g_edges.Find(shm::kOutsideScope, child);
  if (index == 0) return;
  g_edges.at(index).kind = EdgeKind::kNew;  // a root got a parent: name it again
}

void OnModuleShared(PyObject* child) {
  // Its edges may be anywhere.
  if (g_shared.Add(child)) g_edges.LetResolveAgain(child);
}

void AddModuleAlias(PyObject* replica, uint32_t scope) {
  const uint32_t index = g_edges.FindOrAdd(shm::kOutsideScope, replica);
  if (index == 0 || FindScopeEntry(scope) == nullptr) return;
  ModuleEdge& edge = g_edges.at(index);
  edge.ClearPath();
  edge.kind = EdgeKind::kAlias;
  edge.type = replica->type;
  edge.scope = scope;
  edge.root_scope = RootOfScope(scope);
  edge.anchor = NewModuleReference(replica);
}

void ForgetModuleTrie() {
  g_edges.Forget();
  g_shared.Clear();
  ForgetScopeModules();
  g_late_root = 0;
  ForgetModuleObjects();
}

uint32_t ModuleEdgeCount() { return g_edges.count(); }

}  // namespace flopsprof::injector
