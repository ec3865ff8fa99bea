// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/tables/recent_table.h"

#include <gtest/gtest.h>

namespace flopsprof::agent {
namespace {

using Table = RecentTable<int>;

TEST(RecentTableTest, FindsWhatWasAdded) {
  Table table;
  EXPECT_EQ(table.Find(7), Table::kNone);
  *table.At(table.Add(7)) = 70;
  *table.At(table.Add(8)) = 80;
  EXPECT_EQ(*table.At(table.Find(7)), 70);
  EXPECT_EQ(*table.At(table.Find(8)), 80);
  EXPECT_EQ(table.Find(9), Table::kNone);
  EXPECT_EQ(table.At(Table::kNone), nullptr);
}

TEST(RecentTableTest, ForgetsTheOldest) {
  Table table;
  const uint64_t seven = table.Add(7);
  table.Add(8);
  EXPECT_EQ(table.KeyOf(table.first()), 7u);
  table.ForgetOldest();
  EXPECT_EQ(table.Find(7), Table::kNone);
  EXPECT_EQ(table.At(seven), nullptr);
  EXPECT_NE(table.Find(8), Table::kNone);
  EXPECT_EQ(table.size(), 1u);
}

TEST(RecentTableTest, AnErasedKeyCanComeAgainAndItsOldNumberStaysEmpty) {
  Table table;
  const uint64_t first = table.Add(7);
  table.Erase(first);
  EXPECT_EQ(table.Find(7), Table::kNone);
  *table.At(table.Add(7)) = 71;
  EXPECT_EQ(table.At(first), nullptr);
  table.ForgetOldest();
  EXPECT_EQ(*table.At(table.Find(7)), 71);
}

TEST(RecentTableTest, AValueIsNewWhereAForgottenOneWas) {
  Table table;
  constexpr uint64_t kMany = 40'000;
  for (uint64_t key = 0; key < kMany; key++) {
    const uint64_t number = table.Add(key);
    EXPECT_EQ(*table.At(number), 0);
    *table.At(number) = 1;
    if (table.size() > 100) table.ForgetOldest();
  }
  EXPECT_EQ(table.size(), 100u);
}

// Ids of a program step by what it calls between two launches; rings are in the high bits. Whatever
// power of two they step by, no chain is long.
TEST(RecentTableTest, KeysThatStepByAnyPowerOfTwoAreFoundQuickly) {
  constexpr uint64_t kMany = 1 << 15;
  for (int shift = 0; shift < 48; shift++) {
    Table table;
    for (uint64_t i = 0; i < kMany; i++) table.Add(i << shift);
    EXPECT_LE(table.LongestChainForTesting(), 16u) << shift;
    for (uint64_t i = 0; i < kMany; i++) {
      ASSERT_EQ(table.KeyOf(table.Find(i << shift)), i << shift);
    }
  }
}

TEST(RecentTableTest, KeepsAllWhileItGrows) {
  Table table;
  constexpr uint64_t kMany = 40'000;
  for (uint64_t key = 0; key < kMany; key++) {
    *table.At(table.Add(key << 20)) = static_cast<int>(key);
    if (key % 4 == 3) table.ForgetOldest();
  }
  for (uint64_t key = kMany / 4; key < kMany; key++) {
    ASSERT_EQ(*table.At(table.Find(key << 20)), static_cast<int>(key));
  }
  EXPECT_EQ(table.Find((kMany / 4 - 1) << 20), Table::kNone);
}

TEST(RecentTableTest, FindsOrAdds) {
  Table table;
  const Table::Found added = table.FindOrAdd(7);
  EXPECT_TRUE(added.added);
  *added.value = 70;
  const Table::Found found = table.FindOrAdd(7);
  EXPECT_FALSE(found.added);
  EXPECT_EQ(found.number, added.number);
  EXPECT_EQ(*table.FindValue(7), 70);
  EXPECT_EQ(table.FindValue(8), nullptr);
  table.Erase(added.number);
  EXPECT_EQ(table.Oldest(), nullptr);
  EXPECT_TRUE(table.FindOrAdd(7).added);
  EXPECT_EQ(*table.FindValue(7), 0);
}

// In the place of one that was forgotten, of which nothing is left.
TEST(RecentTableTest, AValueBeginsAnew) {
  Table table;
  for (uint64_t key = 1; key <= 20'000; key++) {
    const Table::Found found = table.FindOrAdd(key);
    ASSERT_EQ(*found.value, 0);
    *found.value = 1;
    if (table.size() > 100) table.ForgetOldest();
  }
}

}  // namespace
}  // namespace flopsprof::agent
