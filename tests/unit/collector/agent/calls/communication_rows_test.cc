// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/calls/communication_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "tests/support/fake_injector.h"
#include "tests/support/profile_sum.h"

namespace flopsprof::agent {
namespace {

constexpr uint32_t kScope = 7;

JoinedActivity Activity(uint64_t begin_ns, uint64_t end_ns, uint32_t scope = kScope) {
  JoinedActivity activity = {};
  activity.record = testing::Kernel(1, 1, begin_ns, end_ns);
  activity.context = {scope, 0, shm::Phase::kBackward};
  activity.valid_times = true;
  activity.duration_ns = end_ns - begin_ns;
  return activity;
}

class CommunicationRowsTest : public ::testing::Test {
 protected:
  void Communication(uint64_t begin_ns, uint64_t end_ns, uint32_t scope = kScope) {
    rows_.Add(Activity(begin_ns, end_ns, scope), /*communication=*/true, other_);
  }
  void Other(uint64_t begin_ns, uint64_t end_ns) {
    rows_.Add(Activity(begin_ns, end_ns), /*communication=*/false, other_);
    other_.Add(begin_ns, end_ns);
  }
  // What was sent of `scope` until now.
  v1::CommunicationRow Row(uint32_t scope = kScope) {
    v1::ProcessProfile part;
    rows_.Emit(calls_, 1000, &part);
    sent_.Add(part);
    const v1::ProcessProfile whole = sent_.Whole();
    v1::CommunicationRow found;
    for (const v1::CommunicationRow& row : whole.communications()) {
      if (row.scope() == scope) found = row;
    }
    return found;
  }

  CallRows calls_;
  CommunicationRows rows_;
  IntervalUnion other_;
  testing::ProfileSum sent_;
};

TEST_F(CommunicationRowsTest, HidesWhatRanBesideOtherWorkThatCameBefore) {
  Other(100, 140);
  Other(150, 160);
  Communication(120, 200);  // beside 20 and 10
  EXPECT_EQ(Row().compared_ns(), 80u);
  EXPECT_EQ(Row().hidden_ns(), 30u);
}

TEST_F(CommunicationRowsTest, HidesWhatRanBesideOtherWorkThatCameAfter) {
  Communication(120, 200);
  Other(100, 140);
  EXPECT_EQ(Row().hidden_ns(), 20u);
  Other(150, 160);
  Other(130, 155);  // 10 of it are new
  EXPECT_EQ(Row().hidden_ns(), 40u);
  EXPECT_EQ(Row().compared_ns(), 80u);
}

TEST_F(CommunicationRowsTest, CommunicationBesideCommunicationIsNotHidden) {
  Communication(100, 200, 1);
  Communication(150, 250, 2);
  EXPECT_EQ(Row(1).hidden_ns(), 0u);
  Other(160, 170);  // hides both
  EXPECT_EQ(Row(1).hidden_ns(), 10u);
  EXPECT_EQ(Row(2).hidden_ns(), 10u);
}

TEST_F(CommunicationRowsTest, WorkOnOtherDevicesHidesNothing) {
  Communication(100, 200);
  JoinedActivity elsewhere = Activity(100, 200);
  elsewhere.record.device = 1;
  rows_.Add(elsewhere, /*communication=*/false, IntervalUnion());
  EXPECT_EQ(Row().hidden_ns(), 0u);
}

TEST_F(CommunicationRowsTest, AShareOfAGraphIsNotCompared) {
  JoinedActivity share = Activity(100, 200);
  share.share = true;
  rows_.Add(share, /*communication=*/true, other_);
  EXPECT_EQ(Row().compared_ns(), 0u);
}

TEST_F(CommunicationRowsTest, CommunicationBeforeWhatIsKnownIsNotCompared) {
  Other(100, 200);
  other_.Fold();
  Communication(150, 300);
  EXPECT_EQ(Row().compared_ns(), 0u);
  Communication(200, 300);
  EXPECT_EQ(Row().compared_ns(), 100u);
}

TEST_F(CommunicationRowsTest, CountsOtherWorkThatComesWhenCommunicationIsForgotten) {
  for (uint64_t i = 0; i <= CommunicationRows::kMaxKept; i++) Communication(10 * i, 10 * i + 5);
  // The older half is forgotten, up to its last end.
  const uint64_t until = 10 * (CommunicationRows::kMaxKept / 2 - 1) + 5;
  Other(until, until + 5);
  EXPECT_EQ(rows_.late_count(), 0u);
  Other(until - 1, until);
  EXPECT_EQ(rows_.late_count(), 1u);
  Other(until + 5, until + 10);  // the oldest that is kept
  EXPECT_EQ(Row().hidden_ns(), 5u);
}

TEST_F(CommunicationRowsTest, AnyOrderGivesTheSameSums) {
  std::mt19937 random(5);
  const auto number = [&](uint64_t below) { return static_cast<uint64_t>(random()) % below; };
  struct Interval {
    bool communication;
    uint64_t begin, end;
  };
  std::vector<Interval> intervals;
  std::vector<bool> other(2100);
  for (int i = 0; i < 300; i++) {
    const uint64_t begin = number(2000);
    intervals.push_back({i % 3 == 0, begin, begin + 1 + number(i % 30 == 0 ? 90 : 9)});
    const Interval& last = intervals.back();
    for (uint64_t t = last.begin; t < last.end && !last.communication; t++) other[t] = true;
  }
  uint64_t compared = 0, hidden = 0;  // by looking at each ns
  for (const Interval& interval : intervals) {
    for (uint64_t t = interval.begin; t < interval.end && interval.communication; t++) {
      compared++;
      hidden += other[t] ? 1 : 0;
    }
  }
  std::shuffle(intervals.begin(), intervals.end(), random);
  for (const Interval& interval : intervals) {
    interval.communication ? Communication(interval.begin, interval.end)
                           : Other(interval.begin, interval.end);
  }
  EXPECT_GT(hidden, 100u);
  EXPECT_GT(compared, hidden);
  EXPECT_EQ(Row().compared_ns(), compared);
  EXPECT_EQ(Row().hidden_ns(), hidden);
}

}  // namespace
}  // namespace flopsprof::agent
