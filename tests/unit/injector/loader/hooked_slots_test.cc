// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/loader/hooked_slots.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <vector>

namespace flopsprof::injector {
namespace {

const Hook kGemm = {"gemm", nullptr, 0};
const Hook kMatmul = {"matmul", nullptr, 0};

const Hook* FindTestHook(const char* name) {
  for (const Hook* hook : {&kGemm, &kMatmul}) {
    if (strcmp(hook->name, name) == 0) return hook;
  }
  return nullptr;
}

// An object that asks for gemm (symbol 1), puts (2) and matmul (3), and defines a "gemm" too (4).
// Its hash table tells of the first four symbols; symbol 5, another "matmul", is not in it.
class HookedSlotsTest : public ::testing::Test {
 protected:
  HookedSlotsTest() {
    const uint32_t names[] = {0, 1, 6, 11, 1, 11};
    for (int i = 0; i < 6; ++i) symbols_[i].st_name = names[i];
    symbols_[4].st_shndx = 1;
    tables_.base = 0x10000;
    tables_.strings = "\0gemm\0puts\0matmul";
    tables_.symbols = symbols_;
    tables_.sysv_hash = hash_;
  }

  void Find() {
    tables_.plt_relocations = plt_.data();
    tables_.plt_relocation_count = plt_.size();
    tables_.relocations = others_.data();
    tables_.relocation_count = others_.size();
    FindHookedSlots(tables_, FindTestHook, search_.get());
  }
  static ElfW(Rela) Relocation(uint64_t offset, uint32_t symbol, uint32_t type) {
    return {offset, ELF64_R_INFO(uint64_t{symbol}, type), 0};
  }
  void ExpectSlot(size_t i, uintptr_t place, const Hook& hook) {
    ASSERT_LT(i, search_->slot_count);
    EXPECT_EQ(search_->slots[i].place, reinterpret_cast<void**>(place));
    EXPECT_EQ(search_->slots[i].hook, &hook);
  }

  ElfW(Sym) symbols_[6] = {};
  uint32_t hash_[2] = {0, 5};  // buckets, symbols
  ElfTables tables_;
  std::vector<ElfW(Rela)> plt_, others_;
  std::unique_ptr<SlotSearch> search_ = std::make_unique<SlotSearch>();
};

TEST_F(HookedSlotsTest, FindsThoseOfHookedFunctionsInBothTables) {
  plt_ = {Relocation(8, 2, R_X86_64_JUMP_SLOT), Relocation(16, 1, R_X86_64_JUMP_SLOT)};
  others_ = {Relocation(24, 3, R_X86_64_GLOB_DAT), Relocation(32, 3, R_X86_64_TPOFF64)};
  Find();
  ASSERT_EQ(search_->slot_count, 2u);
  ExpectSlot(0, 0x10010, kGemm);
  ExpectSlot(1, 0x10018, kMatmul);
  EXPECT_EQ(search_->missed, 0u);
}

TEST_F(HookedSlotsTest, LeavesASlotOfAFunctionThatTheObjectDefinesItself) {
  plt_ = {Relocation(8, 4, R_X86_64_JUMP_SLOT)};
  Find();
  EXPECT_EQ(search_->slot_count, 0u);
}

TEST_F(HookedSlotsTest, FindsASymbolThatTheHashTableDoesNotTellOf) {
  plt_ = {Relocation(8, 5, R_X86_64_JUMP_SLOT)};
  Find();
  ASSERT_EQ(search_->slot_count, 1u);
  ExpectSlot(0, 0x10008, kMatmul);
}

TEST_F(HookedSlotsTest, DoesNotReadManyRelocationsOfAnObjectThatAsksForNone) {
  symbols_[1].st_name = symbols_[3].st_name = 6;  // puts
  plt_.assign(4097, Relocation(8, 5, R_X86_64_JUMP_SLOT));
  Find();
  EXPECT_EQ(search_->slot_count, 0u);
  plt_.resize(4096);
  Find();
  EXPECT_EQ(search_->slot_count, 4096u);
}

TEST_F(HookedSlotsTest, ReadsAllRelocationsWhereTheHashTableIsEmpty) {
  hash_[1] = 0;
  plt_.assign(4097, Relocation(8, 1, R_X86_64_JUMP_SLOT));
  Find();
  EXPECT_EQ(search_->slot_count, 4097u);
}

TEST_F(HookedSlotsTest, CountsSlotsThatHadNoRoom) {
  others_.assign(SlotSearch::kMaxSlots + 3, Relocation(8, 1, R_X86_64_GLOB_DAT));
  Find();
  EXPECT_EQ(search_->slot_count, SlotSearch::kMaxSlots);
  EXPECT_EQ(search_->missed, 3u);
}

}  // namespace
}  // namespace flopsprof::injector
