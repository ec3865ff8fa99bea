// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shared by the sources of scopes: module calls and ranges on the calling thread's stack.

#include <stddef.h>
#include <stdint.h>

#include "proto/shm/records.h"

namespace flopsprof::injector {

// False before BeginScopes, after EndScopes and in a forked child: hooks only pass through.
bool ScopesEnabled();

// There are no module names: counts kModuleHookRefused and notes why.
void RefuseModules(const char* reason);
bool ModulesRefused();

// Stands for the length of a text that ends with a NUL: known ranges are entered without it.
constexpr size_t kTerminated = SIZE_MAX;

// Enters a range below the current scope and reports it. Depth for ThreadScopes::Leave, or
// ThreadScopes::kRefused. `domain` is interned or null.
uint32_t EnterNamedRange(shm::ScopeKind kind, const char* domain, const char* name, size_t bytes);

// Defines the scope when needed and sends one ScopeEnter.
void EmitScopeEnter(uint32_t scope, shm::Phase phase);

}  // namespace flopsprof::injector
