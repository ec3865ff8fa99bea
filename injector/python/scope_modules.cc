// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/python/scope_modules.h"

#include <string.h>

#include "injector/base/pages.h"
#include "injector/python/module_objects.h"

namespace flopsprof::injector {

ScopeModule* g_scope_modules;

ScopeModule* RowOfScope(uint32_t scope) {
  if (g_scope_modules == nullptr) {
    g_scope_modules = static_cast<ScopeModule*>(MapPages(kMaxScopes * sizeof(ScopeModule)));
  }
  return HasScopeModule(scope) ? &g_scope_modules[scope] : nullptr;
}

PyObject* ModuleOfScope(uint32_t scope) {
  return HasScopeModule(scope) ? AliveModule(g_scope_modules[scope].reference) : nullptr;
}

void ReferToModule(uint32_t scope, PyObject* module) {
  ScopeModule* row = RowOfScope(scope);
  if (row == nullptr || AliveModule(row->reference) == module) return;
  g_python.DecRef(row->reference);
  row->reference = NewModuleReference(module);
  row->described_epoch = 0;
  row->failed_search = 0;
}

bool NeedsDescription(uint32_t root_scope, uint32_t epoch) {
  return HasScopeModule(root_scope) && g_scope_modules[root_scope].described_epoch != epoch;
}

void SetDescribed(uint32_t root_scope, uint32_t epoch) {
  if (HasScopeModule(root_scope)) g_scope_modules[root_scope].described_epoch = epoch;
}

void ForgetScopeModules() {
  if (g_scope_modules != nullptr) memset(g_scope_modules, 0, kMaxScopes * sizeof(ScopeModule));
}

}  // namespace flopsprof::injector
