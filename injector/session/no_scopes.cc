// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Stands in for injector/scopes and injector/python in a build without it: all work is "(outside)".

#include "injector/python/install.h"
#include "injector/python/program_module.h"
#include "injector/python/rest.h"
#include "injector/scopes/attribution.h"
#include "injector/scopes/captured_steps.h"
#include "injector/scopes/steps.h"

namespace flopsprof::injector {

Attribution CurrentAttribution() { return {shm::kOutsideScope, shm::Phase::kOther, shm::kNoStep}; }

uint32_t CurrentStepNumber() { return shm::kNoStep; }
void SetStepEdges(const StepEdges*) {}
void SettleSteps() {}
void TellStepsAgain() {}
void DefineScopesSoFar() {}
void PrepareScopeEnds() {}
void OfferProgramModule() {}
void BeginScopes() {}
void TickScopes() {}
bool ScopesEnabled() { return true; }
bool LetScopesRest(bool) { return false; }
void SettleScopes() {}
void EndScopes() {}
void ForgetScopesInForkedChild() {}
bool BeginCaptureOnThread(uint64_t, const void*) { return true; }
uint8_t EndCapture(uint64_t) { return 0; }
bool NoteIfCaptured(uint8_t) { return false; }
void BeforeReplay(uint8_t) {}
void AfterReplay(uint8_t) {}

}  // namespace flopsprof::injector
