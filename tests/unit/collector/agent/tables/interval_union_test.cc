// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/tables/interval_union.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace flopsprof::agent {
namespace {

TEST(IntervalUnionTest, AddsDisjointIntervals) {
  IntervalUnion busy;
  busy.Add(10, 20);
  busy.Add(30, 45);
  EXPECT_EQ(busy.total_ns(), 25u);
}

TEST(IntervalUnionTest, CountsAnOverlapOnce) {
  IntervalUnion busy;
  busy.Add(10, 30);
  busy.Add(20, 40);
  busy.Add(22, 28);
  EXPECT_EQ(busy.total_ns(), 30u);
}

TEST(IntervalUnionTest, ALateIntervalFillsAGap) {
  IntervalUnion busy;
  busy.Add(10, 20);
  busy.Add(40, 50);
  busy.Add(60, 70);
  busy.Add(15, 45);  // joins the first two
  EXPECT_EQ(busy.total_ns(), 50u);
  busy.Add(52, 54);  // between
  EXPECT_EQ(busy.total_ns(), 52u);
  busy.Add(1, 3);  // before all
  EXPECT_EQ(busy.total_ns(), 54u);
}

TEST(IntervalUnionTest, AnIntervalThatCoversEverythingReplacesIt) {
  IntervalUnion busy;
  busy.Add(10, 20);
  busy.Add(30, 40);
  busy.Add(50, 60);
  busy.Add(5, 100);
  EXPECT_EQ(busy.total_ns(), 95u);
}

TEST(IntervalUnionTest, AfterFoldingAnEarlierIntervalIsCountedAsLate) {
  IntervalUnion busy;
  busy.Add(10, 20);
  busy.Add(30, 40);
  busy.Fold();
  busy.Add(22, 28);
  EXPECT_EQ(busy.total_ns(), 20u);
  EXPECT_EQ(busy.late_count(), 1u);
  busy.Add(40, 50);
  EXPECT_EQ(busy.total_ns(), 30u);
}

TEST(IntervalUnionTest, StaysBoundedAndExactForMoreGapsThanItKeeps) {
  IntervalUnion busy;
  for (uint64_t i = 1; i <= 200'000; i++) busy.Add(i * 10, i * 10 + 3);
  EXPECT_EQ(busy.total_ns(), 600'000u);
  EXPECT_EQ(busy.late_count(), 0u);
}

// 200,000 kernels a second, and a thread whose records come a second later.
TEST(IntervalUnionTest, KeepsFourSecondsWhateverTheirNumber) {
  IntervalUnion busy;
  for (uint64_t i = 1; i <= 1'000'000; i++) busy.Add(i * 5000, i * 5000 + 1000);
  for (uint64_t i = 800'000; i <= 1'000'000; i++) busy.Add(i * 5000 + 2000, i * 5000 + 3000);
  EXPECT_EQ(busy.late_count(), 0u);
  EXPECT_EQ(busy.total_ns(), 1'200'001'000u);
}

TEST(IntervalUnionTest, KeepsABoundedNumberWhateverTheirTime) {
  IntervalUnion busy;
  constexpr uint64_t kCount = (1 << 19) + 10;
  for (uint64_t i = 1; i <= kCount; i++) busy.Add(i * 10, i * 10 + 3);
  busy.Add(4, 6);
  EXPECT_EQ(busy.late_count(), 1u);
  EXPECT_EQ(busy.total_ns(), 3 * kCount);
}

// As CUPTI delivers them: all of one thread, then those of another that lie between.
TEST(IntervalUnionTest, ThreadsThatComeOneAfterTheOtherFillEachOthersGaps) {
  IntervalUnion busy;
  for (uint64_t i = 1; i <= 5'000; i++) busy.Add(i * 10, i * 10 + 3);
  for (uint64_t i = 1; i <= 5'000; i++) busy.Add(i * 10 + 2, i * 10 + 5);
  EXPECT_EQ(busy.CoveredNs(10, 20), 5u);
  EXPECT_EQ(busy.total_ns(), 25'000u);
  EXPECT_EQ(busy.late_count(), 0u);
}

TEST(IntervalUnionTest, WhatCameDisorderedIsFoldedWithTheRest) {
  IntervalUnion busy;
  busy.Add(30, 40);
  busy.Add(10, 20);
  busy.Fold();
  EXPECT_EQ(busy.total_ns(), 20u);
  busy.Add(12, 18);
  EXPECT_EQ(busy.late_count(), 1u);
}

// Against counting every nanosecond.
TEST(IntervalUnionTest, AgreesWithCountingForRandomIntervals) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; round++) {
    IntervalUnion busy;
    std::vector<bool> covered(400, false);
    for (int i = 0; i < 40; i++) {
      const uint64_t begin = random() % 350;
      const uint64_t end = begin + random() % 50;
      busy.Add(begin, end);
      std::fill(covered.begin() + begin, covered.begin() + end, true);
    }
    ASSERT_EQ(busy.total_ns(),
              static_cast<uint64_t>(std::count(covered.begin(), covered.end(), true)));
  }
}

TEST(IntervalUnionTest, OnlyWhatIsBehindAllIsAddedBehind) {
  IntervalUnion busy;
  EXPECT_FALSE(busy.AddBehind(10, 20));  // there is no room yet
  busy.Add(10, 20);
  EXPECT_FALSE(busy.AddBehind(5, 8));
  EXPECT_FALSE(busy.AddBehind(15, 30));
  EXPECT_FALSE(busy.AddBehind(20, 30));  // they touch
  EXPECT_EQ(busy.total_ns(), 10u);
  EXPECT_TRUE(busy.AddBehind(21, 30));
  EXPECT_EQ(busy.total_ns(), 19u);
  busy.Fold();
  EXPECT_FALSE(busy.AddBehind(25, 40));  // late
  EXPECT_EQ(busy.late_count(), 0u);      // not counted before it is added
  busy.Add(25, 40);
  EXPECT_EQ(busy.late_count(), 1u);
  EXPECT_EQ(busy.total_ns(), 19u);
}

}  // namespace
}  // namespace flopsprof::agent
