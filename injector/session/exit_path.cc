// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/session/exit_path.h"

#include "injector/session/session.h"

extern "C" int __cxa_atexit(void (*function)(void*), void* argument, void* dso);
extern "C" void* __dso_handle;

namespace flopsprof::injector {

void InstallExitPath() {
  // Handlers run last in, first out. This one is installed after CUDA began to initialise, hence
  // it runs before the CUDA libraries' own, while they can still be flushed.
  __cxa_atexit([](void*) { EndSession(false); }, nullptr, &__dso_handle);
}

}  // namespace flopsprof::injector
