// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/scopes/public_api.h"

#include <string.h>
#include "injector/base/platform.h"

#include "injector/scopes/scope_stack.h"
#include "injector/scopes/scopes.h"
#include "injector/scopes/steps.h"
#include "injector/transport/record_sink.h"

using namespace flopsprof::injector;

// The default NVTX domain's stack, so that flopsprof.h may use either way.
FLOPSPROF_EXPORT void flopsprof_push(const char* name) {
  if (name == nullptr) name = "";
  EnterNamedRange(flopsprof::shm::ScopeKind::kRange, nullptr, name, kTerminated);
}

FLOPSPROF_EXPORT void flopsprof_push_value(const char* name, int64_t value) {
  if (name == nullptr) name = "";
  RangeFacts facts;
  facts.payload_type = flopsprof::shm::PayloadType::kSigned;
  facts.payload = static_cast<uint64_t>(value);
  EnterRangeWith(facts, nullptr, name, kTerminated);
}

FLOPSPROF_EXPORT void flopsprof_mark(const char* name) {
  if (name == nullptr) name = "";
  EmitMark(RangeFacts(), nullptr, name, strlen(name));
}

FLOPSPROF_EXPORT void flopsprof_pop(void) {
  if (!ThisThread().CloseRange(nullptr)) {
    CountLoss(flopsprof::shm::LossCounter::kScopeUnbalanced);
  }
}

FLOPSPROF_EXPORT void flopsprof_step(void) { OnExplicitStep(); }

FLOPSPROF_EXPORT int flopsprof_active(void) { return IsConnected() ? 1 : 0; }
