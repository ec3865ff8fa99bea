// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The C functions that the Python shim calls: builtins made from static method definitions.

#include "injector/python/python_api.h"

namespace flopsprof::injector {

// Adds them all to a dict. False: a Python error is set.
bool AddNativeFunctions(PyObject* names);

}  // namespace flopsprof::injector
