// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/tally.h"

#include <gtest/gtest.h>

#include <limits>

#include "profile_builder.h"

namespace flopsprof::model {
namespace {

v1::TimeRow TimeOf(v1::Phase phase, v1::TimeCategory category, uint64_t ns) {
  v1::TimeRow row;
  row.set_phase(phase);
  row.set_category(category);
  row.set_activities(1);
  row.set_gpu_time_ns(ns);
  return row;
}

TEST(TallyTest, APhaseInWhichNothingRanIsZeroAndNotUnknown) {
  const Tally tally;
  EXPECT_EQ(tally.flop_counts()[v1::PHASE_FORWARD], FlopCount(0));
  EXPECT_EQ(tally.gpu_time_ns()[v1::PHASE_FORWARD], 0u);
}

TEST(TallyTest, KernelsWithoutValidTimesHaveAnUnknownTimeAndNotZero) {
  Tally tally;
  tally.AddTime(TimeOf(v1::PHASE_FORWARD, v1::TIME_CATEGORY_EXACT, 0));
  EXPECT_FALSE(tally.gpu_time_ns()[v1::PHASE_FORWARD].has_value());
  tally.AddTime(TimeOf(v1::PHASE_FORWARD, v1::TIME_CATEGORY_COPY, 5));
  EXPECT_EQ(tally.gpu_time_ns()[v1::PHASE_FORWARD], 5u);
}

TEST(TallyTest, UnknownKernelsAloneMakeTheCountUnknown) {
  Tally tally;
  tally.AddTime(TimeOf(v1::PHASE_FORWARD, v1::TIME_CATEGORY_UNKNOWN, 5));
  EXPECT_FALSE(tally.flop_counts()[v1::PHASE_FORWARD].has_value());
  EXPECT_EQ(tally.flop_counts()[v1::PHASE_BACKWARD], FlopCount(0));
  EXPECT_EQ(tally.unknown_gpu_time_ns(), 5u);
}

TEST(TallyTest, KernelsWithoutProductsCountAsZero) {
  Tally tally;
  tally.AddTime(TimeOf(v1::PHASE_OPTIMIZER, v1::TIME_CATEGORY_NO_PRODUCTS, 5));
  EXPECT_EQ(tally.flop_counts()[v1::PHASE_OPTIMIZER], FlopCount(0));
}

TEST(TallyTest, WhatIsCountedStaysBesideUnknownKernels) {
  ProfileBuilder b(0);
  Tally tally;
  tally.AddCall(b.Gemm(1, v1::PHASE_FORWARD, 100));
  tally.AddTime(TimeOf(v1::PHASE_FORWARD, v1::TIME_CATEGORY_UNKNOWN, 5));
  EXPECT_EQ(tally.flop_counts()[v1::PHASE_FORWARD], FlopCount(100));
  EXPECT_EQ(tally.unknown_gpu_time_ns(), 5u);
}

TEST(TallyTest, CapturedCallsAndCollectivesHaveNoFlops) {
  ProfileBuilder b(0);
  Tally tally;
  v1::CallRow captured = b.Gemm(1, v1::PHASE_FORWARD, 100);
  captured.set_captured(true);
  v1::CallRow collective = b.Gemm(1, v1::PHASE_FORWARD, 100);
  collective.set_kind(v1::CALL_KIND_COLLECTIVE);
  tally.AddCall(captured);
  tally.AddCall(collective);
  EXPECT_EQ(tally.flop_counts()[v1::PHASE_FORWARD], FlopCount(0));
}

// What a fused backward makes again is a row without calls of its own.
TEST(TallyTest, APartOfACallInAnotherPhaseCounts) {
  ProfileBuilder b(0);
  Tally tally;
  v1::CallRow part = b.Gemm(1, v1::PHASE_RECOMPUTE, 64);
  part.set_calls(0);
  tally.AddCall(part);
  EXPECT_EQ(tally.flop_counts()[v1::PHASE_RECOMPUTE], FlopCount{64});
}

TEST(TallyTest, ACallOfUnknownSizeIsUnknownWithoutAnyTime) {
  ProfileBuilder b(0);
  Tally tally;
  v1::CallRow row = b.Gemm(1, v1::PHASE_BACKWARD, 0);
  row.set_flops_known(false);
  tally.AddCall(row);
  EXPECT_FALSE(tally.flop_counts()[v1::PHASE_BACKWARD].has_value());
}

TEST(TallyTest, CountsBeyond64BitsAreExact) {
  ProfileBuilder b(0);
  Tally tally;
  const uint64_t most = std::numeric_limits<uint64_t>::max();
  tally.AddCall(b.Gemm(1, v1::PHASE_FORWARD, most));
  tally.AddCall(b.Gemm(1, v1::PHASE_FORWARD, 2));
  // 2^64 + 1
  EXPECT_EQ(tally.flop_counts()[v1::PHASE_FORWARD], (FlopCount{1} << 64) + 1);
}

TEST(TallyTest, UnseenTimeIsAbsentAndNotZero) {
  Tally tally;
  tally.MarkUnseen(v1::PHASE_FORWARD);
  EXPECT_FALSE(tally.gpu_time_ns()[v1::PHASE_FORWARD].has_value());
  EXPECT_FALSE(tally.flop_counts()[v1::PHASE_FORWARD].has_value());
}

TEST(TallyTest, CallsWithoutKernelsAreNoticedUnlessTheyAreEmpty) {
  ProfileBuilder b(0);
  Tally tally;
  v1::CallRow timed = b.Gemm(1, v1::PHASE_FORWARD, 10, 4);
  timed.set_kernels(3);
  v1::CallRow empty = b.Gemm(1, v1::PHASE_FORWARD, 0, 4);
  empty.set_kernels(0);
  tally.AddCall(timed);
  tally.AddCall(empty);
  EXPECT_EQ(tally.calls_without_time(), 1u);
}

}  // namespace
}  // namespace flopsprof::model
