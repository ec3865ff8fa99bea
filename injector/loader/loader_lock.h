// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Work that the loader must not be in the middle of: while it runs no other thread is in dlopen or
// dlclose, so that objects neither come nor go.

namespace flopsprof::injector {

// Calls `work` with the loader's lock held, once for all threads that wanted it since the last
// time: when this returns it has been done. False: the lock cannot be had; nothing was called.
// `work` may call none of the loader's functions but a walk of mapped_objects.h.
bool RunUnderLoaderLock(void (*work)());

}  // namespace flopsprof::injector
