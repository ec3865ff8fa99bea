// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Scopes without injector/stacks and without a thread of our own.

#include "injector/stacks/stack_sampler.h"
#include "injector/transport/own_thread.h"

namespace flopsprof::injector {

void LetStacksReadPython(const PythonReader&) {}
bool RunOnOwnThread(void (*)()) { return false; }

}  // namespace flopsprof::injector
