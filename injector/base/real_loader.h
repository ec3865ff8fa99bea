// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The loader's functions behind our own dlsym, dlvsym, dlopen and dlmopen. All code of the injector
// that looks up a symbol of a hooked library uses these; our dlsym would return our own hook.

#include <link.h>

extern "C" {
// The next function in the chain after ours: another tool's, or libc's. nullptr until
// FindRealLoader.
extern void* (*flopsprof_real_dlsym)(void* handle, const char* name);
extern void* (*flopsprof_libc_dlsym)(void* handle, const char* name);  // the last of the chain
extern void* (*flopsprof_real_dlvsym)(void* handle, const char* name, const char* version);
extern void* (*flopsprof_real_dlopen)(const char* file, int mode);
extern void* (*flopsprof_real_dlmopen)(Lmid_t space, const char* file, int mode);
}

namespace flopsprof::injector {

// Fills the above. May run before any constructor, on any thread, and calls nothing but dlsym
// of libc. False: there is no such libc.
bool FindRealLoader();

// libc's dlsym, for the injector's own use; no other tool sees it. `handle` may be RTLD_DEFAULT or
// RTLD_NEXT, as seen from here.
void* RealDlsym(void* handle, const char* name);

// The answer for a name of a hooked library that no object defines: returns null, and dlerror has
// the message.
void* NotFoundByDlsym(const char* name);

// Was this library loaded by LD_PRELOAD, so that the names that it exports come first?
bool IsPreloaded();

}  // namespace flopsprof::injector
