// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What happens when a call of an nn.Module begins, in whatever way the call was seen: its scope is
// found and entered on the thread's stack, and an outermost call may begin a step.

#include <stdint.h>

#include "injector/python/python_api.h"

namespace flopsprof::injector {

// Needs Python's lock. The result is the depth to hand to ThreadScopes::Leave(): the thread's depth
// before the call, or ThreadScopes::kRefused.
uint32_t EnterModuleCall(PyObject* module);

// The same of a module whose compiled call (Module.compile()) does not come by the hook. When its
// graph breaks it is called once more inside, by the hook: that is no second call.
uint32_t EnterCompiledInPlace(PyObject* module);

// After the outermost call: a root that got modules in it is described again, that their sizes are
// known also when it is not called any more.
void DescribeLateModules();

// Python has ended: what it was is gone, and is not touched.
void ForgetFirstCall();

}  // namespace flopsprof::injector
