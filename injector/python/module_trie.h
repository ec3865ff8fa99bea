// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which scope is a call of this module, made under that one? A trie whose edges are keyed by
// (parent scope, address of the child) and lead to scope ids. All functions need Python's lock.
//
// An edge is made on first sight: the child is looked for by identity in the parent's _modules, up
// to four levels down (containers are not called), one pass for all siblings. A child that is not
// there is named from its topmost living parent by the Python shim. An edge is checked again once
// per outermost call (same type, _modules still leads to the child), so replaced, moved and shared
// modules and reused addresses keep their right names.

#include <stdint.h>

#include "injector/python/python_api.h"

namespace flopsprof::injector {

enum class EdgeKind : uint8_t {
  kNew,        // not resolved yet
  kNamed,      // found by attribute names from the parent or from the anchor
  kRoot,       // no living parent
  kUnknown,    // called under a module that does not contain it: "?Class"
  kInherited,  // no module of the user's (a compiled graph): part of whoever calls it
  kAlias,      // replica of another module on another device: shares its scope
};

struct ModuleParent {
  uint32_t scope = 0;          // of the innermost module; 0 = none
  PyObject* module = nullptr;  // borrowed; null: only the scope is known
  bool outermost = false;      // no module runs on this thread
};

struct ModuleEdge {
  PyObject* child;    // an address, never followed
  PyObject* type;     // an address, never followed
  PyObject* anchor;   // weak reference to where the keys start; null: at the parent
  union {             // attribute names, owned
    PyObject* key;    // of one
    PyObject** keys;  // of more
  };
  uint32_t parent;
  uint32_t scope;       // 0: not entered yet
  uint32_t root_scope;  // first scope above that has no parent
  uint32_t generation;  // outermost call that checked it last
  uint32_t registrations;
  uint32_t next;      // in the table
  uint32_t follower;  // edge of the call that came after the last call of this one; 0: none yet
  uint16_t key_count;
  EdgeKind kind;

  uint32_t Hash() const;
  PyObject* const* Keys() const { return key_count == 1 ? &key : keys; }
};
static_assert(sizeof(ModuleEdge) == 64, "one cache line");

// Valid until the next call.
const ModuleEdge& ResolveModule(PyObject* module, const ModuleParent& parent);

// The module of a scope if it still lives (borrowed), else null.
PyObject* ModuleOfScope(uint32_t scope);

// Nearest module scope at or above a scope (ranges are skipped), or 0.
uint32_t ModuleScopeAtOrAbove(uint32_t scope);

// True once per session epoch for each root: the shim has to describe its modules.
bool NeedsDescription(uint32_t root_scope, uint32_t epoch);
void SetDescribed(uint32_t root_scope, uint32_t epoch);

// A root that got modules since it was described, or 0: wants it once the outermost call is over.
extern uint32_t g_late_root;

// News from the shim: `child` got a parent; is reachable by several paths; is a replica.
void OnModuleRegistered(PyObject* child);
void OnModuleShared(PyObject* child);
void AddModuleAlias(PyObject* replica, uint32_t scope);

// Python has ended: what it was is gone, and is not touched.
void ForgetModuleTrie();

uint32_t ModuleEdgeCount();

}  // namespace flopsprof::injector
