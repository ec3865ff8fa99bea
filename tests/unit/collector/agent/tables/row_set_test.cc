// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/tables/row_set.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>

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

// As an alias is moved into the row of its name, which was given out before it.
TEST(RowSetTest, ARowThatEmittingChangesIsEmittedInTheSamePass) {
  Rows rows(100);
  for (const uint64_t key : {1, 2, 3}) rows.Change(rows.FindOrAdd(key)) = static_cast<int>(key);
  std::map<uint64_t, int> sums;
  const auto give_out = [&](uint64_t key, int& row) {
    const int taken = std::exchange(row, 0);
    if (key == 3) {
      *rows.ChangeOrAdd(1) += taken;  // given out already
      *rows.ChangeOrAdd(4) += taken;  // new
    } else {
      sums[key] += taken;
    }
    return true;
  };
  EXPECT_EQ(rows.EmitChanged(1000, give_out), 5u);
  EXPECT_EQ(sums, (std::map<uint64_t, int>{{1, 4}, {2, 2}, {4, 3}}));
  EXPECT_EQ(rows.EmitChanged(1000, give_out), 0u);
}

TEST(RowSetTest, WhatEmittingChangesBeyondTheLimitIsEmittedNextTime) {
  Rows rows(100);
  for (const uint64_t key : {1, 2}) rows.Change(rows.FindOrAdd(key)) = static_cast<int>(key);
  int sum = 0;
  const auto give_out = [&](uint64_t key, int& row) {
    const int taken = std::exchange(row, 0);
    if (key == 2) {
      *rows.ChangeOrAdd(1) += taken;
    } else {
      sum += taken;
    }
    return true;
  };
  EXPECT_EQ(rows.EmitChanged(2, give_out), 2u);
  EXPECT_EQ(sum, 1);
  EXPECT_EQ(rows.EmitChanged(2, give_out), 1u);
  EXPECT_EQ(sum, 3);
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

TEST(RowSetTest, AForgottenRowBeginsAnewAndItsPlaceIsUsedAgain) {
  Rows rows(2);
  for (const uint64_t key : {0, 5, 0, 5}) ++*rows.ChangeOrAdd(key);
  Emitted(&rows);
  rows.Forget(rows.Find(5));
  rows.Forget(rows.Find(0));  // a key that an empty place has as well
  EXPECT_EQ(rows.size(), 0u);
  for (const uint64_t key : {0, 7, 0}) ++*rows.ChangeOrAdd(key);
  EXPECT_EQ(rows.Find(5), kNoRow);
  EXPECT_EQ(rows.FindOrAdd(5), kNoRow);
  EXPECT_EQ(Emitted(&rows), (std::map<uint64_t, int>{{0, 2}, {7, 1}}));
}

TEST(RowSetTest, RowsStayWhereTheyAre) {
  Rows rows(1000);
  int& first = rows.Hold(rows.FindOrAdd(0));
  for (uint64_t key = 1; key < 1000; key++) rows.FindOrAdd(key);
  first = 7;
  EXPECT_EQ(rows.Held(0), 7);
}

TEST(RowSetTest, TheRowThatCameNextTheLastTimeIsFoundWithoutItsKey) {
  Rows rows(100);
  const auto change = [&rows](uint64_t wanted) {
    return rows.ChangeNext([wanted](uint64_t key, int) { return key == wanted; });
  };
  EXPECT_EQ(change(1), kNoRow);  // nothing has been asked for
  const uint32_t one = rows.FindOrAdd(1);
  const uint32_t two = rows.FindOrAdd(2);
  rows.FindOrAdd(1);
  EXPECT_EQ(change(3), kNoRow);
  EXPECT_EQ(change(2), two);
  EXPECT_EQ(change(1), one);
  EXPECT_EQ(Emitted(&rows), (std::map<uint64_t, int>{{1, 0}, {2, 0}}));
  EXPECT_EQ(change(2), two);
  EXPECT_EQ(Emitted(&rows), (std::map<uint64_t, int>{{2, 0}}));
  rows.Forget(one);
  EXPECT_EQ(change(0), kNoRow);  // its key is empty now
}

}  // namespace
}  // namespace flopsprof::agent
