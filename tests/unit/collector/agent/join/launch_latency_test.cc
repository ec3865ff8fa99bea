// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/join/launch_latency.h"

#include <gtest/gtest.h>

#include "tests/support/fake_injector.h"

namespace flopsprof::agent {
namespace {

using testing::Kernel;

constexpr uint64_t kSecond = 1'000'000'000;
// CUPTI's clock is this much ahead of the host's.
constexpr uint64_t kAhead = 1'700'000'000 * kSecond;

class LaunchLatencyTest : public ::testing::Test {
 protected:
  void LaunchAt(uint32_t correlation, uint64_t mono_ns) {
    shm::LaunchRecord record = testing::Launch(correlation, 3, shm::kNoCall);
    record.mono_ns = mono_ns;
    latency_.AddLaunch(record);
  }
  void BeginsAt(uint32_t correlation, uint64_t mono_ns, uint64_t ahead_ns = kAhead) {
    latency_.AddActivity(Kernel(correlation, 1, mono_ns + ahead_ns, mono_ns + ahead_ns + 5));
  }
  void ClocksAt(uint64_t mono_ns, uint64_t ahead_ns = kAhead, uint64_t gap_ns = 0) {
    shm::ClockRecord record = {};
    record.mono_ns = mono_ns;
    record.gpu_ns = mono_ns + ahead_ns;
    record.gap_ns = gap_ns;
    latency_.AddClock(record);
  }
  const v1::LaunchLatencyRow& row() { return latency_.row(); }

