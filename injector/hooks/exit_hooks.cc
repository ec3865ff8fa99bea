// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// The ways out of a process that run no exit handlers. The status is never changed.

#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "injector/base/platform.h"
#include "injector/base/real_loader.h"
#include "injector/transport/session_calls.h"

namespace {

using ExitFunction = void (*)(int);

// Found while loading: these calls may come from a signal handler, or while another thread holds
// the loader's lock for ever, when dlsym would wait for it.
ExitFunction real_exit_now = nullptr;
ExitFunction real_Exit_now = nullptr;
ExitFunction real_quick_exit = nullptr;

using flopsprof::injector::RealDlsym;

ExitFunction Next(const char* name) {
  return reinterpret_cast<ExitFunction>(RealDlsym(RTLD_NEXT, name));
}

__attribute__((constructor)) void FindRealFunctions() {
  real_exit_now = Next("_exit");
  real_Exit_now = Next("_Exit");
  real_quick_exit = Next("quick_exit");
}

[[noreturn]] void LeaveBy(ExitFunction real, int status) {
  if (real != nullptr) real(status);
  for (;;) syscall(SYS_exit_group, status);
}

}  // namespace

FLOPSPROF_EXPORT __attribute__((noreturn)) void _exit(int status) {
  flopsprof::injector::EndSession(true);
  LeaveBy(real_exit_now, status);
}

FLOPSPROF_EXPORT __attribute__((noreturn)) void _Exit(int status) {
  flopsprof::injector::EndSession(true);
  LeaveBy(real_Exit_now, status);
}

FLOPSPROF_EXPORT __attribute__((noreturn)) void quick_exit(int status) {
  flopsprof::injector::EndSession(true);
  LeaveBy(real_quick_exit, status);
}
