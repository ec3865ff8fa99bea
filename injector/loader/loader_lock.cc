// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/loader/loader_lock.h"

#include <dlfcn.h>

#include <atomic>

#include "injector/base/loaded_objects.h"
#include "injector/base/real_loader.h"

namespace flopsprof::injector {
namespace {

std::atomic<void (*)()> wanted{nullptr};

// A handle of this library, whatever its path is.
void* OpenThisLibrary() {
  Dl_info ours;
  return dladdr(reinterpret_cast<const void*>(&OpenThisLibrary), &ours) == 0
             ? nullptr
             : OpenLoadedLibrary(ours.dli_fname);
}

}  // namespace

bool RunUnderLoaderLock(void (*work)()) {
  static void* const self = OpenThisLibrary();
  if (self == nullptr) return false;
  wanted.store(work, std::memory_order_relaxed);
  // Whoever comes first does it; who comes later waits for the lock, and then it is done.
  RealDlsym(self, "flopsprof_under_loader_lock");
  return true;
}

}  // namespace flopsprof::injector

// Called by the resolver in loader_lock.S.
extern "C" __attribute__((visibility("hidden"))) void flopsprof_work_under_loader_lock() {
  auto* const work = flopsprof::injector::wanted.exchange(nullptr, std::memory_order_relaxed);
  if (work != nullptr) work();
}
