// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// The way into a process that runs already: `flopsprof attach` has a thread of it load this library
// and call flopsprof_attach. That thread is borrowed from the program in the middle of a system
// call, so all that is done there is to make a thread of our own.

#include "proto/shm/attach.h"

#include <errno.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>

#include <atomic>

#include "injector/base/env_config.h"
#include "injector/base/platform.h"
#include "injector/loader/caller_patch.h"
#include "injector/loader/dl_hooks.h"
#include "injector/session/fork_guard.h"
#include "injector/session/session.h"
#include "injector/transport/own_thread.h"
#include "injector/transport/thread_state.h"

extern "C" {
__attribute__((visibility("default")))
flopsprof::shm::AttachStatus flopsprof_attach_status = {flopsprof::shm::kAttachVersion, 0, 0, 0};
}

namespace flopsprof::injector {
namespace {

using shm::AttachState;

char settings[shm::kAttachSettingsBytes];

uint32_t Number(AttachState state) { return static_cast<uint32_t>(state); }

void SetState(AttachState state) {
  __atomic_store_n(&flopsprof_attach_status.state, Number(state), __ATOMIC_RELEASE);
}

void Attach() {
  ArmLoaderHooks();
  FollowLoadedObjects();
  PatchCallersAgain();
}

void TellInert() {
  uint32_t active = Number(AttachState::kActive);  // a forked child's stays
  __atomic_compare_exchange_n(&flopsprof_attach_status.state, &active, Number(AttachState::kInert),
                              false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

void TellForked() { SetState(AttachState::kForked); }

void* BeginSession(void*) {
  prctl(PR_SET_NAME, "flopsprof", 0, 0, 0);
  if (ThreadState* thread = CurrentThread()) thread->inside_injector = true;
  GuardForksOfAttached(TellForked);
  StartAttachedSession({Attach, DisarmLoaderHooks, TellInert});
  return nullptr;
}

}  // namespace
}  // namespace flopsprof::injector

FLOPSPROF_EXPORT int64_t flopsprof_attach(const flopsprof::shm::AttachRequest* request) {
  using namespace flopsprof::injector;  // NOLINT: the name above is C's, outside of any namespace
  using flopsprof::shm::AttachState;
  if (request->version != flopsprof::shm::kAttachVersion) {
    return flopsprof::shm::kAttachOtherVersion;
  }
  if (getauxval(AT_SECURE) != 0 || request->settings_bytes > sizeof(settings)) return -EPERM;
  uint32_t before = __atomic_load_n(&flopsprof_attach_status.state, __ATOMIC_ACQUIRE);
  if (before == Number(AttachState::kForked)) return flopsprof::shm::kAttachIsForked;
  if (before == Number(AttachState::kActive)) return flopsprof::shm::kAttachIsActive;
  // Ours by another way: preloaded, or by the driver.
  if (before == Number(AttachState::kNever) &&
      (CurrentSessionState() != SessionState::kDormant || AgentSocketPath() != nullptr)) {
    return flopsprof::shm::kAttachIsPrepared;
  }
  if (!__atomic_compare_exchange_n(&flopsprof_attach_status.state, &before,
                                   Number(AttachState::kActive), false, __ATOMIC_ACQ_REL,
                                   __ATOMIC_RELAXED)) {
    return flopsprof::shm::kAttachIsActive;
  }
  memcpy(settings, request->settings, request->settings_bytes);
  UseSettings(settings, request->settings_bytes);
  NoteImage();
  flopsprof_attach_status.sessions++;
  if (CreateOwnThread(BeginSession, nullptr)) return 0;
  SetState(static_cast<AttachState>(before));
  return -EAGAIN;
}
