// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A backward node begins on the calling thread, however that was seen.

#include <stdint.h>

#include "injector/scopes/scope_stack.h"
#include "injector/scopes/scope_table.h"
#include "injector/transport/record_sink.h"

namespace flopsprof::injector {

inline void BeginBackwardNode(ThreadScopes* thread, uint64_t thread_number, uint64_t sequence) {
  thread->BeginNode(thread_number, sequence);
  if (!IsConnected()) return;
  EnsureScopeDefined(thread->CurrentScope());
  if (IsRecording()) CountBackwardNodes(1);
}

}  // namespace flopsprof::injector
