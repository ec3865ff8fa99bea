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

  // Address of a function that this object defines; 0: it does not. Names have no version here:
  // of several versions, one of them.
  uintptr_t FindFunction(const char* name) const;

  // One more than the last symbol that is known to exist; 0: nothing is known. A relocation may
  // name a later one: linkers leave undefined symbols out of the hash table, most before the
  // defined ones, some among them.
  uint32_t KnownEnd() const;
};

bool SameText(const char* a, const char* b);
bool BeginsWith(const char* text, const char* prefix);

// The part of a path after its last slash.
const char* FileName(const char* path);

}  // namespace flopsprof::injector
