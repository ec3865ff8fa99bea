// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The dynamic tables of a mapped object, as the loader uses them: symbols, their hash tables,
// relocations. Reads memory only and calls nothing, not even libc: it also runs before the
// program's sanitizer or allocator is ready.

#include <link.h>
#include <stddef.h>
#include <stdint.h>

namespace flopsprof::injector {

struct ElfTables {
  uintptr_t base = 0;
  const char* strings = nullptr;
  const ElfW(Sym) * symbols = nullptr;
  const uint32_t* gnu_hash = nullptr;
  const uint32_t* sysv_hash = nullptr;
  const ElfW(Rela) * plt_relocations = nullptr;  // DT_JMPREL
  size_t plt_relocation_count = 0;
  const ElfW(Rela) * relocations = nullptr;  // DT_RELA after its relative ones
  size_t relocation_count = 0;

  // False: no symbols.
  bool Read(uintptr_t load_base, const ElfW(Dyn) * dynamic);

  // Address of a function that this object defines; 0: it defines none. Versions are ignored: of
  // several versions of a name, any one is found.
  uintptr_t FindFunction(const char* name) const;

  // The slot through which this object calls a function of that name (JUMP_SLOT); nullptr: none.
  void** FindLinkageSlot(const char* function) const;

  const char* NameOf(uint32_t symbol) const { return strings + symbols[symbol].st_name; }

  // One more than the last symbol that is known to exist; 0: nothing is known. A relocation may
  // name a later symbol, because linkers leave undefined symbols out of the hash table. Most of
  // these are before the defined symbols, some among them.
  uint32_t KnownEnd() const;
};

// The symbol whose plain address the loader writes to the relocation's slot (x86-64: JUMP_SLOT,
// GLOB_DAT, an address without addend). 0: the relocation is of another kind.
inline uint32_t SymbolInSlot(const ElfW(Rela) & relocation) {
  const auto type = ELF64_R_TYPE(relocation.r_info);
  const bool holds_address = type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT ||
                             (type == R_X86_64_64 && relocation.r_addend == 0);
  return holds_address ? static_cast<uint32_t>(ELF64_R_SYM(relocation.r_info)) : 0;
}

bool SameText(const char* a, const char* b);
bool BeginsWith(const char* text, const char* prefix);

// The part of a path after its last slash.
const char* FileName(const char* path);

}  // namespace flopsprof::injector
