// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Every scope of the process, by its identity (parent, kind, domain, name); roots also by their
// object. Ids are given once and never reused, so frames, logs and records may hold them.
// Lookup takes no lock (entries are immutable once published); adding one and sending its
// definition do. Reserved address space, touched page by page, for the texts too; nothing is
// allocated under the lock but that, with the first scope.

#include <stddef.h>
#include <stdint.h>

#include <atomic>

#include "injector/base/platform.h"
#include "injector/transport/record_sink.h"

namespace flopsprof::injector {

constexpr uint32_t kMaxScopes = 1u << 18;
constexpr uint32_t kMaxRangeScopes = 1u << 16;  // leaves room for modules
constexpr size_t kMaxScopeNameBytes = 512;
// Scopes around a scope at most; ranges stop earlier, so that modules that are called in them keep
// lines of their own. The readers' bounds (collector/model/profile_bounds.h) are the same.
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

// Id of the scope, added when new. When the table is full: a shared scope named "(other)", of a
// range below the module around it, else of no one; counted as kScopeTableFull. Deeper than
// allowed: one scope "(deeper)" of its parent, counted as kScopeTooDeep.
uint32_t FindOrAddScope(const ScopeIdentity& identity);

// A module scope now stands for another object or class (replaced under the same name). Roots keep
// theirs, ranges have none. Beyond a thousand different classes it stays as it is, counted as
// kScopeTableFull.
void RebindScope(uint32_t scope, const char* class_name, uint64_t object);

// kOutsideScope and unknown ids: null.
const ScopeEntry* FindScopeEntry(uint32_t scope);

// Sends the definition of a scope and of its parents. Takes locks.
FLOPSPROF_APART void DefineScope(uint32_t scope);

extern ScopeEntry* g_scopes;  // null until the first scope is added
// Session in which the reader has the definition of a scope. Apart from the entries: sixteen in one
// line of the cache.
extern std::atomic<uint32_t> g_defined_epochs[kMaxScopes];

// Before the first record that names `scope` in a session. One load when nothing is to do.
inline void EnsureScopeDefined(uint32_t scope) {
  if (scope == shm::kOutsideScope) return;
  if (g_defined_epochs[scope].load(std::memory_order_relaxed) != SessionEpoch()) {
    DefineScope(scope);
  }
}

// The same pointer for the same text, for ever; at most `bytes` of it, up to a NUL. "" gives null,
// and so does want of memory. Beyond a thousand different ones: that of "(other)", counted as
// kScopeTableFull.
const char* InternDomain(const char* text, size_t bytes = SIZE_MAX);

void ForgetDomainsForTesting();  // and classes

uint32_t ScopeCount();
void ForgetScopeTable();  // fork child and tests: everything is left behind, nothing freed

}  // namespace flopsprof::injector
