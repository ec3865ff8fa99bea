// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// The ways out of a process that run no exit handlers. The status is never changed.

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "injector/platform.h"
#include "injector/session.h"

namespace {

using ExitFunction = void (*)(int);

[[noreturn]] void LeaveBy(const char* name, int status) {
  if (auto real = reinterpret_cast<ExitFunction>(dlsym(RTLD_NEXT, name))) real(status);
  for (;;) syscall(SYS_exit_group, status);
}

}  // namespace

FLOPSPROF_EXPORT __attribute__((noreturn)) void _exit(int status) {
  flopsprof::injector::EndSession(true);
  LeaveBy("_exit", status);
}

FLOPSPROF_EXPORT __attribute__((noreturn)) void _Exit(int status) {
  flopsprof::injector::EndSession(true);
  LeaveBy("_Exit", status);
}

FLOPSPROF_EXPORT __attribute__((noreturn)) void quick_exit(int status) {
  flopsprof::injector::EndSession(true);
  LeaveBy("quick_exit", status);
}
