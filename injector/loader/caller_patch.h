// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Writes doors into the tables of addresses (GOT) of objects whose calls do not reach our hooks by
// name. In a process that was injected without LD_PRELOAD these are all objects; otherwise, those
// opened with RTLD_DEEPBIND. A slot is written only if it holds the function itself or has not been
// bound yet; pages that the loader made read-only are read-only again afterwards.
//
// Threads: any, but not inside a callback of dl_iterate_phdr. The loader's lock is held meanwhile.

namespace flopsprof::injector {

// Patches the objects that are new since the last time.
void PatchCallers();

// Gives every slot its old value again. From then on PatchCallers does nothing.
void RestoreCallers();

// Patches all objects as at the first time, after RestoreCallers too.
void PatchCallersAgain();

}  // namespace flopsprof::injector
