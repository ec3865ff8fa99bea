// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/base/elf_tables.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstring>

namespace flopsprof::injector {
namespace {

// The tables of a loaded library and its handle.
struct Loaded {
  ElfTables tables;
  void* handle;

  explicit Loaded(const char* name) : handle(dlopen(name, RTLD_LAZY)) {
    const auto* map = static_cast<const link_map*>(handle);
    EXPECT_TRUE(tables.Read(map->l_addr, map->l_ld));
  }

  uintptr_t ByDlsym(const char* function) const {
    return reinterpret_cast<uintptr_t>(dlsym(handle, function));
  }
};

TEST(ElfTablesTest, FindsWhatDlsymFinds) {
  const Loaded libc("libc.so.6");
  for (const char* name : {"malloc", "getpid", "qsort", "pthread_create"}) {
    EXPECT_EQ(libc.tables.FindFunction(name), libc.ByDlsym(name)) << name;
  }
}

TEST(ElfTablesTest, DoesNotFindWhatIsOnlyAskedFor) {
  const Loaded cxx("libstdc++.so.6");
  EXPECT_EQ(cxx.tables.FindFunction("malloc"), 0u);
  EXPECT_EQ(cxx.tables.FindFunction("no_such_function"), 0u);
  EXPECT_EQ(cxx.tables.FindFunction(""), 0u);
}

TEST(ElfTablesTest, KnowsTheSymbolsThatAnObjectAsksFor) {
  const Loaded cxx("libstdc++.so.6");
  bool asks_for_malloc = false;
  for (uint32_t i = 1; i < cxx.tables.KnownEnd(); ++i) {
    const auto& symbol = cxx.tables.symbols[i];
    asks_for_malloc =
        asks_for_malloc || (symbol.st_shndx == SHN_UNDEF &&
                            strcmp(cxx.tables.strings + symbol.st_name, "malloc") == 0);
  }
  EXPECT_TRUE(asks_for_malloc);
}

ElfW(Rela) Relocation(uint64_t offset, uint32_t symbol, uint32_t type, int64_t addend = 0) {
  return {offset, ELF64_R_INFO(uint64_t{symbol}, type), addend};
}

TEST(ElfTablesTest, ASlotHoldsASymbolOnlyWhereNothingIsAddedToIt) {
  EXPECT_EQ(SymbolInSlot(Relocation(0, 3, R_X86_64_JUMP_SLOT)), 3u);
  EXPECT_EQ(SymbolInSlot(Relocation(0, 3, R_X86_64_GLOB_DAT)), 3u);
  EXPECT_EQ(SymbolInSlot(Relocation(0, 3, R_X86_64_64)), 3u);
  EXPECT_EQ(SymbolInSlot(Relocation(0, 3, R_X86_64_64, 8)), 0u);
  EXPECT_EQ(SymbolInSlot(Relocation(0, 3, R_X86_64_DTPMOD64)), 0u);
}

TEST(ElfTablesTest, FindsTheSlotOfACallByItsName) {
  ElfW(Sym) symbols[3] = {};
  symbols[1].st_name = 1;
  symbols[2].st_name = 7;
  const ElfW(Rela)
      relocations[] = {Relocation(16, 2, R_X86_64_GLOB_DAT), Relocation(24, 1, R_X86_64_JUMP_SLOT),
                       Relocation(32, 2, R_X86_64_JUMP_SLOT)};
  ElfTables tables;
  tables.base = 0x1000;
  tables.strings = "\0first\0second";
  tables.symbols = symbols;
  tables.plt_relocations = relocations;
  tables.plt_relocation_count = 3;
  EXPECT_EQ(tables.FindLinkageSlot("second"), reinterpret_cast<void**>(0x1020));
  EXPECT_EQ(tables.FindLinkageSlot("third"), nullptr);
}

TEST(ElfTablesTest, TakesTheFileNameOfAPath) {
  EXPECT_STREQ(FileName("/a/b.so"), "b.so");
  EXPECT_STREQ(FileName("b.so"), "b.so");
  EXPECT_STREQ(FileName("/a/"), "");
}

}  // namespace
}  // namespace flopsprof::injector
