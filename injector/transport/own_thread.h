// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Threads of the injector's own: detached, with all signals blocked.

namespace flopsprof::injector {

// Runs `run(argument)` on a new thread, whose state (thread_state.h) it makes itself. False: no
// thread.
bool CreateOwnThread(void* (*run)(void*), void* argument);

// Runs one action, which may wait for long, on a thread that ends with it. False: no thread.
bool RunOnOwnThread(void (*action)());

}  // namespace flopsprof::injector
