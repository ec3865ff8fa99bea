// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/join/correlator.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "tests/support/fake_injector.h"

namespace flopsprof::agent {
namespace {

using testing::Copy;
using testing::Kernel;
using testing::Launch;

class KeepingSink : public JoinSink {
 public:
  void OnJoined(const JoinedActivity& activity) override { joined.push_back(activity); }
  void OnCallTime(const BookedCall& call, uint64_t gpu_time_ns) override {
    call_times.emplace_back(call.row, gpu_time_ns);
  }
  void OnReplayed(const JoinedActivity& activity, uint32_t executable) override {
    replayed.push_back(activity);
    executables.push_back(executable);
  }
  std::vector<JoinedActivity> replayed;
  std::vector<uint32_t> executables;
  std::vector<JoinedActivity> joined;
  std::vector<std::pair<uint32_t, uint64_t>> call_times;
};

class CorrelatorTest : public ::testing::Test {
 protected:
  static constexpr RingId kRing = {3, 1};

  BookedCall Booked(uint32_t row, uint32_t scope) {
    BookedCall booked;
    booked.context = {scope, 0, shm::Phase::kForward};
    booked.category = v1::TIME_CATEGORY_EXACT;
    booked.row = row;
    return booked;
  }
  void End() { correlator_.Retry(kNow, /*final=*/true); }

