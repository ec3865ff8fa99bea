// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/loader/dl_hooks.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>

#include <initializer_list>

#include "injector/base/real_loader.h"
#include "injector/loader/call_as.h"
#include "injector/loader/caller_patch.h"
#include "injector/loader/hook_table.h"
#include "injector/loader/symbol_answers.h"
#include "injector/transport/record_sink.h"

namespace flopsprof::injector {
namespace {

// Not std::atomic: in a sanitized build its functions are instrumented, and the sanitizer itself
// calls dlsym before it is ready for that.
bool armed = false;
bool following = false;
bool objects_are_new = false;  // loaded, not yet patched

FLOPSPROF_EARLY inline bool IsSet(const bool& flag) {
  return __atomic_load_n(&flag, __ATOMIC_RELAXED);
}
FLOPSPROF_EARLY inline void Set(bool* flag, bool value) {
  __atomic_store_n(flag, value, __ATOMIC_RELAXED);
}

// First in each entry: from then on dl_entries.S may jump to the real functions. False: there are
// none.
FLOPSPROF_EARLY inline bool IsReady() {
  return flopsprof_real_dlsym != nullptr || FindRealLoader();
}

// As first thing in dlsym, where no dlopen could do it.
FLOPSPROF_EARLY inline void PatchObjectsThatAreNew() {
  if (FLOPSPROF_UNLIKELY(IsSet(objects_are_new)) &&
      __atomic_exchange_n(&objects_are_new, false, __ATOMIC_RELAXED)) {
    PatchCallers();
  }
}

}  // namespace

void ArmLoaderHooks() { Set(&armed, true); }

void DisarmLoaderHooks() {
  Set(&armed, false);
  RestoreCallers();
}

void FollowLoadedObjects() { Set(&following, true); }

}  // namespace flopsprof::injector

// What dl_entries.S calls: flopsprof_before_... decides, flopsprof_answer_... answers in place of
// the real function.
#define FLOPSPROF_ENTRY extern "C" __attribute__((visibility("hidden")))

using namespace flopsprof::injector;  // NOLINT: the names below are C's, outside of any namespace

// The hook of the name, if flopsprof_answer_dlsym is to be called; else nullptr.
FLOPSPROF_ENTRY FLOPSPROF_EARLY const Hook* flopsprof_before_dlsym(void* handle, const char* name,
                                                                   const void* caller) {
  if (!IsReady() || !IsSet(armed)) return nullptr;
  PatchObjectsThatAreNew();
  const Hook* hook = name == nullptr ? nullptr : FindHook(name);
  if (hook == nullptr || hook->is_plain != 0) return nullptr;
  return CanAnswer({handle, name, nullptr, caller}) ? hook : nullptr;
}

// Another tool in front of us asks for its next dlsym with libc's version, which ours has not got.
// Without the version it finds us, and the chain is whole.
FLOPSPROF_ENTRY FLOPSPROF_EARLY bool flopsprof_is_about_dlsym(void* handle, const char* name) {
  if (handle != RTLD_NEXT || name == nullptr || !BeginsWith(name, "dl") || !IsReady()) return false;
  for (const char* ours : {"dlsym", "dlvsym", "dlopen", "dlmopen"}) {
    if (SameText(name, ours)) return true;
  }
  return false;
}

FLOPSPROF_ENTRY void* flopsprof_answer_dlsym(void* handle, const char* name, const Hook* hook,
                                             const void* caller) {
  return AnswerFor({handle, name, nullptr, caller}, *hook);
}

FLOPSPROF_ENTRY void* flopsprof_answer_dlvsym(void* handle, const char* name, const char* version,
                                              const Hook* hook, const void* caller) {
  return AnswerFor({handle, name, version, caller}, *hook);
}

// Is flopsprof_answer_dlopen to be called? Where nobody can stand in for the caller its objects are
// patched later.
FLOPSPROF_ENTRY FLOPSPROF_EARLY bool flopsprof_before_dlopen(const char* file, int mode,
                                                             const void* caller) {
  if (!IsReady() || !IsSet(armed)) return false;
  if (file == nullptr || (mode & RTLD_NOLOAD) != 0) return false;
  if (!IsSet(following) && (mode & RTLD_DEEPBIND) == 0) return false;
  if (FindReturnFor(caller) != nullptr) return true;
  Set(&objects_are_new, true);
  return false;
}

FLOPSPROF_ENTRY void* flopsprof_answer_dlopen(const char* file, intptr_t mode, const void* caller) {
  void* const handle = CallAs(FindReturnFor(caller), reinterpret_cast<void*>(flopsprof_real_dlopen),
                              file, reinterpret_cast<void*>(mode), nullptr);
  // After a failure the program asks dlerror, which another call of the loader would clear.
  if (handle != nullptr) PatchCallers();
  return handle;
}

FLOPSPROF_ENTRY FLOPSPROF_EARLY void flopsprof_before_dlmopen(Lmid_t space) {
  if (!IsReady() || !IsSet(armed)) return;
  if (space != LM_ID_BASE) {
    CountLoss(flopsprof::shm::LossCounter::kNamespaceUnseen);
  } else if (IsSet(following)) {
    Set(&objects_are_new, true);
  }
}
