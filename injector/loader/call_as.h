// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Calls a function of the loader so that it believes that another object calls. libc looks at its
// return address to know who asks: RTLD_NEXT, RTLD_DEFAULT, RUNPATH and $ORIGIN depend on it. So
// the return address that it sees is a `ret` instruction in that object, which leads back to us.

namespace flopsprof::injector {

// For CallAs: a `ret` in the object that holds the address `caller`, with nothing pushed since its
// function began. nullptr: nobody can stand in for that caller.
const void* FindReturnFor(const void* caller);

// function(a, b, c), which sees `ret` as its return address; fewer arguments: nullptr.
void* CallAs(const void* ret, void* function, const void* a, const void* b, const void* c);

}  // namespace flopsprof::injector