  static constexpr uint64_t kNow = 1'000'000'000;
  KeepingSink sink_;
  Correlator correlator_{&sink_};
};

TEST_F(CorrelatorTest, AKernelGetsTheScopeOfItsLaunch) {
  correlator_.AddLaunch(kRing, Launch(1, 42, shm::kNoCall, shm::Phase::kBackward, 6));
  correlator_.AddActivity(Kernel(1, 0, 100, 150), kNow);
  ASSERT_EQ(sink_.joined.size(), 1u);
  EXPECT_EQ(sink_.joined[0].context.scope, 42u);
  EXPECT_EQ(sink_.joined[0].context.step, 6u);
  EXPECT_EQ(sink_.joined[0].context.phase, shm::Phase::kBackward);
  EXPECT_EQ(sink_.joined[0].duration_ns, 50u);
  EXPECT_FALSE(sink_.joined[0].in_call);
}

TEST_F(CorrelatorTest, AnActivityWaitsForALaunchThatIsReadLater) {
  correlator_.AddActivity(Kernel(1, 0, 100, 150), kNow);
  EXPECT_TRUE(sink_.joined.empty());
  correlator_.AddLaunch(kRing, Launch(1, 42, shm::kNoCall));
  correlator_.Retry(kNow, /*final=*/false);
  ASSERT_EQ(sink_.joined.size(), 1u);
  EXPECT_EQ(sink_.joined[0].context.scope, 42u);
}

TEST_F(CorrelatorTest, AnActivityWaitsForTheEndOfItsCall) {
  correlator_.AddLaunch(kRing, Launch(1, 42, 9));
  correlator_.AddActivity(Kernel(1, 0, 100, 150), kNow);
  EXPECT_TRUE(sink_.joined.empty());
  correlator_.EndCall(kRing, 9, Booked(5, 42));
  correlator_.Retry(kNow, /*final=*/false);
  ASSERT_EQ(sink_.joined.size(), 1u);
  EXPECT_TRUE(sink_.joined[0].in_call);
  EXPECT_EQ(sink_.joined[0].call.row, 5u);
}

TEST_F(CorrelatorTest, ACallsTimeIsTheSumOfAllItsKernelsAndCopies) {
  for (uint32_t i = 1; i <= 3; i++) correlator_.AddLaunch(kRing, Launch(i, 42, 9));
  correlator_.EndCall(kRing, 9, Booked(5, 42));
  correlator_.AddActivity(Kernel(3, 0, 300, 307), kNow);
  correlator_.AddActivity(Copy(1, 100, 110), kNow);
  EXPECT_TRUE(sink_.call_times.empty());
  correlator_.AddActivity(Kernel(2, 0, 200, 203), kNow);
  EXPECT_EQ(sink_.call_times, (std::vector<std::pair<uint32_t, uint64_t>>{{5, 20}}));
}

TEST_F(CorrelatorTest, AFailedCallOwnsNothing) {
  correlator_.AddLaunch(kRing, Launch(1, 42, 9));
  correlator_.EndCall(kRing, 9, std::nullopt);
  correlator_.AddActivity(Kernel(1, 0, 100, 150), kNow);
  ASSERT_EQ(sink_.joined.size(), 1u);
  EXPECT_FALSE(sink_.joined[0].in_call);
  EXPECT_EQ(sink_.joined[0].context.scope, 42u);
}

TEST_F(CorrelatorTest, EqualCallNumbersOfTwoRingsAreTwoCalls) {
  const RingId other = {4, 1};
  correlator_.AddLaunch(kRing, Launch(1, 42, 9));
  correlator_.AddLaunch(other, Launch(2, 43, 9));
  correlator_.EndCall(kRing, 9, Booked(5, 42));
  correlator_.EndCall(other, 9, Booked(6, 43));
  correlator_.AddActivity(Kernel(2, 0, 100, 150), kNow);
  correlator_.AddActivity(Kernel(1, 0, 100, 150), kNow);
  ASSERT_EQ(sink_.joined.size(), 2u);
  EXPECT_EQ(sink_.joined[0].call.row, 6u);
  EXPECT_EQ(sink_.joined[1].call.row, 5u);
}

TEST_F(CorrelatorTest, EqualCallNumbersOfTwoGenerationsAreTwoCalls) {
  correlator_.AddLaunch({3, 1}, Launch(1, 42, 9));
  correlator_.AddLaunch({3, 2}, Launch(2, 42, 9));
  correlator_.EndCall({3, 2}, 9, Booked(6, 42));
  correlator_.AddActivity(Kernel(1, 0, 100, 150), kNow);
  EXPECT_TRUE(sink_.joined.empty());
}

TEST_F(CorrelatorTest, AllKernelsOfAGraphReplayWaitUntilItIsKnownWhatIsReplayed) {
  shm::GraphLaunch graph = {};
  graph.header = testing::Header(shm::RecordType::kGraphLaunch);
  graph.correlation = 1;
  graph.scope = 42;
  correlator_.AddGraphLaunch(graph);
  for (uint64_t node = 1; node <= 3; node++) {
    shm::ActivityRecord kernel = Kernel(1, 0, node * 100, node * 100 + 10);
    kernel.graph_node = node;
    correlator_.AddActivity(kernel, kNow);
  }
  correlator_.Retry(kNow, /*final=*/false);
  EXPECT_TRUE(sink_.replayed.empty());
  correlator_.SettleGraphLaunch(1, 7);
  correlator_.Retry(kNow, /*final=*/false);
  ASSERT_EQ(sink_.replayed.size(), 3u);
  EXPECT_EQ(sink_.replayed[0].context.scope, 42u);
  EXPECT_EQ(sink_.executables[0], 7u);
  EXPECT_TRUE(sink_.joined.empty());
  End();
  EXPECT_EQ(correlator_.counters().launches_without_activity, 0u);
  EXPECT_EQ(correlator_.counters().activities_without_launch, 0u);
}

TEST_F(CorrelatorTest, ALaunchThatMadeANodeIsNotMissed) {
  correlator_.AddLaunch(kRing, Launch(1, 42, 9));
  correlator_.AddLaunch(kRing, Launch(2, 42, 9));
  correlator_.MarkCaptured(2);
  correlator_.EndCall(kRing, 9, Booked(5, 42));
  correlator_.AddActivity(Kernel(1, 0, 100, 150), kNow);
  ASSERT_EQ(sink_.call_times.size(), 1u);  // the call has no kernel but the first
  End();
  EXPECT_EQ(correlator_.counters().launches_without_activity, 0u);
}

TEST_F(CorrelatorTest, AKernelWithoutALaunchIsBookedOutsideInTheEndAndCounted) {
  correlator_.AddActivity(Kernel(77, 0, 100, 150), kNow);
  End();
  ASSERT_EQ(sink_.joined.size(), 1u);
  EXPECT_EQ(sink_.joined[0].context.scope, shm::kOutsideScope);
  EXPECT_EQ(sink_.joined[0].context.phase, shm::Phase::kOther);
  EXPECT_EQ(correlator_.counters().activities_without_launch, 1u);
}

TEST_F(CorrelatorTest, AKernelIsNotWaitedForLongerThanFiveSeconds) {
  correlator_.AddActivity(Kernel(77, 0, 100, 150), kNow);
  correlator_.Retry(kNow + Correlator::kMaxWaitNs, /*final=*/false);
  EXPECT_TRUE(sink_.joined.empty());
  correlator_.Retry(kNow + Correlator::kMaxWaitNs + 1, /*final=*/false);
  EXPECT_EQ(sink_.joined.size(), 1u);
}

TEST_F(CorrelatorTest, AKernelOfACallThatNeverEndsIsBookedWithoutItAndCounted) {
  correlator_.AddLaunch(kRing, Launch(1, 42, 9));
  correlator_.AddActivity(Kernel(1, 0, 100, 150), kNow);
  End();
  ASSERT_EQ(sink_.joined.size(), 1u);
  EXPECT_FALSE(sink_.joined[0].in_call);
  EXPECT_EQ(sink_.joined[0].context.scope, 42u);
  EXPECT_EQ(correlator_.counters().calls_without_end, 1u);
}

TEST_F(CorrelatorTest, LaunchesWithoutActivityAreCountedInTheEnd) {
  correlator_.AddLaunch(kRing, Launch(1, 42, shm::kNoCall));
  correlator_.AddLaunch(kRing, Launch(2, 42, shm::kNoCall));
  correlator_.AddActivity(Kernel(2, 0, 100, 150), kNow);
  EXPECT_EQ(correlator_.counters().launches_without_activity, 0u);
  End();
  EXPECT_EQ(correlator_.counters().launches_without_activity, 1u);
}

TEST_F(CorrelatorTest, ACapturedLaunchNeedsNoActivity) {
  shm::LaunchRecord captured = Launch(1, 42, 9);
  captured.header.flags = shm::kFlagCaptured;
  correlator_.AddLaunch(kRing, captured);
  End();
  EXPECT_EQ(correlator_.counters().launches_without_activity, 0u);
}

TEST_F(CorrelatorTest, TheSameLaunchSeenTwiceIsOneLaunch) {
  correlator_.AddLaunch(kRing, Launch(1, 42, 9));
  correlator_.AddLaunch(kRing, Launch(1, 42, 9));
  correlator_.EndCall(kRing, 9, Booked(5, 42));
  correlator_.AddActivity(Kernel(1, 0, 100, 150), kNow);
  EXPECT_EQ(sink_.call_times.size(), 1u);
}

TEST_F(CorrelatorTest, BadTimesHaveNoDurationAndLeaveTheCallWithoutATime) {
  correlator_.AddLaunch(kRing, Launch(1, 42, 9));
  correlator_.EndCall(kRing, 9, Booked(5, 42));
  shm::ActivityRecord kernel = Kernel(1, 0, 0, 0);
  kernel.header.flags = shm::kFlagBadTimestamp;
  correlator_.AddActivity(kernel, kNow);
  ASSERT_EQ(sink_.joined.size(), 1u);
  EXPECT_FALSE(sink_.joined[0].valid_times);
  EXPECT_EQ(sink_.joined[0].duration_ns, 0u);
  EXPECT_TRUE(sink_.call_times.empty());
  EXPECT_EQ(correlator_.counters().marked_bad_times, 1u);
}

TEST_F(CorrelatorTest, BadTimesOutsideOfAllWindowsAreNoLoss) {
  correlator_.EndWindow();
  correlator_.AddLaunch(kRing, Launch(10, 1, shm::kNoCall));
  correlator_.EndWindow();
  for (const uint32_t correlation : {10u, 11u}) {
    shm::ActivityRecord kernel = Kernel(correlation, 0, 0, 0);
    kernel.header.flags = shm::kFlagBadTimestamp;
    correlator_.AddActivity(kernel, kNow);
  }
  End();
  EXPECT_EQ(correlator_.counters().activities_outside_windows, 1u);
  EXPECT_EQ(correlator_.counters().marked_bad_times, 1u);
}

TEST_F(CorrelatorTest, AnEndBeforeTheStartIsABadTime) {
  correlator_.AddLaunch(kRing, Launch(1, 42, shm::kNoCall));
  correlator_.AddActivity(Kernel(1, 0, 200, 100), kNow);
  ASSERT_EQ(sink_.joined.size(), 1u);
  EXPECT_FALSE(sink_.joined[0].valid_times);
}

TEST_F(CorrelatorTest, StaysBoundedUnderActivitiesThatNobodyLaunched) {
  constexpr uint32_t kCount = 100'000;
  for (uint32_t i = 0; i < kCount; i++) correlator_.AddActivity(Kernel(i, 0, 1, 2), kNow);
  EXPECT_EQ(sink_.joined.size(), kCount - (1u << 16));
  EXPECT_EQ(correlator_.counters().activities_without_launch, kCount - (1u << 16));
}

TEST_F(CorrelatorTest, StaysBoundedUnderLaunchesThatNeverRun) {
  constexpr uint32_t kCount = (1u << 18) + 10;
  for (uint32_t i = 0; i < kCount; i++) correlator_.AddLaunch(kRing, Launch(i, 1, shm::kNoCall));
  EXPECT_EQ(correlator_.counters().launches_without_activity, 10u);
}

TEST_F(CorrelatorTest, AnActivityThatWasLaunchedOutsideOfAllWindowsIsLeftOut) {
  correlator_.EndWindow();
  correlator_.AddLaunch(kRing, Launch(10, 1, shm::kNoCall));
  correlator_.AddLaunch(kRing, Launch(20, 1, shm::kNoCall));
  correlator_.EndWindow();
  correlator_.AddLaunch(kRing, Launch(50, 1, shm::kNoCall));
  for (const uint32_t correlation : {9u, 15u, 21u, 49u}) {
    correlator_.AddActivity(Kernel(correlation, 0, 100, 150), kNow);
  }
  End();
  EXPECT_EQ(sink_.joined.size(), 1u);  // in a window: its launch was lost
  EXPECT_EQ(correlator_.counters().activities_without_launch, 1u);
  EXPECT_EQ(correlator_.counters().activities_outside_windows, 3u);
}

// CUPTI's ids come round after 64 of its starts, one a window.
TEST_F(CorrelatorTest, AnIdOfAWindowLongAgoIsOfNoWindow) {
  const auto window = [this](uint32_t first) {
    correlator_.EndWindow();
    correlator_.AddLaunch(kRing, Launch(first, 1, shm::kNoCall));
    correlator_.AddLaunch(kRing, Launch(first + 9, 1, shm::kNoCall));
    correlator_.EndWindow();
  };
  for (uint32_t number = 1; number <= 64; number++) window(1000 * number);
  correlator_.AddActivity(Kernel(1005, 0, 100, 150), kNow);
  correlator_.AddActivity(Kernel(64005, 0, 100, 150), kNow);
  End();
  EXPECT_EQ(correlator_.counters().activities_outside_windows, 1u);
  EXPECT_EQ(correlator_.counters().activities_without_launch, 1u);
}

TEST_F(CorrelatorTest, WhatIsLaunchedAfterTheFirstWindowOfAWholeRunIsLeftOut) {
  correlator_.AddLaunch(kRing, Launch(10, 1, shm::kNoCall));
  correlator_.AddLaunch(kRing, Launch(20, 1, shm::kNoCall));
  correlator_.ExpectEndOfWindow();
  correlator_.AddLaunch(kRing, Launch(30, 1, shm::kNoCall));  // the step that runs is recorded
  for (const uint32_t correlation : {10u, 20u, 30u, 31u}) {
    correlator_.AddActivity(Kernel(correlation, 0, 100, 150), kNow);
  }
  End();
  EXPECT_EQ(sink_.joined.size(), 3u);
  EXPECT_EQ(correlator_.counters().activities_without_launch, 0u);
  EXPECT_EQ(correlator_.counters().activities_outside_windows, 1u);
}

TEST_F(CorrelatorTest, ALaunchIsOpenUntilItsActivityComes) {
  correlator_.AddLaunch(kRing, Launch(1, 1, shm::kNoCall));
  EXPECT_EQ(correlator_.open_launch_count(), 1u);
  correlator_.AddActivity(Kernel(1, 0, 100, 150), kNow);
  EXPECT_EQ(correlator_.open_launch_count(), 0u);
}

// Times of one replay that took 1000 ns, in orders that a change from times of nodes to times of
// whole graphs, or buffers that ran out, may give.
class ReplayTimesTest : public CorrelatorTest {
 protected:
  static constexpr uint32_t kReplay = 7;
  void Launch() {
    shm::GraphLaunch launch = {};
    launch.correlation = kReplay;
    correlator_.AddGraphLaunch(launch);
    correlator_.SettleGraphLaunch(kReplay, 1);
  }
  void Timed(shm::ActivityKind kind, uint64_t node, uint64_t start, uint64_t end) {
    shm::ActivityRecord record = {};
    record.correlation = kReplay;
    record.kind = static_cast<uint8_t>(kind);
    record.graph_node = node;
    record.start_gpu_ns = start;
    record.end_gpu_ns = end;
    if (start == 0) record.header.flags |= shm::kFlagBadTimestamp;
    correlator_.AddActivity(record, kNow);
  }
  void Node(uint64_t node, uint64_t start, uint64_t end) {
    Timed(shm::ActivityKind::kKernel, node, start, end);
  }
  void Whole(uint64_t start, uint64_t end) { Timed(shm::ActivityKind::kGraph, 0, start, end); }
  uint64_t Booked() {
    End();
    uint64_t ns = 0;
    for (const JoinedActivity& activity : sink_.replayed) ns += activity.duration_ns;
    return ns;
  }
};

TEST_F(ReplayTimesTest, ANodeWithoutTimesLeavesThoseOfTheWhole) {
  Launch();
  Node(5, 0, 0);
  Whole(100, 1100);
  EXPECT_EQ(Booked(), 1000u);
}

TEST_F(ReplayTimesTest, AWholeWithoutTimesLeavesThoseOfTheNodes) {
  Launch();
  Whole(0, 0);
  Node(5, 100, 600);
  Node(6, 600, 1100);
  EXPECT_EQ(Booked(), 1000u);
  EXPECT_EQ(correlator_.counters().replay_times_twice, 0u);
}

TEST_F(ReplayTimesTest, TheWholeAfterSomeNodesHasWhatTheyHaveNot) {
  Launch();
  Node(5, 100, 110);
  Whole(100, 1100);
  EXPECT_EQ(Booked(), 1000u);
  EXPECT_EQ(correlator_.counters().replay_times_twice, 1u);
}

TEST_F(ReplayTimesTest, ACopyOrASetBesideTheWholeDoesNotReplaceIt) {
  Launch();
  Timed(shm::ActivityKind::kMemcpy, 0, 90, 95);
  Timed(shm::ActivityKind::kMemset, 9, 100, 102);
  Whole(100, 1100);
  EXPECT_EQ(Booked(), 1000u);
}

// The runtime's id and the driver's are of one launch, whichever of them a record has.
class ReplayOfTwoIdsTest : public ReplayTimesTest {
 protected:
  static constexpr uint32_t kInner = 8;
  void SetUp() override {
    for (const uint32_t id : {kReplay, kInner}) {
      correlator_.AddLaunch(kRing, testing::Launch(id, 42, shm::kNoCall));
    }
    shm::GraphLaunch launch = {};
    launch.correlation = kReplay;
    launch.inner_correlation = kInner;
    correlator_.AddGraphLaunch(launch);
    correlator_.SettleGraphLaunch(kReplay, 1);
  }
  void Add(uint32_t correlation, shm::ActivityKind kind, uint64_t node, uint64_t start,
           uint64_t end) {
    shm::ActivityRecord record = {};
    record.correlation = correlation;
    record.kind = static_cast<uint8_t>(kind);
    record.graph_node = node;
    record.start_gpu_ns = start;
    record.end_gpu_ns = end;
    correlator_.AddActivity(record, kNow);
  }
};

TEST_F(ReplayOfTwoIdsTest, NodesOfTheOuterIdAndTheWholeOfTheInnerAreOneTime) {
  Add(kReplay, shm::ActivityKind::kKernel, 5, 100, 700);
  Add(kInner, shm::ActivityKind::kGraph, 0, 100, 1100);
  EXPECT_EQ(correlator_.open_launch_count(), 0u);
  EXPECT_EQ(Booked(), 1000u);
  EXPECT_EQ(correlator_.counters().replay_times_twice, 1u);
  EXPECT_EQ(correlator_.counters().launches_without_activity, 0u);
}

TEST_F(ReplayOfTwoIdsTest, NodesOfTheInnerIdAndTheWholeOfTheOuterAreOneTime) {
  Add(kReplay, shm::ActivityKind::kGraph, 0, 100, 1100);
  Add(kInner, shm::ActivityKind::kKernel, 5, 100, 700);
  EXPECT_EQ(Booked(), 1000u);
  EXPECT_EQ(sink_.executables, std::vector<uint32_t>{1});
  EXPECT_EQ(correlator_.counters().replay_times_twice, 1u);
}

TEST_F(ReplayOfTwoIdsTest, AReplayThatNeverRanIsOneLaunchWithoutActivity) {
  EXPECT_EQ(correlator_.open_launch_count(), 1u);
  End();
  EXPECT_EQ(correlator_.counters().launches_without_activity, 1u);
}

TEST_F(ReplayTimesTest, NodesSideBySideAreNotCutToTheWhole) {
  Launch();
  Node(5, 100, 1000);
  Node(6, 100, 1100);
  Whole(100, 1100);
  EXPECT_EQ(Booked(), 1900u);
}

TEST_F(ReplayTimesTest, NodesAfterTheWholeAreInIt) {
  Launch();
  Whole(100, 1100);
  Node(5, 100, 600);
  Node(6, 0, 0);
  EXPECT_EQ(Booked(), 1000u);
  EXPECT_EQ(correlator_.counters().replay_times_twice, 2u);
}

TEST_F(ReplayTimesTest, AReplayWhoseLaunchWasLostIsBookedOnce) {
  Node(5, 100, 1100);
  Whole(100, 1100);
  EXPECT_EQ(Booked(), 1000u);
  EXPECT_EQ(correlator_.counters().activities_without_launch, 2u);
}

}  // namespace
}  // namespace flopsprof::agent
