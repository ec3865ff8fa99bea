// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/loader/real_function.h"

#include <dlfcn.h>

#include "injector/base/loaded_objects.h"
#include "injector/base/platform.h"
#include "injector/base/real_loader.h"
#include "injector/transport/record_sink.h"

__thread void* flopsprof_behind_door __attribute__((tls_model("initial-exec"))) = nullptr;

namespace flopsprof::injector {
namespace {

void* Foreign(void* found) { return found != nullptr && !IsOurs(found) ? found : nullptr; }

void* InScopeOf(const void* caller, const char* name) {
  Dl_info object;
  if (dladdr(caller, &object) == 0 || object.dli_fname == nullptr) return nullptr;
  void* handle = OpenLoadedLibrary(object.dli_fname);
  return handle == nullptr ? nullptr : Foreign(RealDlsym(handle, name));
}

}  // namespace

void RealFunction::Remember(const void* caller, void* function) {
  MappedObject object;
  if (!FindMappedObject(caller, &object)) return;  // code without an object
  for (Caller& place : callers_) {
    uintptr_t owner = 0;
    if (!place.begin.compare_exchange_strong(owner, object.all.begin, std::memory_order_relaxed)) {
      if (owner == object.all.begin) return;  // another thread is faster
      continue;
    }
    place.bytes = object.all.end - object.all.begin;
    place.function.store(function, std::memory_order_release);
    return;
  }
}

void* RealFunction::SearchFor(const void* caller, const char* name) const {
  void* found = InScopeOf(caller, name);
  if (found == nullptr) found = Foreign(RealDlsym(RTLD_NEXT, name));
  return found != nullptr ? found : Foreign(FindInLoadedLibrary(library_, name));
}

void* RealFunction::Search(const void* caller) {
  const ErrnoKeeper keep;
  void* found = better_ != nullptr ? SearchFor(caller, better_) : nullptr;
  if (found == nullptr) found = SearchFor(caller, name_);
  if (found == nullptr) {
    CountLoss(shm::LossCounter::kRealFunctionMissing);
    return nullptr;
  }
  Remember(caller, found);
  return found;
}

}  // namespace flopsprof::injector
