// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/scopes/attribution.h"

#include <string.h>

#include "injector/base/platform.h"
#include "injector/scopes/scope_stack.h"
#include "injector/scopes/scope_table.h"
#include "injector/scopes/scopes.h"
#include "injector/scopes/step_at.h"
#include "injector/scopes/steps.h"
#include "injector/transport/record_sink.h"

namespace flopsprof::injector {

Attribution CurrentAttribution() { return ThisThread().Current(); }

namespace {

bool SameName(const ScopeEntry& entry, const char* name, size_t bytes) {
  if (bytes == kTerminated) return strcmp(entry.name, name) == 0;
  return entry.name_bytes == bytes && memcmp(entry.name, name, bytes) == 0;
}

// Hashes the name, and adds it when it is new.
FLOPSPROF_APART uint32_t LookUpRange(RecentRange* recent, uint32_t parent, shm::ScopeKind kind,
                                     const char* domain, const char* name, size_t bytes) {
  ScopeIdentity identity;
  identity.parent = parent;
  identity.kind = kind;
  identity.domain = domain;
  identity.name = name;
  identity.name_bytes = bytes == kTerminated ? strlen(name) : bytes;
  const uint32_t scope = FindOrAddScope(identity);
  if (recent != nullptr) *recent = {name, domain, parent, scope, kind};
  return scope;
}

inline __attribute__((always_inline)) uint32_t EnterFoundRange(shm::ScopeKind kind,
                                                               const char* domain, const char* name,
                                                               size_t bytes, uint32_t* scope) {
  ThreadScopes& thread = ThisThread();
  const uint32_t parent = thread.CurrentScope();
  RecentRange* recent = thread.Recent(name, parent);
  const bool found = recent != nullptr && recent->scope != 0 && recent->name == name &&
                     recent->parent == parent && recent->domain == domain && recent->kind == kind &&
                     SameName(g_scopes[recent->scope], name, bytes);
  *scope = found ? recent->scope : LookUpRange(recent, parent, kind, domain, name, bytes);
  OnScopeOfStepAt(*scope);
  return thread.EnterRange(domain, *scope);
}

}  // namespace

FLOPSPROF_HOT uint32_t EnterNamedRange(shm::ScopeKind kind, const char* domain, const char* name,
                                       size_t bytes) {
  uint32_t scope;
  const uint32_t depth = EnterFoundRange(kind, domain, name, bytes, &scope);
  if (depth == ThreadScopes::kRefused) return depth;
  return EmitScopeEnter(scope, ThisThread().TopPhase(), depth);
}

uint32_t EnterRangeWith(const RangeFacts& facts, const char* domain, const char* name,
                        size_t bytes) {
  uint32_t scope;
  const uint32_t depth = EnterFoundRange(shm::ScopeKind::kRange, domain, name, bytes, &scope);
  if (depth == ThreadScopes::kRefused) return depth;
  return EmitScopeEnterWith(facts, scope, ThisThread().TopPhase(), depth);
}

namespace {

FLOPSPROF_APART uint32_t EmitTimedEnter(uint32_t scope, shm::Phase phase, uint32_t depth) {
  return EmitScopeEnterWith(RangeFacts(), scope, phase, depth);
}

FLOPSPROF_APART uint64_t EmitTimedStart(uint32_t scope, uint64_t id) {
  return EmitRangeStartWith(RangeFacts(), scope, id);
}

inline __attribute__((always_inline)) void EmitUntimedEnter(uint32_t scope, shm::Phase phase) {
  const uint32_t step = CurrentStep();
  EmitInPlace<shm::ScopeEnter>([&](shm::ScopeEnter* record) {
    record->header.type = static_cast<uint16_t>(shm::RecordType::kScopeEnter);
    record->header.phase = static_cast<uint8_t>(phase);
    record->header.step = step;
    record->scope = scope;
  });
}

}  // namespace

uint32_t EmitScopeEnter(uint32_t scope, shm::Phase phase, uint32_t depth) {
  const shm::Recording recorded = WhatIsRecorded();
  if (scope == shm::kOutsideScope || recorded == shm::Recording::kNothing) return depth;
  EnsureScopeDefined(scope);  // also for work that a later window records
  if (recorded == shm::Recording::kWork) {
    EmitUntimedEnter(scope, phase);
  } else if (recorded == shm::Recording::kTimedWork) {
    return EmitTimedEnter(scope, phase, depth);
  }
  return depth;
}

uint64_t EmitRangeStart(uint32_t scope, uint64_t id) {
  const shm::Recording recorded = WhatIsRecorded();
  if (scope == shm::kOutsideScope || recorded == shm::Recording::kNothing) return id;
  EnsureScopeDefined(scope);
  if (recorded == shm::Recording::kWork) {
    EmitUntimedEnter(scope, shm::Phase::kOther);
  } else if (recorded == shm::Recording::kTimedWork) {
    return EmitTimedStart(scope, id);
  }
  return id;
}

}  // namespace flopsprof::injector
