// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/scopes/step_at.h"

#include <string.h>

#include "injector/base/env_config.h"
#include "injector/scopes/steps.h"
#include "injector/transport/record_sink.h"

namespace flopsprof::injector {

std::atomic<bool> g_step_at{false};

namespace {

// Does `text` end with `name`? Takes it off, with the dot before it.
bool TakeLast(const char* text, size_t* bytes, const char* name, size_t name_bytes) {
  if (name_bytes > *bytes || memcmp(text + *bytes - name_bytes, name, name_bytes) != 0)
    return false;
  *bytes -= name_bytes;
  if (*bytes > 0) {
    if (text[*bytes - 1] != '.') return false;
    --*bytes;
  }
  return true;
}

// The root has no name in a path.
bool IsPathOf(const char* wanted, const ScopeIdentity& identity) {
  if (identity.parent == shm::kOutsideScope) return false;
  size_t bytes = strlen(wanted);
  if (!TakeLast(wanted, &bytes, identity.name, identity.name_bytes)) return false;
  const ScopeEntry* entry = FindScopeEntry(identity.parent);
  while (entry != nullptr && entry->parent != shm::kOutsideScope) {
    if (bytes == 0 || !TakeLast(wanted, &bytes, entry->name, entry->name_bytes)) return false;
    entry = FindScopeEntry(entry->parent);
  }
  return bytes == 0;
}

}  // namespace

void FollowStepAt() {
  const char* wanted = StepAtName();
  if (wanted == nullptr) return;
  WantExplicitSteps();
  EmitNote("steps", wanted);
}

bool BeginsSteps(const ScopeIdentity& identity) {
  const char* wanted = StepAtName();
  if (wanted == nullptr) return false;
  bool begins;
  if (identity.kind == shm::ScopeKind::kModule) {
    begins = strcmp(identity.class_name, wanted) == 0 || IsPathOf(wanted, identity);
  } else {
    begins = identity.kind != shm::ScopeKind::kOptimizer && identity.name_bytes == strlen(wanted) &&
             memcmp(identity.name, wanted, identity.name_bytes) == 0;
  }
  if (!begins) return false;
  WantExplicitSteps();
  g_step_at.store(true, std::memory_order_relaxed);
  return true;
}

void BeginStepIfWanted(uint32_t scope) {
  static std::atomic<uint32_t> noted_epoch{0};
  const ScopeEntry* entry = FindScopeEntry(scope);
  if (entry == nullptr || !entry->begins_steps) return;
  const uint32_t epoch = SessionEpoch();
  if (noted_epoch.load(std::memory_order_relaxed) != epoch &&
      noted_epoch.exchange(epoch, std::memory_order_relaxed) != epoch) {
    EmitNote("step_at", "a module or a range");
  }
  OnExplicitStep();
}

}  // namespace flopsprof::injector
