// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/tables/row_set.h"

#include <gtest/gtest.h>

#include <map>

namespace flopsprof::agent {
namespace {

using Rows = RowSet<uint64_t, int>;

std::map<uint64_t, int> Emitted(Rows* rows) {
  std::map<uint64_t, int> emitted;
  rows->EmitChanged(1000, [&](uint64_t key, int row) {
    emitted[key] = row;
    return true;
  });
  return emitted;
}

// Whatever row is guessed to come next.
TEST(RowSetTest, FindsRowsInAnyOrder) {
  Rows rows(100);
  for (const uint64_t key : {1, 2, 3, 1, 2, 3, 3, 1, 1, 2, 4, 3, 2, 1}) {
    rows.Change(rows.FindOrAdd(key))++;
  }
  EXPECT_EQ(Emitted(&rows), (std::map<uint64_t, int>{{1, 5}, {2, 4}, {3, 4}, {4, 1}}));
}

TEST(RowSetTest, OnlyWhatHasChangedIsEmitted) {
  Rows rows(100);
  ++*rows.ChangeOrAdd(1);
  ++*rows.ChangeOrAdd(2);
  Emitted(&rows);
  EXPECT_TRUE(Emitted(&rows).empty());
  ++*rows.ChangeOrAdd(2);
  EXPECT_EQ(Emitted(&rows), (std::map<uint64_t, int>{{2, 2}}));
}

TEST(RowSetTest, CountsEachUseOfARowThatFoundNoRoom) {
  Rows rows(2);
  rows.FindOrAdd(1);
  rows.FindOrAdd(2);
  EXPECT_EQ(rows.FindOrAdd(3, 5), kNoRow);
  EXPECT_EQ(rows.FindOrAdd(3), kNoRow);
  EXPECT_EQ(rows.ChangeOrAdd(4), nullptr);
  EXPECT_EQ(rows.FindOrAdd(2), 1u);
  EXPECT_EQ(rows.refused_count(), 7u);
  EXPECT_EQ(rows.size(), 2u);
}

TEST(RowSetTest, BeginsAnewWhenItIsCleared) {
  Rows rows(2);
  rows.Change(rows.FindOrAdd(1)) = 10;
  rows.Change(rows.FindOrAdd(2)) = 20;
  rows.Clear();
  EXPECT_EQ(rows.Find(1), kNoRow);
  EXPECT_TRUE(Emitted(&rows).empty());
  rows.Change(rows.FindOrAdd(2))++;
  EXPECT_EQ(Emitted(&rows), (std::map<uint64_t, int>{{2, 1}}));
}

TEST(RowSetTest, RowsStayWhereTheyAre) {
  Rows rows(1000);
  int& first = rows.Hold(rows.FindOrAdd(0));
  for (uint64_t key = 1; key < 1000; key++) rows.FindOrAdd(key);
  first = 7;
  EXPECT_EQ(rows.Held(0), 7);
}

}  // namespace
}  // namespace flopsprof::agent
