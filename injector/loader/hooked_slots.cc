// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/loader/hooked_slots.h"

namespace flopsprof::injector {
namespace {

// So many relocations are looked at although the object seems to ask for no hooked function: a
// linker may leave one that it asks for out of the hash table.
constexpr size_t kFewRelocations = 4096;

// Far fewer symbols are asked for than there are relocations: this is the short way to know that an
// object is of no interest, and most are.
void FindAskedHooks(const ElfTables& tables, uint32_t known_end, HookFinder find_hook,
                    SlotSearch* search) {
  for (uint32_t symbol = 1; symbol < known_end; ++symbol) {
    if (tables.symbols[symbol].st_shndx != SHN_UNDEF) continue;
    const Hook* hook = find_hook(tables.NameOf(symbol));
    if (hook == nullptr) continue;
    if (search->asked_count == SlotSearch::kMaxAsked) {
      ++search->missed;
      return;
    }
    search->asked[search->asked_count++] = {symbol, hook};
  }
}

// Of a symbol that is known; nullptr: none was asked for by it.
const Hook* FindAskedHook(const SlotSearch& search, uint32_t symbol) {
  size_t begin = 0;
  size_t end = search.asked_count;
  while (begin < end) {
    const size_t middle = (begin + end) / 2;
    const SlotSearch::Asked& asked = search.asked[middle];
    if (asked.symbol == symbol) return asked.hook;
    if (asked.symbol < symbol) {
      begin = middle + 1;
    } else {
      end = middle;
    }
  }
  return nullptr;
}

void AddSlot(void** place, const Hook* hook, SlotSearch* search) {
  if (search->slot_count == SlotSearch::kMaxSlots) {
    ++search->missed;
    return;
  }
  search->slots[search->slot_count++] = {place, hook};
}

}  // namespace

void FindHookedSlots(const ElfTables& tables, HookFinder find_hook, SlotSearch* search) {
  search->asked_count = search->slot_count = search->missed = 0;
  const uint32_t known_end = tables.KnownEnd();
  FindAskedHooks(tables, known_end, find_hook, search);
  // An object that defines nothing has an empty hash table, which does not tell of its symbols.
  const bool asks = search->asked_count > 0 || known_end <= 1;
  const auto look_at = [&](const ElfW(Rela) * relocation, size_t count) {
    if (!asks && count > kFewRelocations) return;
    for (; count > 0; --count, ++relocation) {
      const uint32_t symbol = SymbolInSlot(*relocation);
      if (symbol == 0) continue;
      const Hook* hook =
          symbol >= known_end ? find_hook(tables.NameOf(symbol)) : FindAskedHook(*search, symbol);
      if (hook == nullptr) continue;
      AddSlot(reinterpret_cast<void**>(tables.base + relocation->r_offset), hook, search);
    }
  };
  look_at(tables.plt_relocations, tables.plt_relocation_count);
  look_at(tables.relocations, tables.relocation_count);
}

}  // namespace flopsprof::injector
