// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// The ways into a process: the loader's constructor (LD_PRELOAD), CUDA_INJECTION64_PATH, and the
// NVTX entry points of injector/scopes. All may happen, in any order.

#include <dlfcn.h>
#include <sys/auxv.h>

#include "injector/base/env_config.h"
#include "injector/base/platform.h"
#include "injector/base/real_loader.h"
#include "injector/loader/caller_patch.h"
#include "injector/loader/dl_hooks.h"
#include "injector/python/program_module.h"
#include "injector/session/session.h"

namespace flopsprof::injector {
namespace {

// Runs in every process that the job starts, shells and compilers included: no thread, socket,
// file or CUDA call here; no allocation but Python's of its table of built-in modules.
__attribute__((constructor)) void OnLoad() {
  if (getauxval(AT_SECURE) != 0 || AgentSocketPath() == nullptr) return;
  NoteImage();
  Dl_info self;
  if (dladdr(reinterpret_cast<const void*>(&OnLoad), &self) != 0) {
    PublishNvtxInjection(self.dli_fname);
  }
  OfferProgramModule();
  ArmLoaderHooks();
  SetDetachAction(DisarmLoaderHooks);
}

// Without LD_PRELOAD nobody reaches our hooks by name.
void ReachCallersOfThisProcess() {
  const SessionState state = CurrentSessionState();
  if (state == SessionState::kDormant || state == SessionState::kDead) return;
  if (IsPreloaded()) return;
  FollowLoadedObjects();
  PatchCallers();
}

}  // namespace
}  // namespace flopsprof::injector

// Called by the CUDA driver while it initialises, on the thread of the first CUDA call.
FLOPSPROF_EXPORT int InitializeInjection() {
  flopsprof::injector::StartSession();
  flopsprof::injector::ReachCallersOfThisProcess();
  return 1;
}