  LaunchLatency latency_;
};

TEST_F(LaunchLatencyTest, IsFromTheCallToTheBeginOfTheKernel) {
  ClocksAt(kSecond);
  LaunchAt(1, kSecond + 100);
  LaunchAt(2, kSecond + 200);
  BeginsAt(1, kSecond + 1100);  // 1,000
  BeginsAt(2, kSecond + 4200);  // 4,000: it was queued behind the first
  ClocksAt(2 * kSecond);
  ClocksAt(3 * kSecond);
  EXPECT_EQ(row().launches(), 2u);
  EXPECT_EQ(row().measured(), 2u);
  EXPECT_EQ(row().sum_ns(), 5000u);
  EXPECT_EQ(row().min_ns(), 1000u);
  EXPECT_EQ(row().max_ns(), 4000u);
  EXPECT_EQ(row().error_ns(), 0u);
}

TEST_F(LaunchLatencyTest, NothingCountsBeforeTwoPairsOfClocksHaveAgreed) {
  LaunchAt(1, kSecond);
  BeginsAt(1, kSecond + 700);
  ClocksAt(2 * kSecond);
  EXPECT_EQ(row().measured(), 0u);
  ClocksAt(3 * kSecond);
  EXPECT_EQ(row().measured(), 1u);
  EXPECT_EQ(row().sum_ns(), 700u);
}

TEST_F(LaunchLatencyTest, TheActivityMayComeFirst) {
  LaunchAt(1, kSecond);
  BeginsAt(2, kSecond + 900);
  LaunchAt(2, kSecond + 600);
  ClocksAt(2 * kSecond);
  ClocksAt(3 * kSecond);
  EXPECT_EQ(row().measured(), 1u);
  EXPECT_EQ(row().sum_ns(), 300u);
}

TEST_F(LaunchLatencyTest, MoreWorkOfOneLaunchCountsOnce) {
  LaunchAt(1, kSecond);
  BeginsAt(1, kSecond + 500);
  BeginsAt(1, kSecond + 800);
  ClocksAt(2 * kSecond);
  ClocksAt(3 * kSecond);
  EXPECT_EQ(row().measured(), 1u);
  EXPECT_EQ(row().max_ns(), 500u);
}

TEST_F(LaunchLatencyTest, ALaunchWithoutATimeOrWithoutWorkIsNotMeasured) {
  latency_.AddLaunch(testing::Launch(1, 3, shm::kNoCall));  // as without the host's clock
  BeginsAt(1, kSecond + 500);
  EXPECT_FALSE(latency_.any());
  LaunchAt(2, kSecond);
  shm::ActivityRecord bad = Kernel(2, 1, 0, 0);
  latency_.AddActivity(bad);
  ClocksAt(2 * kSecond);
  ClocksAt(3 * kSecond);
  latency_.Finish();
  EXPECT_EQ(row().launches(), 1u);
  EXPECT_EQ(row().measured(), 0u);
  EXPECT_EQ(row().clock_unsure(), 0u);
}

TEST_F(LaunchLatencyTest, WhatWasCapturedIsNotMeasuredByAReplay) {
  LaunchAt(1, kSecond);
  latency_.Forget(1);
  shm::ActivityRecord node = Kernel(1, 1, kSecond + kAhead, kSecond + kAhead + 5);
  node.graph_node = 77;
  latency_.AddActivity(node);
  ClocksAt(2 * kSecond);
  ClocksAt(3 * kSecond);
  EXPECT_EQ(row().measured(), 0u);
}

TEST_F(LaunchLatencyTest, WhereAClockWasSetNothingOfThatTimeCounts) {
  constexpr uint64_t kHour = 3600 * kSecond;
  ClocksAt(1 * kSecond);
  ClocksAt(2 * kSecond);
  LaunchAt(1, 2 * kSecond + 1);
  BeginsAt(1, 2 * kSecond + 101);  // before it was set
  LaunchAt(2, 2 * kSecond + 500);
  BeginsAt(2, 2 * kSecond + 700, kAhead + kHour);  // after
  ClocksAt(3 * kSecond, kAhead + kHour);
  LaunchAt(3, 3 * kSecond - 5);  // told late: launched when nobody knew which clock it was
  BeginsAt(3, 3 * kSecond + 300, kAhead + kHour);
  LaunchAt(4, 3 * kSecond + 10);
  BeginsAt(4, 3 * kSecond + 60, kAhead + kHour);
  ClocksAt(4 * kSecond, kAhead + kHour);
  ClocksAt(5 * kSecond, kAhead + kHour);
  EXPECT_EQ(row().clock_unsure(), 3u);
  EXPECT_EQ(row().measured(), 1u);
  EXPECT_EQ(row().sum_ns(), 50u);
}

TEST_F(LaunchLatencyTest, DriftAndTheWidthOfTheReadingsAreTheError) {
  ClocksAt(1 * kSecond, kAhead, 400);
  LaunchAt(1, kSecond + 100);
  BeginsAt(1, kSecond + 5100);
  ClocksAt(2 * kSecond, kAhead + 2000, 600);  // 2 us a second
  ClocksAt(3 * kSecond, kAhead + 4000, 400);
  EXPECT_EQ(row().measured(), 1u);
  EXPECT_EQ(row().error_ns(), 2500u);  // 2,000 and half of 600 and of 400
  EXPECT_NEAR(static_cast<double>(row().sum_ns()), 5000, 4000);
}

TEST_F(LaunchLatencyTest, AKernelALittleBeforeItsLaunchSaysHowFarTheClocksMayBeWrong) {
  ClocksAt(1 * kSecond);
  for (uint32_t i = 1; i <= 100; i++) {
    LaunchAt(i, kSecond + 10'000 * i);
    BeginsAt(i, kSecond + 10'000 * i + 3'000);
  }
  LaunchAt(101, 2 * kSecond - 9'000);
  BeginsAt(101, 2 * kSecond - 9'500);  // 500 before
  ClocksAt(2 * kSecond);
  ClocksAt(3 * kSecond);
  EXPECT_EQ(row().measured(), 101u);
  EXPECT_EQ(row().clock_unsure(), 0u);
  EXPECT_EQ(row().min_ns(), 0u);
  EXPECT_EQ(row().error_ns(), 500u);
  EXPECT_EQ(row().sum_ns(), 100u * 3'000 - 500);
}

TEST_F(LaunchLatencyTest, AKernelLongBeforeItsLaunchShowsThatTheClocksAreWrong) {
  ClocksAt(1 * kSecond);
  LaunchAt(1, kSecond + 2'000'000);
  BeginsAt(1, kSecond + 999'999);  // a millisecond and a nanosecond before
  ClocksAt(2 * kSecond);
  ClocksAt(3 * kSecond);
  EXPECT_EQ(row().measured(), 0u);
  EXPECT_EQ(row().clock_unsure(), 1u);
}

// A process may write anything.
TEST_F(LaunchLatencyTest, ImpossibleTimesAreNotMeasured) {
  for (const uint64_t odd : {uint64_t{1}, uint64_t{1} << 63, UINT64_MAX - 1}) {
    for (const uint64_t other : {uint64_t{1}, uint64_t{1} << 63, UINT64_MAX - 5}) {
      shm::ClockRecord clock = {};
      clock.mono_ns = odd;
      clock.gpu_ns = other;
      clock.gap_ns = odd;
      latency_.AddClock(clock);
      LaunchAt(1, other);
      latency_.AddActivity(Kernel(1, 1, odd, odd));
    }
  }
  latency_.Finish();
  EXPECT_LE(row().measured() + row().clock_unsure(), row().launches());
}

TEST_F(LaunchLatencyTest, AtTheEndOnlyWhatBeganAfterTheLastPairIsLeftOut) {
  ClocksAt(1 * kSecond);
  LaunchAt(1, kSecond + 100);
  BeginsAt(1, kSecond + 300);
  ClocksAt(2 * kSecond);
  LaunchAt(2, 2 * kSecond + 100);
  BeginsAt(2, 2 * kSecond + 300);
  latency_.Finish();
  EXPECT_EQ(row().measured(), 1u);
  EXPECT_EQ(row().clock_unsure(), 1u);
}

TEST_F(LaunchLatencyTest, AtTheEndWhatBeganBeforeTheLastPairCounts) {
  ClocksAt(1 * kSecond);
  LaunchAt(1, kSecond + 100);
  BeginsAt(1, kSecond + 300);
  ClocksAt(2 * kSecond);
  latency_.Finish();
  EXPECT_EQ(row().measured(), 1u);
}

TEST_F(LaunchLatencyTest, AtTheEndWhatBeganAfterTheLastPairIsUnsure) {
  ClocksAt(1 * kSecond);
  LaunchAt(1, kSecond + 100);
  BeginsAt(1, kSecond + 300);
  latency_.Finish();
  EXPECT_EQ(row().measured(), 0u);
  EXPECT_EQ(row().clock_unsure(), 1u);
}

TEST_F(LaunchLatencyTest, ManyLaunchesWithoutWorkAreForgotten) {
  for (uint32_t i = 1; i <= 300'000; i++) LaunchAt(i, kSecond + i);
  BeginsAt(1, kSecond + 500);
  BeginsAt(300'000, kSecond + 300'500);
  ClocksAt(2 * kSecond);
  ClocksAt(3 * kSecond);
  EXPECT_EQ(row().launches(), 300'000u);
  EXPECT_EQ(row().measured(), 1u);
  EXPECT_EQ(row().sum_ns(), 500u);
}

}  // namespace
}  // namespace flopsprof::agent
