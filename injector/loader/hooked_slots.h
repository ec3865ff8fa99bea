// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Decides which slots of an object are for hooks: those in which the loader writes the address of a
// hooked function. Reads the object's tables and changes nothing; what is written into a slot is
// slot_values' decision, and patched_slots writes it.

#include <stddef.h>
#include <stdint.h>

#include "injector/base/elf_tables.h"
#include "injector/loader/hook_table.h"

namespace flopsprof::injector {

// FindHook of hook_table.h, or a test's.
using HookFinder = const Hook* (*)(const char* name);

struct HookedSlot {
  void** place;
  const Hook* hook;
};

// Room for one object's search.
struct SlotSearch {
  static constexpr size_t kMaxAsked = 4096;
  static constexpr size_t kMaxSlots = 32768;

  // A hooked function that the object asks for, ascending by symbol.
  struct Asked {
    uint32_t symbol;
    const Hook* hook;
  };
  Asked asked[kMaxAsked];
  size_t asked_count;
  HookedSlot slots[kMaxSlots];  // what was found
  size_t slot_count;
  size_t missed;  // functions and slots that had no room
};

// Fills `search` in, whatever is in it.
void FindHookedSlots(const ElfTables& tables, HookFinder find_hook, SlotSearch* search);

}  // namespace flopsprof::injector
