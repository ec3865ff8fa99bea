// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/graphs/graph_replays.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/fake_injector.h"

namespace flopsprof::agent {
namespace {

using Kind = shm::GraphEventKind;
using testing::CallInCapture;
using testing::Gemm;
using testing::GraphChange;
using testing::NodeOfCall;
using testing::Replay;

constexpr RingId kRing = {3, 1};
constexpr uint64_t kGraph = 0x100, kExec = 0xe00;
constexpr uint64_t kCapture = 71;
constexpr uint32_t kGraphId = 7, kExecId = 9;
constexpr uint32_t kScope = 5;
constexpr uint64_t kProduct = 2 * 120 * 8 * 400;

class GraphReplaysTest : public ::testing::Test {
 protected:
  // One product of scope 5, forward, with one kernel.
  void CaptureProduct(uint32_t call, uint32_t node) {
    replays_.AddCall(kRing, CallInCapture(call, kScope, kCapture));
    replays_.AddNode(kRing, NodeOfCall(call, kScope, kGraphId, node));
    shm::GemmCall gemm = Gemm(call, kScope, 120, 8, 400);
    gemm.header.flags = shm::kFlagCaptured;
    replays_.AddCallRecord(kRing, call, gemm);
  }
  void EndCapture(uint64_t order) {
    shm::GraphEvent event = GraphChange(order, Kind::kCaptureEnd, kGraph);
    event.capture = kCapture;
    event.graph_id = kGraphId;
    replays_.AddEvent(event);
  }
  void Instantiate(uint64_t order) {
    shm::GraphEvent event = GraphChange(order, Kind::kInstantiate, kGraph, kExec);
    event.graph_id = kGraphId;
    event.other_id = kExecId;
    replays_.AddEvent(event);
  }
  void CaptureAndInstantiate() {
    CaptureProduct(1, 1);
    EndCapture(1);
    Instantiate(2);
  }
  void Launch(const shm::GraphLaunch& launch) {
    correlator_.AddGraphLaunch(launch);
    replays_.AddLaunch(launch);
  }
  void Timed(uint32_t correlation, uint32_t node, uint64_t duration_ns) {
    shm::ActivityRecord record = testing::Kernel(correlation, 0, 1000, 1000 + duration_ns);
    record.graph_node = uint64_t{kExecId} << 32 | node;
    correlator_.AddActivity(record, 0);
  }
  void TimedWhole(uint32_t correlation, uint64_t duration_ns) {
    shm::ActivityRecord record = testing::Kernel(correlation, 0, 1000, 1000 + duration_ns);
    record.kind = static_cast<uint8_t>(shm::ActivityKind::kGraph);
    correlator_.AddActivity(record, 0);
  }
  // All rings are read to their ends, twice: what was read is settled.
  void Settle(bool final = false) {
    for (int i = 0; i < 2; i++) replays_.EndPass(/*emptied=*/true, final, &correlator_);
    correlator_.Retry(0, final);
  }
  v1::GraphRow OnlyRow() {
    v1::ProcessProfile profile;
    EXPECT_EQ(replays_.Emit(10, &profile), 1u);
    return profile.graphs_size() == 0 ? v1::GraphRow() : profile.graphs(0);
  }
  v1::ProcessProfile Rows() {
    v1::ProcessProfile profile;
    aggregator_.Emit(NameTable(), 100, /*final=*/true, &profile);
    return profile;
  }
  // GPU time of scope 5, forward, by what is known of the work.
  static uint64_t TimeOf(const v1::ProcessProfile& rows, v1::TimeCategory category) {
    for (const v1::TimeRow& row : rows.times()) {
      const bool right = row.scope() == kScope && row.phase() == v1::PHASE_FORWARD;
      if (right && row.category() == category) return row.gpu_time_ns();
    }
    return 0;
  }

