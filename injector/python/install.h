// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// When modules and backward nodes begin and cease to be followed. The session calls it; what is
// installed lies in the other files of this room.

namespace flopsprof::injector {

// Called once by the session when it begins to record (any thread, CUDA may be initialising):
// schedules the installation of the module hook and the backward callback in Python's main
// thread when this process runs Python. Returns at once.
void BeginScopes();

// Called by the session in its helper thread once a second: retries what had to wait
// (torch not imported yet); where Python's main thread does nothing, on a thread for it alone.
void TickScopes();

// Called by the session when it ends, not from a signal handler: says what never came.
void SettleScopes();

// Takes the hooks out again (detach); calls in flight unwind by themselves.
void EndScopes();

// In the child of a fork: touches nothing shared, forgets everything.
void ForgetScopesInForkedChild();

// False before BeginScopes, after EndScopes and in a forked child: hooks only pass through.
bool ScopesEnabled();

// There are no module names: counts kModuleHookRefused and notes why.
void RefuseModules(const char* reason);
bool ModulesRefused();

}  // namespace flopsprof::injector
