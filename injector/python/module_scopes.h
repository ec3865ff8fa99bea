// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Makes the scopes of modules, along the attribute names that lead to them. Needs Python's lock.

#include <stdint.h>

#include "injector/python/module_edges.h"
#include "injector/python/python_api.h"

namespace flopsprof::injector {

// Nearest module scope at or above a scope (ranges are skipped), or 0.
uint32_t ModuleScopeAtOrAbove(uint32_t scope);

// The scope of a module that no other one contains.
uint32_t MakeRootScope(PyObject* module);

// The scope "?Class" of a module that is called under one that does not contain it.
uint32_t MakeUnknownScope(uint32_t parent, PyObject* module);

// The module to which the edge's names lead from `start` (borrowed); null: the path does not exist
// (any more).
PyObject* FollowPath(PyObject* start, const ModuleEdge& edge);

// The same, and makes the scope of every module on the way: `*scope` is that of `start`, then that
// of the module.
PyObject* EnterPath(PyObject* start, const ModuleEdge& edge, uint32_t* scope);

// A root that got modules since it was described, or 0: wants it once the outermost call is over.
extern uint32_t g_late_root;

}  // namespace flopsprof::injector
