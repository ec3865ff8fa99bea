// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sees every call of an nn.Module: replaces the vectorcall pointer inside the function object
// torch.nn.Module._call_impl. Python sees the same function, code and class, so compilers, tracers
// and pickling behave as without it. All functions but ModuleHookIsInstalled need Python's lock.

namespace flopsprof::injector {

// False: torch is not, or not fully, imported.
bool TorchIsReady();

// Finds the pointer by its value, replaces it and tests itself with a call. False: `reason` is set
// and nothing is touched.
bool InstallModuleHook(const char** reason);

bool ModuleHookIsInstalled();

// Calls in flight end by themselves.
void UninstallModuleHook();

// Python has ended: what it was is gone, and is not touched.
void ForgetModuleHook();

}  // namespace flopsprof::injector
