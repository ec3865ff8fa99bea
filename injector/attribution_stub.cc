// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Stands in for injector/scopes in a build without it: all work is "(outside)".

#include "injector/scopes/attribution.h"

namespace flopsprof::injector {

Attribution CurrentAttribution() { return {shm::kOutsideScope, shm::Phase::kOther, shm::kNoStep}; }

void DefineScopesSoFar() {}
void BeginScopes() {}
void TickScopes() {}
void EndScopes() {}
void ForgetScopesInForkedChild() {}

}  // namespace flopsprof::injector
