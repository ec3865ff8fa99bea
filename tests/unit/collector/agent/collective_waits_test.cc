// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/collective_waits.h"

#include <gtest/gtest.h>

namespace flopsprof::agent {
namespace {

CollectiveTime End(uint64_t match, int rank, uint64_t start_ns, uint64_t end_ns,
                   uint32_t end_count = 2) {
  return {match, end_count, rank, static_cast<uint32_t>(10 + rank), start_ns, end_ns};
}

struct CollectiveWaitsTest : testing::Test {
  CollectiveWaits waits;
  std::vector<CollectiveWait> found;
};

TEST_F(CollectiveWaitsTest, WhoCameFirstHasWaitedForTheLast) {
  waits.Add(0, End(7, 0, 1000, 5000), &found);
  EXPECT_TRUE(found.empty());
  waits.Add(1, End(7, 1, 4000, 5100), &found);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].process, 0u);
  EXPECT_EQ(found[0].row, 10u);
  EXPECT_EQ(found[0].duration_ns, 4000u);
  EXPECT_EQ(found[0].wait_ns, 3000u);
  EXPECT_EQ(found[1].row, 11u);
  EXPECT_EQ(found[1].wait_ns, 0u);
  EXPECT_EQ(waits.pending_count(), 0u);
}

TEST_F(CollectiveWaitsTest, AWaitIsNotLongerThanTheKernel) {
  waits.Add(0, End(7, 0, 1000, 2000), &found);  // a send that did not wait for its receiver
  waits.Add(1, End(7, 1, 9000, 9500), &found);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].wait_ns, 1000u);
}

TEST_F(CollectiveWaitsTest, CallsDoNotMix) {
  waits.Add(0, End(7, 0, 1000, 2000), &found);
  waits.Add(1, End(8, 1, 1000, 2000), &found);
  EXPECT_TRUE(found.empty());
  EXPECT_EQ(waits.pending_count(), 2u);
}

TEST_F(CollectiveWaitsTest, TwoKernelsOfOneRankAreOneEnd) {
  waits.Add(0, End(7, 0, 1000, 2000), &found);
  waits.Add(0, End(7, 0, 2000, 3000), &found);
  EXPECT_TRUE(found.empty());
  waits.Add(1, End(7, 1, 2500, 3000), &found);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].duration_ns, 2000u);
  EXPECT_EQ(found[0].wait_ns, 1500u);
}

TEST_F(CollectiveWaitsTest, RanksOfOneProcessAreTwoEnds) {
  waits.Add(0, End(7, 0, 1000, 2000), &found);
  waits.Add(0, End(7, 1, 1500, 2000), &found);
  EXPECT_EQ(found.size(), 2u);
}

TEST_F(CollectiveWaitsTest, AFurtherKernelDoesNotBeginACallAgainThatIsDone) {
  for (int kernel = 0; kernel < 2; ++kernel) {
    waits.Add(0, End(7, 0, 1000, 2000), &found);
    waits.Add(1, End(7, 1, 1500, 2000), &found);
  }
  EXPECT_EQ(found.size(), 2u);
  EXPECT_EQ(waits.pending_count(), 0u);
}

TEST_F(CollectiveWaitsTest, CallsWithEndsElsewhereFallOut) {
  for (uint64_t call = 1; call <= 100000; ++call) {
    waits.Add(0, End(call, 0, 1000, 2000, 16), &found);
  }
  EXPECT_EQ(waits.pending_count(), 65536u);
  EXPECT_TRUE(found.empty());
}

TEST_F(CollectiveWaitsTest, ACallWithoutItsEndsKeepsNoOthers) {
  waits.Add(0, End(1, 0, 1000, 2000), &found);
  for (uint64_t call = 2; call <= 200000; ++call) {
    waits.Add(0, End(call, 0, 1000, 2000), &found);
    waits.Add(1, End(call, 1, 1000, 2000), &found);
  }
  EXPECT_EQ(found.size(), 2u * 199999);
  EXPECT_EQ(waits.kept_count(), 65536u);
  EXPECT_EQ(waits.pending_count(), 0u);
}

TEST_F(CollectiveWaitsTest, WhatCannotBeMatchedIsNotKept) {
  waits.Add(0, End(1, 0, 1, 2, 1), &found);         // alone: nothing to wait for
  waits.Add(0, End(2, 0, 1, 2, 1u << 30), &found);  // no such group
  waits.Add(0, End(0, 0, 1, 2), &found);            // not known
  EXPECT_TRUE(found.empty());
  EXPECT_EQ(waits.kept_count(), 0u);
}

}  // namespace
}  // namespace flopsprof::agent
