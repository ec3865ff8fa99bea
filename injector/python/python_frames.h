// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Python functions on the calling thread's stack. Operators run without Python's lock, and nothing
// of Python's interface may be called there: the frames are read as they lie in memory. They are
// the thread's own, which nobody else changes while it runs C code, and what they refer to lives as
// long as they do. Layouts differ by version: PreparePythonFrames compares what it reads with what
// Python says, and refuses when they differ.

#include <stddef.h>
#include <stdint.h>

#include "injector/stacks/python_reader.h"

namespace flopsprof::injector {

// With Python's lock, in a thread that runs Python code. Null: frames can be read from now on. Else
// one line that says why not. Once is enough.
const char* PreparePythonFrames();
bool PythonFramesAreReadable();

// Where the interpreter's loop begins, the function that all Python code runs in; 0 = not known.
uintptr_t PythonLoop();

// Innermost first. `cut`: there are more. 0 for a thread that runs no Python.
uint32_t ReadPythonFrames(PythonFrame* frames, uint32_t capacity, bool* cut);

// Texts of a code object on the calling thread's stack.
void DescribePythonCode(uintptr_t code, PythonCode* description);

// All of the above, for stacks.
extern const PythonReader kPythonFrames;

}  // namespace flopsprof::injector
