// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The hooks of dlsym, dlvsym, dlopen and dlmopen (entries in dl_entries.S). Each passes the call to
// the real function, which sees the same caller. For a hooked function dlsym returns a door. dlopen
// tells caller_patch about new objects.

namespace flopsprof::injector {

// From this call on dlsym returns doors. Before it all hooks only pass through.
void ArmLoaderHooks();

// From this call on the hooks only pass through again. Restores what was written into other
// objects.
void DisarmLoaderHooks();

// From this call on all newly loaded objects are patched; for a program that was injected without
// LD_PRELOAD. Without this call only objects opened with RTLD_DEEPBIND are.
void FollowLoadedObjects();

}  // namespace flopsprof::injector
