// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The life of the injector in one process: dormant -> connecting -> recording -> draining ->
// dead. Where the agent goes: recording -> away -> recording, with another one, else dead. It
// begins with the first sign of GPU work (InitializeInjection, or the first hooked call); until
// then there is no thread, socket or file. It never begins without FLOPSPROF_SOCKET. What hooks and
// callbacks ask of it is declared in transport/session_calls.h.

#include "injector/transport/session_calls.h"

namespace flopsprof::injector {

// The library was loaded, by this image of the program: now, if that was not noted before.
void NoteImage();

// What else is undone when the agent has gone and the program runs on.
void SetDetachAction(void (*action)());

// What a late attach brings; in the order in which they are called.
struct AttachActions {
  void (*attach)();  // on the helper thread, once an agent is there
  void (*detach)();  // SetDetachAction's
  void (*inert)();   // last of all, on the helper thread; or at once where it cannot be made
};

// On a thread of our own: the first session of a process, or one more after the end of the last.
void StartAttachedSession(const AttachActions& actions);

// In the child of a fork: no thread, no record, no counter.
void AbandonSessionInForkedChild();

}  // namespace flopsprof::injector
