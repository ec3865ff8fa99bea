// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Stands in for injector/scopes in a build without it: all work is "(outside)".

#include "injector/scopes/attribution.h"
#include "injector/scopes/captured_steps.h"

namespace flopsprof::injector {

Attribution CurrentAttribution() { return {shm::kOutsideScope, shm::Phase::kOther, shm::kNoStep}; }

void DefineScopesSoFar() {}
void BeginScopes() {}
void TickScopes() {}
void EndScopes() {}
void ForgetScopesInForkedChild() {}
void BeginCaptureOnThread() {}
uint8_t EndCaptureOnThread() { return 0; }
bool NoteIfCaptured(uint8_t) { return false; }
void BeforeReplay(uint8_t) {}
void AfterReplay(uint8_t) {}

}  // namespace flopsprof::injector
