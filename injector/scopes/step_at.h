// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// --step-at NAME: a step begins where a module, a range or a function of that name does. A module
// is named by its path or its class, a range by its text. Functions: the shim's _flopsprof_step_at.

#include <atomic>

#include "injector/base/platform.h"
#include "injector/scopes/scope_table.h"

namespace flopsprof::injector {

// A scope that begins steps is in the table.
extern std::atomic<bool> g_step_at;

// Is a new scope of that name? Asks the environment at the first time.
bool BeginsSteps(const ScopeIdentity& identity);

// Reads the option; without it nothing happens.
void FollowStepAt();

FLOPSPROF_APART void BeginStepIfWanted(uint32_t scope);
inline void OnScopeOfStepAt(uint32_t scope) {
  if (FLOPSPROF_UNLIKELY(g_step_at.load(std::memory_order_relaxed))) BeginStepIfWanted(scope);
}

}  // namespace flopsprof::injector
