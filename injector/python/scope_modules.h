// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which module is behind a scope, and what was said of it: by scope id. Needs Python's lock.

#include <stdint.h>

#include "injector/python/python_api.h"
#include "injector/scopes/scope_table.h"

namespace flopsprof::injector {

// What is known of the module behind a scope.
struct ScopeModule {
  PyObject* reference;  // weak
  uint32_t described_epoch;
  uint32_t failed_search;  // registrations at the last long search that found nothing, + 1
  bool many;  // of all further objects of a place, or in one: it stays as it was defined
};

extern ScopeModule* g_scope_modules;  // kMaxScopes, once there is one

// The row of a scope, made when missing; null: no memory, or no such scope.
ScopeModule* RowOfScope(uint32_t scope);

inline bool HasScopeModule(uint32_t scope) {
  return g_scope_modules != nullptr && scope < kMaxScopes;
}

inline bool IsOfMany(uint32_t scope) {
  return HasScopeModule(scope) && g_scope_modules[scope].many;
}

// The module of a scope if it still lives (borrowed), else null.
PyObject* ModuleOfScope(uint32_t scope);

// The scope's module is this one now.
void ReferToModule(uint32_t scope, PyObject* module);

// True once per session epoch for each root: the shim has to describe its modules.
bool NeedsDescription(uint32_t root_scope, uint32_t epoch);
void SetDescribed(uint32_t root_scope, uint32_t epoch);

// Python has ended: what it was is gone, and is not touched.
void ForgetScopeModules();

}  // namespace flopsprof::injector
