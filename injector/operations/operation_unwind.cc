// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// An exception that leaves an operation closes it (README.md, "Exceptions").

#include <stdint.h>

#include "injector/operations/operation_scope.h"

// The personality of the frames of all hooks (FLOPSPROF_UNWINDS): the unwinder calls it for the
// frame of a hook that an exception leaves. It never stops one.
extern "C" __attribute__((visibility("hidden"), used)) int flopsprof_operation_unwinds(
    int, int actions, uint64_t, void*, void*) {
  constexpr int kCleanupPhase = 2;    // _UA_CLEANUP_PHASE
  constexpr int kContinueUnwind = 8;  // _URC_CONTINUE_UNWIND
  if ((actions & kCleanupPhase) != 0) flopsprof::injector::AbandonOperation();
  return kContinueUnwind;
}
