// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/calls/collective_groups.h"

#include <gtest/gtest.h>

namespace flopsprof::agent {
namespace {

constexpr RingId kRing = {};

class CollectiveGroupsTest : public ::testing::Test {
 protected:
  // What is known of the call after it was added.
  BookedCall Add(uint64_t match, bool goes_on, uint64_t communicator = 5) {
    shm::CollectiveCall call = {};
    call.header.flags = goes_on ? shm::kFlagMore : uint8_t{0};
    call.group = communicator;
    BookedCall booked;
    booked.match = match;
    booked.end_count = 2;
    booked.row = static_cast<uint32_t>(100 + match);
    groups_.Add(kRing, call, &booked);
    return booked;
  }
  std::vector<CollectiveTime> Times(const BookedCall& owner) {
    std::vector<CollectiveTime> times;
    groups_.AppendTimes(owner.nccl_group, 1000, 1500, &times);
    return times;
  }
  CollectiveGroups groups_;
};

TEST_F(CollectiveGroupsTest, ACallAloneStaysAsItIs) {
  const BookedCall alone = Add(7, false);
  EXPECT_EQ(alone.match, 7u);
  EXPECT_EQ(alone.nccl_group, 0u);
}

TEST_F(CollectiveGroupsTest, TheKernelIsAnEndOfEachCall) {
  Add(7, true);
  Add(8, true);
  const BookedCall owner = Add(9, false);
  EXPECT_EQ(owner.match, 0u);
  const std::vector<CollectiveTime> times = Times(owner);
  ASSERT_EQ(times.size(), 3u);
  EXPECT_EQ(times[0].match, 7u);
  EXPECT_EQ(times[0].row, 107u);
  EXPECT_FALSE(times[0].has_time);
  EXPECT_EQ(times[2].match, 9u);
  EXPECT_TRUE(times[2].has_time);
  EXPECT_EQ(times[2].group_size, 3u);
  EXPECT_EQ(times[2].start_ns, 1000u);
  EXPECT_EQ(Add(10, false).match, 10u);  // the group has ended
}

TEST_F(CollectiveGroupsTest, SeveralCommunicatorsOrACallWithoutMatchHaveNone) {
  Add(7, true);
  EXPECT_TRUE(Times(Add(8, false, /*communicator=*/6)).empty());
  Add(0, true);
  const BookedCall owner = Add(8, false);
  EXPECT_EQ(owner.match, 0u);
  EXPECT_TRUE(Times(owner).empty());
}

TEST_F(CollectiveGroupsTest, AFailureLeavesNothingOpen) {
  Add(7, true);
  groups_.Forget(kRing);
  EXPECT_EQ(Add(8, false).match, 8u);
}

}  // namespace
}  // namespace flopsprof::agent
