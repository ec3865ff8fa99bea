// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Python functions on the calling thread's stack, for stacks to show. Who can read them
// (python/python_frames.cc) gives them to LetStacksReadPython (stack_sampler.h); without it stacks
// are native ones only.

#include <stddef.h>
#include <stdint.h>

namespace flopsprof::injector {

struct PythonFrame {
  uintptr_t code;  // code object: alive now, its address may be used again
  uintptr_t mark;  // differs for another code object at the same address
};

// Texts of a code object on the calling thread's stack, as UTF-8 and cut to their room.
struct PythonCode {
  char name[256];
  char file[512];
  size_t name_bytes;
  size_t file_bytes;
  uint32_t line;  // first line
};

struct PythonReader {
  // With Python's lock, in a thread that runs Python code. Null: frames can be read from now on.
  // Else one line that says why not. Once is enough.
  const char* (*prepare)();
  // Where the interpreter's loop begins, the function that all Python code runs in; 0 = not known.
  uintptr_t (*loop)();
  // Innermost first. `cut`: there are more. 0 for a thread that runs no Python.
  uint32_t (*read)(PythonFrame* frames, uint32_t capacity, bool* cut);
  void (*describe)(uintptr_t code, PythonCode* description);
};

// Who reads Python's frames; nullptr: nobody can, or not yet.
const PythonReader* ReaderOfPython();

}  // namespace flopsprof::injector
