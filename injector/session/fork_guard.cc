// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/session/fork_guard.h"

#include "injector/base/mapped_objects.h"
#include "injector/session/session.h"

// What pthread_atfork calls; in libc itself since glibc 2.3.2.
extern "C" int __register_atfork(void (*prepare)(), void (*parent)(), void (*child)(), void* dso);
extern "C" void* __dso_handle;

namespace flopsprof::injector {
namespace {

void (*tell_child)() = nullptr;

void InChild() {
  ForgetWalks();
  tell_child();
}

}  // namespace

void InstallForkGuard() {
  static bool installed = false;  // only StartSession calls this, once
  if (installed) return;
  installed = true;
  __register_atfork(nullptr, nullptr, AbandonSessionInForkedChild, &__dso_handle);
}

void GuardForksOfAttached(void (*in_child)()) {
  static bool installed = false;  // one session begins at a time
  if (installed) return;
  installed = true;
  tell_child = in_child;
  __register_atfork(HoldWalks, LetWalks, InChild, &__dso_handle);
}

}  // namespace flopsprof::injector
