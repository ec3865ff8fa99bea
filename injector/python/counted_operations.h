// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Operations that the program has a formula for (flopsprof.formula). A callable stands in front of
// the operation's own and remembers what the formula said of the same arguments, so that Python
// code of ours runs once for each combination of them only. Everything needs Python's lock.

#include "injector/python/python_api.h"

namespace flopsprof::injector {

// A callable that runs `real` and counts its work under `name`; new reference, null with an
// exception. Several may have one name.
PyObject* NewCountedOperation(PyObject* name, PyObject* real);

// The formula of that name is another one now.
void ForgetFormula(PyObject* name);

// Python has ended: what it was is gone, and is not touched.
void ForgetCountedOperations();

}  // namespace flopsprof::injector
