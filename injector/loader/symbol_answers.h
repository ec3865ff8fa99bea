// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What dlsym and dlvsym answer for a hooked name: the door to what they would have answered.

#include "injector/loader/hook_table.h"

namespace flopsprof::injector {

// One question of the program.
struct SymbolQuestion {
  void* handle;
  const char* name;
  const char* version;  // of dlvsym; nullptr: dlsym
  const void* caller;   // the return address
};

// Can it be answered here? Who asks for RTLD_DEFAULT or RTLD_NEXT has to be stood in for; where
// that cannot be, libc answers, and its answer may be our hook. Not where nothing is behind it.
bool CanAnswer(const SymbolQuestion& question);

// nullptr: there is no such function, and dlerror says so.
void* AnswerFor(const SymbolQuestion& question, const Hook& hook);

}  // namespace flopsprof::injector
