// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/calls/collective_waits.h"

#include <gtest/gtest.h>

namespace flopsprof::agent {
namespace {

CollectiveTime End(uint64_t match, int rank, uint64_t start_ns, uint64_t end_ns,
                   uint32_t end_count = 2) {
  return {match, end_count, rank, static_cast<uint32_t>(10 + rank), start_ns, end_ns};
}

struct CollectiveWaitsTest : ::testing::Test {
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

CollectiveTime Grouped(CollectiveTime time, uint64_t group, uint32_t size, bool has_time) {
  time.nccl_group = group;
  time.group_size = size;
  time.has_time = has_time;
  return time;
}

// Each of three ranks in a ring sends to the next and receives from the one before, in one kernel.
TEST_F(CollectiveWaitsTest, AGroupHasWaitedForTheLastEndOfAllOfItsCalls) {
  const uint64_t starts[] = {1000, 1600, 1200};
  for (int rank = 0; rank < 3; rank++) {
    EXPECT_TRUE(found.empty());
    const auto process = static_cast<size_t>(rank);
    const uint64_t sent = 70 + process;
    const uint64_t received = 70 + (process + 2) % 3;
    waits.Add(process, Grouped(End(sent, rank, starts[rank], 2000), 9, 2, false), &found);
    waits.Add(process, Grouped(End(received, rank, starts[rank], 2000), 9, 2, true), &found);
  }
  ASSERT_EQ(found.size(), 6u);
  uint64_t durations = 0, waited[3] = {};
  for (const CollectiveWait& wait : found) {
    durations += wait.duration_ns;
    waited[wait.process] += wait.wait_ns;
  }
  EXPECT_EQ(durations, 1000u + 400 + 800);
  EXPECT_EQ(waited[0], 600u);  // for rank 1
  EXPECT_EQ(waited[1], 0u);
  EXPECT_EQ(waited[2], 400u);  // for rank 1
}

TEST_F(CollectiveWaitsTest, OfAGroupNothingIsKnownBeforeAllIs) {
  waits.Add(0, Grouped(End(7, 0, 1000, 2000), 9, 2, false), &found);
  waits.Add(0, Grouped(End(8, 0, 1000, 2000), 9, 2, true), &found);
  waits.Add(1, End(7, 1, 1300, 2000), &found);
  ASSERT_EQ(found.size(), 1u);  // the other end was a call alone
  EXPECT_EQ(found[0].process, 1u);
  waits.Add(2, End(8, 1, 1700, 2000), &found);
  ASSERT_EQ(found.size(), 4u);
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
