// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace flopsprof::injector {

// The readable mapping that contains an address, by /proc/self/maps. pthread_getattr_np knows the
// stacks of threads only, and allocates. False: no such mapping, or no descriptor free.
bool FindMappingAt(uintptr_t address, uintptr_t* begin, uintptr_t* end);

// One line of that file: its range, and whether it may be read. False: not such a line.
bool ParseMapping(const char* line, const char* line_end, uintptr_t* begin, uintptr_t* end,
                  bool* readable);

}  // namespace flopsprof::injector
