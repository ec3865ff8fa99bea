// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Every scope of the process, by its identity (parent, kind, domain, name); roots also by their
// object. Ids are given once and never reused, so frames, logs and records may hold them. Lookup
// takes no lock, because entries are immutable once published. Adding an entry and sending its
// definition take a lock. Entries and texts lie in reserved address space that is touched page by
// page. Under the lock nothing is allocated except this space, with the first scope.

#include <stddef.h>
#include <stdint.h>

#include <atomic>

#include "injector/base/platform.h"
#include "injector/transport/record_sink.h"

namespace flopsprof::injector {

constexpr uint32_t kMaxScopes = 1u << 18;
constexpr uint32_t kMaxRangeScopes = 1u << 16;  // leaves room for modules
constexpr size_t kMaxScopeNameBytes = 512;
// The largest number of scopes around a scope. Ranges have a lower limit, so that modules called in
// them still get lines of their own. The readers' bounds (collector/model/profile_bounds.h) are the
// same.
constexpr uint32_t kMaxModuleDepth = 255;
constexpr uint32_t kMaxRangeDepth = 127;

struct ScopeIdentity {
  uint32_t parent = shm::kOutsideScope;
  shm::ScopeKind kind = shm::ScopeKind::kUnspecified;
  bool known = true;             // modules: the name is an attribute of the parent
  const char* domain = nullptr;  // interned (InternDomain); compared as a pointer
  const char* name = "";
  size_t name_bytes = 0;
  // Part of the identity of roots only: a model that is made where another one was freed is another
  // root, unless it is of the same class.
  const char* class_name = "";
  uint64_t object = 0;
};

struct ScopeEntry {
  uint64_t hash;
  uint32_t parent;
  uint32_t name_bytes;
  const char* name;
  const char* domain;
  const char* class_name;  // under the table's lock
  uint64_t object;         // under the table's lock
  shm::ScopeKind kind;
  bool known;
  bool begins_steps;  // --step-at
  uint16_t depth;
};

// Id of the scope; a new scope is added. If the table is full, a shared scope named "(other)" is
// used: for a range, one below the module around it, otherwise one without a parent. This is
// counted as kScopeTableFull. A scope deeper than allowed becomes the one scope "(deeper)" of its
// parent, counted as kScopeTooDeep.
uint32_t FindOrAddScope(const ScopeIdentity& identity);

// A module scope now stands for another object or class (replaced under the same name). Roots keep
// theirs, ranges have none. Beyond a thousand different classes it stays as it is, counted as
// kScopeTableFull.
void RebindScope(uint32_t scope, const char* class_name, uint64_t object);

// kOutsideScope and unknown ids: null.
const ScopeEntry* FindScopeEntry(uint32_t scope);

// First scope at or above this one that has no parent.
uint32_t RootOfScope(uint32_t scope);

// Sends the definition of a scope and of its parents. Takes locks.
FLOPSPROF_APART void DefineScope(uint32_t scope);

extern ScopeEntry* g_scopes;  // null until the first scope is added
// For each scope, the newest session whose reader has its definition. This array is apart from the
// entries, so that one cache line has sixteen of them.
extern std::atomic<uint32_t> g_defined_epochs[kMaxScopes];

// Before the first record that names `scope` in a session. One load when nothing is to do.
inline void EnsureScopeDefined(uint32_t scope) {
  if (scope == shm::kOutsideScope) return;
  if (g_defined_epochs[scope].load(std::memory_order_relaxed) != SessionEpoch()) {
    DefineScope(scope);
  }
}

// Returns the same pointer for the same text, for ever. The text ends at `bytes` or at a NUL. Null:
// the text is empty, or there is no memory. After a thousand different texts returns the pointer of
// "(other)", counted as kScopeTableFull.
const char* InternDomain(const char* text, size_t bytes = SIZE_MAX);

void ForgetDomainsForTesting();  // and classes

uint32_t ScopeCount();
void ForgetScopeTable();  // fork child and tests: everything is left behind, nothing freed

}  // namespace flopsprof::injector