  Aggregator aggregator_{std::nullopt};
  GraphReplays replays_{&aggregator_};
  Correlator correlator_{&replays_};
};

TEST_F(GraphReplaysTest, EachReplayCountsTheCapturedCalls) {
  CaptureAndInstantiate();
  for (uint32_t i = 1; i <= 3; i++) Launch(Replay(i, kExec, 2, /*step=*/i));
  Settle();
  EXPECT_EQ(aggregator_.flops(), model::FlopCount{3 * kProduct});
  const v1::GraphRow row = OnlyRow();
  EXPECT_EQ(row.state(), "counted");
  EXPECT_EQ(row.graphs(), 1u);
  EXPECT_EQ(row.replays(), 3u);
  EXPECT_EQ(row.calls(), 3u);
  const v1::ProcessProfile rows = Rows();
  ASSERT_EQ(rows.calls_size(), 1);
  EXPECT_EQ(rows.calls(0).scope(), kScope);
  EXPECT_EQ(rows.calls(0).calls(), 3u);
  EXPECT_FALSE(rows.calls(0).captured());
  ASSERT_EQ(rows.steps_size(), 3);  // of the replays
  EXPECT_EQ(rows.steps(0).flops(static_cast<int>(shm::Phase::kForward)).low(), kProduct);
}

TEST_F(GraphReplaysTest, ACaptureThatIsNeverReplayedCountsNothing) {
  CaptureAndInstantiate();
  Settle(/*final=*/true);
  EXPECT_EQ(aggregator_.flops(), model::FlopCount{0});
}

TEST_F(GraphReplaysTest, AReplayThatIsReadBeforeItsCaptureIsCounted) {
  Launch(Replay(1, kExec, 2));
  replays_.EndPass(/*emptied=*/true, /*final=*/false, &correlator_);
  CaptureAndInstantiate();
  replays_.EndPass(/*emptied=*/false, /*final=*/false, &correlator_);
  EXPECT_EQ(aggregator_.flops(), model::FlopCount{0});
  Settle(/*final=*/true);
  EXPECT_EQ(aggregator_.flops(), model::FlopCount{kProduct});
}

// More of them than the reader remembers of one address.
TEST_F(GraphReplaysTest, EachReplayBetweenManyUpdatesCountsWhatItsExecutableHeldThen) {
  constexpr uint64_t kUpdates = 200;
  CaptureAndInstantiate();
  for (uint64_t i = 0; i < kUpdates; i++) {
    // A graph without a capture, and the one with the product, in turn.
    const uint64_t graph = i % 2 == 0 ? 0x900 : kGraph;
    replays_.AddEvent(GraphChange(3 + i, Kind::kUpdate, graph, kExec));
    Launch(Replay(static_cast<uint32_t>(1 + i), kExec, 3 + i, /*step=*/1));
  }
  Settle();
  EXPECT_EQ(replays_.counters().unknown_replays, kUpdates / 2);
  Settle(/*final=*/true);
  const v1::ProcessProfile rows = Rows();
  ASSERT_EQ(rows.calls_size(), 1);
  EXPECT_EQ(rows.calls(0).calls(), kUpdates / 2);
}

TEST_F(GraphReplaysTest, TimesOfAForgottenExecutableAreSaidToBeThat) {
  CaptureAndInstantiate();
  Launch(Replay(1, kExec, 2, /*step=*/1));
  replays_.AddEvent(GraphChange(3, Kind::kExecDestroy, 0, kExec));
  for (uint64_t i = 0; i < 20000; i++) {
    replays_.AddEvent(GraphChange(4 + 2 * i, Kind::kInstantiate, kGraph, kExec));
    replays_.AddEvent(GraphChange(5 + 2 * i, Kind::kExecDestroy, 0, kExec));
  }
  Settle();
  Timed(1, 1, 700);
  correlator_.Retry(0, true);
  v1::ProcessProfile profile;
  replays_.Emit(10, &profile);
  ASSERT_EQ(profile.graphs_size(), 2);
  EXPECT_EQ(profile.graphs(0).replays(), 1u);
  EXPECT_EQ(profile.graphs(1).state(), "forgotten: too many graphs were made and destroyed since");
  EXPECT_EQ(profile.graphs(1).gpu_time_ns(), 700u);
}

TEST_F(GraphReplaysTest, ANodesTimeIsItsCalls) {
  CaptureAndInstantiate();
  Launch(Replay(40, kExec, 2));
  Timed(40, 1, 25);
  Settle();
  const v1::ProcessProfile rows = Rows();
  EXPECT_EQ(TimeOf(rows, v1::TIME_CATEGORY_EXACT), 25u);
  ASSERT_EQ(rows.calls_size(), 1);
  EXPECT_EQ(rows.calls(0).gpu_time_ns(), 25u);
  EXPECT_EQ(rows.calls(0).min_gpu_time_ns(), 25u);
  EXPECT_EQ(OnlyRow().gpu_time_ns(), 25u);
}

TEST_F(GraphReplaysTest, TheTimeOfAWholeReplayIsSharedEquallyWhileNothingElseIsKnown) {
  CaptureProduct(1, 1);
  replays_.AddNode(kRing, NodeOfCall(shm::kNoCall, kScope, kGraphId, 2));
  EndCapture(1);
  Instantiate(2);
  Launch(Replay(40, kExec, 2));
  TimedWhole(40, 101);
  Settle();
  const v1::ProcessProfile rows = Rows();
  const uint64_t exact = TimeOf(rows, v1::TIME_CATEGORY_EXACT);
  EXPECT_TRUE(exact == 50 || exact == 51);  // which is first is not said
  EXPECT_EQ(exact + TimeOf(rows, v1::TIME_CATEGORY_UNKNOWN), 101u);
  EXPECT_EQ(OnlyRow().shared_ns(), 101u);
}

TEST_F(GraphReplaysTest, TheSampledStackOfAWholeReplayStandsForItsLaunchesOnce) {
  CaptureProduct(1, 1);
  replays_.AddNode(kRing, NodeOfCall(shm::kNoCall, kScope, kGraphId, 2));
  EndCapture(1);
  Instantiate(2);
  shm::LaunchRecord launch = testing::Launch(40, kScope, shm::kNoCall);
  launch.stack = 3;
  launch.stack_launches = 7;
  correlator_.AddLaunch(kRing, launch);
  Launch(Replay(40, kExec, 2));
  TimedWhole(40, 101);
  Settle();
  uint64_t launches = 0;
  v1::ProcessProfile rows;
  aggregator_.EmitStacks(NameTable(), 100, /*final=*/true, 0, &rows);
  for (const v1::StackRow& row : rows.stack_rows()) launches += row.launches();
  EXPECT_EQ(launches, 7u);
}

TEST_F(GraphReplaysTest, TheTimeOfAWholeReplayIsSharedAsItsNodesWereTimedBefore) {
  CaptureProduct(1, 1);
  replays_.AddNode(kRing, NodeOfCall(shm::kNoCall, kScope, kGraphId, 2));
  EndCapture(1);
  Instantiate(2);
  Launch(Replay(40, kExec, 2));
  Timed(40, 1, 30);
  Timed(40, 2, 10);
  Settle();
  Launch(Replay(41, kExec, 2));
  TimedWhole(41, 100);
  Settle();
  const v1::ProcessProfile rows = Rows();
  EXPECT_EQ(TimeOf(rows, v1::TIME_CATEGORY_EXACT), 30u + 75u);
  EXPECT_EQ(TimeOf(rows, v1::TIME_CATEGORY_UNKNOWN), 10u + 25u);
}

TEST_F(GraphReplaysTest, AReplayOfAnUnknownGraphIsUnknownWithItsTime) {
  for (uint32_t i = 1; i <= 2; i++) {
    Launch(Replay(i, kExec, 0));
    Timed(i, 1, 25);
  }
  Settle();
  EXPECT_EQ(aggregator_.flops(), model::FlopCount{0});
  EXPECT_EQ(replays_.counters().unknown_replays, 2u);
  const v1::GraphRow row = OnlyRow();
  EXPECT_EQ(row.state(), "captured before profiling began, or in a way that is not seen");
  EXPECT_EQ(row.graphs(), 1u);
  EXPECT_EQ(row.replays(), 2u);
  EXPECT_EQ(row.calls(), 0u);
  EXPECT_EQ(row.gpu_time_ns(), 50u);
}

TEST_F(GraphReplaysTest, AnEditedExecutableIsUnknown) {
  CaptureAndInstantiate();
  replays_.AddEvent(GraphChange(3, Kind::kEdit, 0, kExec));
  Launch(Replay(40, kExec, 3));
  Timed(40, 1, 25);
  Settle();
  EXPECT_EQ(aggregator_.flops(), model::FlopCount{0});
  EXPECT_EQ(replays_.counters().unknown_replays, 1u);
  EXPECT_EQ(TimeOf(Rows(), v1::TIME_CATEGORY_UNKNOWN), 25u);
  EXPECT_EQ(OnlyRow().state(), "changed after instantiation, node by node or by an unknown child");
}

TEST_F(GraphReplaysTest, WhatWasCapturedWhileNothingWasRecordedIsUnknownWithItsTime) {
  CaptureProduct(1, 1);  // the part that was recorded
  shm::GraphEvent event = GraphChange(1, Kind::kUnrecorded, kGraph);
  event.capture = kCapture;
  event.graph_id = kGraphId;
  replays_.AddEvent(event);
  Instantiate(2);
  Launch(Replay(1, kExec, 2));
  Settle();
  TimedWhole(1, 600);
  Settle(/*final=*/true);
  EXPECT_EQ(aggregator_.flops(), model::FlopCount{0});
  const v1::GraphRow row = OnlyRow();
  EXPECT_EQ(row.state(), "captured before `flopsprof ctl start`, while nothing was recorded");
  EXPECT_EQ(row.replays(), 1u);
  EXPECT_EQ(row.gpu_time_ns(), 600u);
  EXPECT_EQ(replays_.counters().unknown_replays, 1u);
}

TEST_F(GraphReplaysTest, ConditionalBodiesAreSaidToBeMissing) {
  CaptureProduct(1, 1);
  EndCapture(1);
  replays_.AddEvent(GraphChange(2, Kind::kConditional, kGraph));
  Instantiate(3);
  Launch(Replay(40, kExec, 3));
  Settle();
  EXPECT_EQ(aggregator_.flops(), model::FlopCount{kProduct});
  EXPECT_EQ(OnlyRow().state().rfind("counted without the bodies of conditional nodes", 0), 0u);
}

TEST_F(GraphReplaysTest, TheTimeOfAReplayWithConditionalBodiesIsNotShared) {
  CaptureProduct(1, 1);
  EndCapture(1);
  replays_.AddEvent(GraphChange(2, Kind::kConditional, kGraph));
  Instantiate(3);
  Launch(Replay(40, kExec, 3));
  Settle();
  TimedWhole(40, 900);
  correlator_.Retry(0, true);
  EXPECT_EQ(TimeOf(Rows(), v1::TIME_CATEGORY_EXACT), 0u);
  const v1::GraphRow row = OnlyRow();
  EXPECT_EQ(row.gpu_time_ns(), 900u);
  EXPECT_EQ(row.shared_ns(), 0u);
}

TEST_F(GraphReplaysTest, ATimedNodeThatNobodyHasSeenMadeIsCounted) {
  CaptureAndInstantiate();
  Launch(Replay(40, kExec, 2));
  Timed(40, /*node=*/77, 25);
  Settle();
  EXPECT_EQ(replays_.counters().unknown_nodes, 1u);
  EXPECT_EQ(TimeOf(Rows(), v1::TIME_CATEGORY_EXACT), 0u);
}

// What CUPTI may do while it is told to time launches instead of nodes.
TEST_F(GraphReplaysTest, AReplayThatIsTimedTwiceIsBookedOnce) {
  CaptureProduct(1, 1);
  CaptureProduct(2, 2);
  EndCapture(1);
  Instantiate(2);
  for (uint32_t replay = 40; replay <= 43; ++replay) Launch(Replay(replay, kExec, 2));
  Settle();
  Timed(40, 1, 25);
  Timed(40, 2, 30);
  TimedWhole(40, 60);
  TimedWhole(41, 70);
  Timed(41, 1, 25);
  Timed(41, 2, 30);
  Timed(42, 1, 20);  // timed once
  Timed(42, 2, 20);
  Timed(43, 1, 20);  // one node, then the switch
  TimedWhole(43, 50);
  Settle();
  EXPECT_EQ(TimeOf(Rows(), v1::TIME_CATEGORY_EXACT), 25u + 30 + 70 + 40 + 50);
  EXPECT_EQ(correlator_.counters().replay_times_twice, 4u);
  EXPECT_EQ(OnlyRow().gpu_time_ns(), 25u + 30 + 70 + 40 + 50);
}

TEST_F(GraphReplaysTest, AHoleInTheNumbersOfEventsIsCounted) {
  EndCapture(1);
  Instantiate(4);
  Settle(/*final=*/true);
  EXPECT_EQ(replays_.counters().lost_events, 2u);
}

TEST_F(GraphReplaysTest, EventsInAnyOrderOfReadingLackNothing) {
  Instantiate(2);
  EndCapture(1);
  Settle(/*final=*/true);
  EXPECT_EQ(replays_.counters().lost_events, 0u);
}

TEST_F(GraphReplaysTest, ACallThatComesAfterTheEndOfItsCaptureIsCountedAsUnlinked) {
  CaptureAndInstantiate();
  Settle();
  CaptureProduct(2, 2);
  EXPECT_EQ(replays_.counters().unlinked_calls, 1u);
}

TEST(GraphReplaysInAWindowTest, OnlyReplaysInTheWindowCount) {
  Aggregator aggregator(StepWindow{10, 12});
  GraphReplays replays(&aggregator);
  Correlator correlator(&replays);
  replays.AddCall(kRing, CallInCapture(1, kScope, kCapture));
  shm::GemmCall gemm = Gemm(1, kScope, 120, 8, 400, shm::Phase::kForward, /*step=*/3);
  gemm.header.flags = shm::kFlagCaptured;
  replays.AddCallRecord(kRing, 1, gemm);
  shm::GraphEvent captured = GraphChange(1, Kind::kCaptureEnd, kGraph);
  captured.capture = kCapture;
  replays.AddEvent(captured);
  replays.AddEvent(GraphChange(2, Kind::kInstantiate, kGraph, kExec));
  for (const uint32_t step : {9u, 10u, 11u, 12u, shm::kNoStep}) {
    replays.AddLaunch(Replay(0, kExec, 2, step));
  }
  replays.EndPass(/*emptied=*/true, /*final=*/true, &correlator);
  aggregator.Finish();
  EXPECT_EQ(aggregator.flops(), model::FlopCount{2 * kProduct});
}

}  // namespace
}  // namespace flopsprof::agent
