// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// All hooks by name. The table and its hash index are generated from api_table.toml
// (generate_hooks.py TABLE table). They are written in assembler, so that the table has our own
// addresses even if the process has other definitions of the names.

#include <stdint.h>

#include "injector/base/elf_tables.h"
#include "injector/base/platform.h"

namespace flopsprof::injector {

struct Hook {
  const char* name;
  void* entry;
  // 1: a hook of a libc function. It is entered directly, never through a door, and dlsym does not
  // return it.
  uint64_t is_plain;
};

}  // namespace flopsprof::injector

extern "C" {
extern const flopsprof::injector::Hook flopsprof_hooks[] __attribute__((visibility("hidden")));
extern const uint16_t flopsprof_hook_index[] __attribute__((visibility("hidden")));
extern const uint32_t flopsprof_hook_index_mask __attribute__((visibility("hidden")));
}

namespace flopsprof::injector {

// False for nearly all names in a process that have no hook; it looks at two letters only. The
// generator refuses a table with a name for which this would be false.
FLOPSPROF_EARLY inline bool MayBeHooked(const char* name) {
  switch (name[0]) {
    case 'c':
      return name[1] == 'u';
    case 'n':
      return name[1] == 'c';
    case 'd':
      return name[1] == 'l';
    case '_':
      return name[1] == 'e' || name[1] == 'E';
    case 'q':
      return name[1] == 'u';
    default:
      return false;
  }
}

// The hook of a function; nullptr: it has none.
FLOPSPROF_EARLY inline const Hook* FindHook(const char* name) {
  if (!MayBeHooked(name)) return nullptr;
  uint32_t hash = 2166136261u;  // FNV-1a, as in the generator
  for (const char* c = name; *c != '\0'; ++c) hash = (hash ^ static_cast<uint8_t>(*c)) * 16777619u;
  for (uint32_t at = hash & flopsprof_hook_index_mask;; at = (at + 1) & flopsprof_hook_index_mask) {
    const uint16_t number = flopsprof_hook_index[at];
    if (number == 0) return nullptr;
    if (SameText(flopsprof_hooks[number - 1].name, name)) return &flopsprof_hooks[number - 1];
  }
}

}  // namespace flopsprof::injector
