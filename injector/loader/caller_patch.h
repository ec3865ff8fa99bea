// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Writes hooks into the tables of addresses (GOT) of the objects of a process, for callers that
// do not reach them by the name: all of a process that was injected without LD_PRELOAD, else
// those opened RTLD_DEEPBIND. A slot is written only if it holds the function itself or has not
// been bound yet; pages that the loader made read-only are read-only again afterwards.
//
// Threads: any, not from within the loader's list (dl_iterate_phdr). The loader's lock is held.

#include <stdint.h>

namespace flopsprof::injector {

struct CallerPatchCounts {
  uint32_t objects = 0;     // that were looked at
  uint32_t slots = 0;       // written
  uint32_t unwritable = 0;  // slots that could not be written; counted as kCallerUnseen
  uint64_t took_ns = 0;     // all walks together
  uint64_t longest_ns = 0;
};

// Patches the objects that are new since the last time.
void PatchCallers();

// Gives every slot its old value again, for good.
void RestoreCallers();

// So far.
CallerPatchCounts CountsOfCallerPatch();

}  // namespace flopsprof::injector
