// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/loader/dl_hooks.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>

#include <initializer_list>

#include "injector/base/loaded_objects.h"
#include "injector/base/real_loader.h"
#include "injector/loader/caller_patch.h"
#include "injector/loader/doors.h"
#include "injector/loader/hook_table.h"
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

// CUDA's own lower layers find each other by dlsym. What they call is not the program's call.
bool IsBelowTheHooks(const void* caller) {
  Dl_info object;
  return dladdr(caller, &object) != 0 && object.dli_fname != nullptr &&
         IsDriverLayer(object.dli_fname);
}

FLOPSPROF_EARLY bool IsForTheCallersScope(const void* handle) {
  return handle == RTLD_DEFAULT || handle == RTLD_NEXT;
}

void* Answer(const Hook& hook, void* function, const void* caller) {
  if (function == nullptr) return nullptr;
  if (IsOurs(function)) {
    // Preloaded we are in the program's scope. Where we stand in front of nothing, there is
    // nothing.
    return AnyOtherObjectDefines(hook.name) ? function : NotFoundByDlsym(hook.name);
  }
  if (IsBelowTheHooks(caller)) return function;
  void* door = DoorTo(hook, function);
  if (door != nullptr) return door;
  CountLoss(shm::LossCounter::kCallerUnseen);
  return function;
}

// Processes with user shadow stacks do not let a return address be chosen.
bool HasShadowStack() {
  uint64_t pointer = 0;
  asm volatile("rdsspq %0" : "+r"(pointer));  // leaves it as it is where there is none
  return pointer != 0;
}

// For flopsprof_call_as; nullptr: the caller cannot be stood in for.
const void* ReturnFor(const void* caller) {
  return HasShadowStack() ? nullptr : FindReturnIn(caller);
}

}  // namespace

void ArmLoaderHooks() { Set(&armed, true); }

void DisarmLoaderHooks() {
  Set(&armed, false);
  RestoreCallers();
}

void FollowLoadedObjects() { Set(&following, true); }

}  // namespace flopsprof::injector

extern "C" void* flopsprof_call_as(void* function, const void* a, const void* b, const void* c,
                                   const void* ret) __attribute__((visibility("hidden")));

// What dl_entries.S calls.
extern "C" {

using flopsprof::injector::Hook;

__attribute__((visibility("hidden"))) FLOPSPROF_EARLY const Hook* flopsprof_before_dlsym(
    void* handle, const char* name, const void* caller) {
  using namespace flopsprof::injector;  // NOLINT: one function
  if (flopsprof_real_dlsym == nullptr && !FindRealLoader()) return nullptr;
  if (!IsSet(armed)) return nullptr;
  if (FLOPSPROF_UNLIKELY(IsSet(objects_are_new)) &&
      __atomic_exchange_n(&objects_are_new, false, __ATOMIC_RELAXED)) {
    PatchCallers();
  }
  const Hook* hook = name == nullptr ? nullptr : FindHook(name);
  if (hook == nullptr || hook->is_plain != 0) return nullptr;
  if (!IsForTheCallersScope(handle) || ReturnFor(caller) != nullptr) return hook;
  // Without a way to ask on the caller's behalf libc answers, and its answer may be our hook. Not
  // where there is nothing behind it.
  return IsPreloaded() && !AnyOtherObjectDefines(name) ? hook : nullptr;
}

// Another tool in front of us asks for its next dlsym with libc's version, which ours has not got.
// Without the version it finds us, and the chain is whole.
__attribute__((visibility("hidden"))) FLOPSPROF_EARLY bool flopsprof_is_about_dlsym(
    void* handle, const char* name) {
  using namespace flopsprof::injector;  // NOLINT: one function
  if (handle != RTLD_NEXT || name == nullptr || !BeginsWith(name, "dl")) return false;
  if (flopsprof_real_dlsym == nullptr && !FindRealLoader()) return false;
  for (const char* ours : {"dlsym", "dlvsym", "dlopen", "dlmopen"}) {
    if (SameText(name, ours)) return true;
  }
  return false;
}

__attribute__((visibility("hidden"))) void* flopsprof_answer_dlsym(void* handle, const char* name,
                                                                   const Hook* hook,
                                                                   const void* caller) {
  using namespace flopsprof::injector;  // NOLINT: one function
  if (!IsForTheCallersScope(handle)) {
    return Answer(*hook, flopsprof_real_dlsym(handle, name), caller);
  }
  const void* ret = ReturnFor(caller);
  if (ret == nullptr) return NotFoundByDlsym(name);
  auto* const real = reinterpret_cast<void*>(flopsprof_real_dlsym);
  return Answer(*hook, flopsprof_call_as(real, handle, name, nullptr, ret), caller);
}

__attribute__((visibility("hidden"))) void* flopsprof_answer_dlvsym(void* handle, const char* name,
                                                                    const char* version,
                                                                    const Hook* hook,
                                                                    const void* caller) {
  using namespace flopsprof::injector;  // NOLINT: one function
  if (!IsForTheCallersScope(handle)) {
    return Answer(*hook, flopsprof_real_dlvsym(handle, name, version), caller);
  }
  const void* ret = ReturnFor(caller);
  if (ret == nullptr) return NotFoundByDlsym(name);
  auto* const real = reinterpret_cast<void*>(flopsprof_real_dlvsym);
  return Answer(*hook, flopsprof_call_as(real, handle, name, version, ret), caller);
}

__attribute__((visibility("hidden"))) FLOPSPROF_EARLY bool flopsprof_before_dlopen(
    const char* file, int mode, const void* caller) {
  using namespace flopsprof::injector;  // NOLINT: one function
  if (flopsprof_real_dlsym == nullptr && !FindRealLoader()) return false;
  if (!IsSet(armed)) return false;
  if (file == nullptr || (mode & RTLD_NOLOAD) != 0) return false;
  if (!IsSet(following) && (mode & RTLD_DEEPBIND) == 0) return false;
  if (ReturnFor(caller) != nullptr) return true;
  Set(&objects_are_new, true);
  return false;
}

__attribute__((visibility("hidden"))) void* flopsprof_answer_dlopen(const char* file, intptr_t mode,
                                                                    const void* caller) {
  using namespace flopsprof::injector;  // NOLINT: one function
  auto* const real = reinterpret_cast<void*>(flopsprof_real_dlopen);
  void* const handle =
      flopsprof_call_as(real, file, reinterpret_cast<void*>(mode), nullptr, ReturnFor(caller));
  // After a failure the program asks dlerror, which another call of the loader would clear.
  if (handle != nullptr) PatchCallers();
  return handle;
}

__attribute__((visibility("hidden"))) FLOPSPROF_EARLY void flopsprof_before_dlmopen(Lmid_t space) {
  using namespace flopsprof::injector;  // NOLINT: one function
  if (flopsprof_real_dlsym == nullptr && !FindRealLoader()) return;
  if (!IsSet(armed)) return;
  if (space != LM_ID_BASE) {
    CountLoss(flopsprof::shm::LossCounter::kNamespaceUnseen);
  } else if (IsSet(following)) {
    Set(&objects_are_new, true);
  }
}

}  // extern "C"
