// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// dlsym, dlvsym, dlopen and dlmopen of the program (entries in dl_entries.S). All of them do what
// they always did, for the same caller; dlsym answers with a door for a hooked function, dlopen
// tells caller_patch about new objects.

namespace flopsprof::injector {

// From here on dlsym answers with doors. Without it they only pass through.
void ArmLoaderHooks();

// They only pass through again, and what was written into other objects is taken back.
void DisarmLoaderHooks();

// Objects loaded from here on are patched: those of a program that was injected without
// LD_PRELOAD. With it only those that are opened RTLD_DEEPBIND are.
void FollowLoadedObjects();

}  // namespace flopsprof::injector
