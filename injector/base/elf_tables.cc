// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/base/elf_tables.h"

#include "injector/base/platform.h"

namespace flopsprof::injector {
namespace {

// ELF's two hash functions (System V gABI; GNU: Bernstein's).
FLOPSPROF_EARLY uint32_t GnuHashOf(const char* name) {
  uint32_t hash = 5381;
  for (; *name != '\0'; ++name) hash = hash * 33 + static_cast<uint8_t>(*name);
  return hash;
}

FLOPSPROF_EARLY uint32_t SysvHashOf(const char* name) {
  uint32_t hash = 0;
  for (; *name != '\0'; ++name) {
    hash = (hash << 4) + static_cast<uint8_t>(*name);
    const uint32_t high = hash & 0xf0000000u;
    hash = (hash ^ (high >> 24)) & ~high;
  }
  return hash;
}

FLOPSPROF_EARLY uintptr_t FunctionOf(const ElfTables& tables, uint32_t index, const char* name) {
  const auto& symbol = tables.symbols[index];
  if (symbol.st_shndx == SHN_UNDEF || symbol.st_value == 0) return 0;
  if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC) return 0;
  return SameText(tables.strings + symbol.st_name, name) ? tables.base + symbol.st_value : 0;
}

// The fields of DT_GNU_HASH.
struct GnuHash {
  uint32_t bucket_count, first_symbol, bloom_words;
  const uint32_t* buckets;
  const uint32_t* chains;

  FLOPSPROF_EARLY explicit GnuHash(const uint32_t* table)
      : bucket_count(table[0]),
        first_symbol(table[1]),
        bloom_words(table[2]),
        buckets(table + 4 + bloom_words * (sizeof(ElfW(Addr)) / sizeof(uint32_t))),
        chains(buckets + bucket_count) {}
};

}  // namespace

FLOPSPROF_EARLY bool SameText(const char* a, const char* b) {
  for (; *a == *b; ++a, ++b) {
    if (*a == '\0') return true;
  }
  return false;
}

FLOPSPROF_EARLY bool BeginsWith(const char* text, const char* prefix) {
  for (; *prefix != '\0'; ++text, ++prefix) {
    if (*text != *prefix) return false;
  }
  return true;
}

FLOPSPROF_EARLY const char* FileName(const char* path) {
  const char* name = path;
  for (; *path != '\0'; ++path) {
    if (*path == '/') name = path + 1;
  }
  return name;
}

FLOPSPROF_EARLY bool ElfTables::Read(uintptr_t load_base, const ElfW(Dyn) * dynamic) {
  base = load_base;
  size_t plt_bytes = 0;
  size_t bytes = 0;
  size_t relative_count = 0;
  for (; dynamic->d_tag != DT_NULL; ++dynamic) {
    const auto value = static_cast<uintptr_t>(dynamic->d_un.d_val);
    // The loader has added the base to pointers, except in the vdso.
    const uintptr_t address = value < load_base ? value + load_base : value;
    switch (dynamic->d_tag) {
      case DT_STRTAB:
        strings = reinterpret_cast<const char*>(address);
        break;
      case DT_SYMTAB:
        symbols = reinterpret_cast<const ElfW(Sym)*>(address);
        break;
      case DT_GNU_HASH:
        gnu_hash = reinterpret_cast<const uint32_t*>(address);
        break;
      case DT_HASH:
        sysv_hash = reinterpret_cast<const uint32_t*>(address);
        break;
      case DT_JMPREL:
        plt_relocations = reinterpret_cast<const ElfW(Rela)*>(address);
        break;
      case DT_PLTRELSZ:
        plt_bytes = value;
        break;
      case DT_RELA:
        relocations = reinterpret_cast<const ElfW(Rela)*>(address);
        break;
      case DT_RELASZ:
        bytes = value;
        break;
      case DT_RELACOUNT:
        relative_count = value;
        break;
      default:
        break;
    }
  }
  if (plt_relocations != nullptr) plt_relocation_count = plt_bytes / sizeof(ElfW(Rela));
  if (relocations != nullptr && bytes / sizeof(ElfW(Rela)) > relative_count) {
    relocations += relative_count;
    relocation_count = bytes / sizeof(ElfW(Rela)) - relative_count;
  }
  return strings != nullptr && symbols != nullptr;
}

FLOPSPROF_EARLY uintptr_t ElfTables::FindFunction(const char* name) const {
  if (gnu_hash != nullptr) {
    const GnuHash table(gnu_hash);
    if (table.bucket_count == 0) return 0;
    const uint32_t hash = GnuHashOf(name);
    uint32_t index = table.buckets[hash % table.bucket_count];
    if (index < table.first_symbol) return 0;
    for (;; ++index) {
      const uint32_t entry = table.chains[index - table.first_symbol];
      if ((entry | 1) == (hash | 1)) {
        if (const uintptr_t found = FunctionOf(*this, index, name)) return found;
      }
      if ((entry & 1) != 0) return 0;
    }
  }
  if (sysv_hash == nullptr || sysv_hash[0] == 0) return 0;
  const uint32_t bucket_count = sysv_hash[0];
  const uint32_t* buckets = sysv_hash + 2;
  const uint32_t* chains = buckets + bucket_count;
  for (uint32_t index = buckets[SysvHashOf(name) % bucket_count]; index != 0;
       index = chains[index]) {
    if (const uintptr_t found = FunctionOf(*this, index, name)) return found;
  }
  return 0;
}

void** ElfTables::FindLinkageSlot(const char* function) const {
  for (size_t i = 0; i < plt_relocation_count; ++i) {
    const ElfW(Rela)& relocation = plt_relocations[i];
    if (ELF64_R_TYPE(relocation.r_info) != R_X86_64_JUMP_SLOT) continue;
    if (!SameText(NameOf(static_cast<uint32_t>(ELF64_R_SYM(relocation.r_info))), function))
      continue;
    return reinterpret_cast<void**>(base + relocation.r_offset);
  }
  return nullptr;
}

FLOPSPROF_EARLY uint32_t ElfTables::KnownEnd() const {
  if (gnu_hash == nullptr) return sysv_hash != nullptr ? sysv_hash[1] : 0;
  const GnuHash table(gnu_hash);
  uint32_t last = 0;
  for (uint32_t i = 0; i < table.bucket_count; ++i) {
    if (table.buckets[i] > last) last = table.buckets[i];
  }
  if (last < table.first_symbol) return table.first_symbol;  // defines nothing
  while ((table.chains[last - table.first_symbol] & 1) == 0) ++last;
  return last + 1;
}

}  // namespace flopsprof::injector
