// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/base/growing_table.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/address_space.h"

namespace flopsprof::injector {
namespace {

struct Word {
  uint32_t value;
  uint32_t next;

  uint32_t Hash() const { return value * 0x9E3779B1u; }
};

using Words = GrowingTable<Word, 5000>;

uint32_t Find(const Words& words, uint32_t value) {
  uint32_t number = words.First(Word{value, 0}.Hash());
  while (number != 0 && words.at(number).value != value) number = words.at(number).next;
  return number;
}

TEST(GrowingTableTest, FindsEachEntryWhereItWasPutAtEverySize) {
  Words words;
  EXPECT_EQ(Find(words, 1), 0u);
  for (uint32_t i = 1; i <= 5000; ++i) {
    ASSERT_EQ(words.Add({i * 7, 0}), i);
    ASSERT_EQ(Find(words, i * 7), i);
    ASSERT_EQ(Find(words, (i + 1) / 2 * 7), (i + 1) / 2);
  }
  for (uint32_t i = 1; i <= 5000; ++i) ASSERT_EQ(Find(words, i * 7), i);
  EXPECT_EQ(words.Add({1, 0}), 0u);
  EXPECT_EQ(Find(words, 1), 0u);
}

TEST(GrowingTableTest, ATableThatCannotBeMadeKeepsNoAddressSpace) {
  constexpr size_t kBytes = size_t{10} << 20;  // 8 for entries fit, 4 for the index do not
  const auto refused = [] {
    static GrowingTable<Word, 1u << 20> words;
    return words.Add({1, 0}) == 0;
  };
  EXPECT_EXIT(_exit(test::KeepsAddressSpaceWhenRefused(kBytes, refused)),
              ::testing::ExitedWithCode(0), "");
}

TEST(GrowingTableTest, EntriesAreNeverMoved) {
  Words words;
  words.Add({1, 0});
  const Word* first = &words.at(1);
  for (uint32_t i = 2; i <= 5000; ++i) words.Add({i, 0});
  EXPECT_EQ(&words.at(1), first);
}

TEST(GrowingTableTest, IsEmptyAfterClear) {
  Words words;
  for (uint32_t i = 1; i <= 3000; ++i) words.Add({i, 0});
  words.Clear();
  EXPECT_EQ(Find(words, 5), 0u);
  EXPECT_EQ(words.Add({6, 0}), 1u);
  EXPECT_EQ(Find(words, 6), 1u);
}

}  // namespace
}  // namespace flopsprof::injector
