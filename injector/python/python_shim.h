// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The pure-Python part (injector/shims/python/embedded), compiled into the library and run in
// module objects of its own. It knows what only Python knows; module names, phases and counts do
// not need it. All functions need Python's lock; a failure of the shim is counted and noted once,
// never raised or printed.

#include <stdint.h>

#include "injector/python/python_api.h"

namespace flopsprof::injector {

// True: the shim runs. Call once, with torch fully imported.
bool InstallShim();

// [root, name, module, name, module ...] down to `module` (new reference); None: the module is
// no module of the user's; null: not known.
PyObject* AskShimForChain(PyObject* module, bool outermost);

// Sends ModuleRecords of everything in a root. True: complete; false: ask again later.
bool LetShimDescribe(PyObject* root, uint32_t root_scope);

// Sees module calls without the vectorcall hook, which did not fit for `reason` (null: was not
// tried). `way`: the only one to try, or null. The shim notes what it does, and counts
// kModuleHookRefused when nothing is left. False: the shim does not run.
bool LetShimFollowModules(const char* way, const char* reason);

// (text of the shapes, flops or None, reason), new reference: what the program's formula for `name`
// says of these arguments. `named`: a dict, or null. Null: not known.
PyObject* AskShimForWork(PyObject* name, PyObject* arguments, PyObject* named);

bool AskShimForOptimizer();
void TellShimFirstCall();
void LetShimUninstall();
// Python has ended: what it was is gone, and is not touched.
void ForgetShim();

// Counts kShimFailed and notes the first reason.
void OnShimFailure(const char* reason);

}  // namespace flopsprof::injector
