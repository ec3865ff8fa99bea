// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which scope is a call of this module, made under that one? A trie whose edges are keyed by
// (parent scope, address of the child) and lead to scope ids. All functions need Python's lock.
//
// An edge is made on first sight: the child is looked for by identity in the parent's _modules, up
// to four levels down (module_search.h). A child that is not there is named from its topmost living
// parent by the Python shim. An edge is checked again once per outermost call (same type, _modules
// still leads to the child), so replaced, moved and shared modules and reused addresses keep their
// right names.

#include <stdint.h>

#include "injector/python/module_edges.h"
#include "injector/python/python_api.h"

namespace flopsprof::injector {

struct ModuleParent {
  uint32_t scope = 0;          // of the innermost module; 0 = none
  PyObject* module = nullptr;  // borrowed; null: only the scope is known
  bool outermost = false;      // no module runs on this thread
};

// Valid until the next call.
const ModuleEdge& ResolveModule(PyObject* module, const ModuleParent& parent);

// News from the shim: `child` got a parent; is reachable by several paths; is a replica.
void OnModuleRegistered(PyObject* child);
void OnModuleShared(PyObject* child);
void AddModuleAlias(PyObject* replica, uint32_t scope);

// Python has ended: what it was is gone, and is not touched.
void ForgetModuleTrie();

uint32_t ModuleEdgeCount();

}  // namespace flopsprof::injector
