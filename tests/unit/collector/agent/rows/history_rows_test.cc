// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/rows/history_rows.h"

#include <gtest/gtest.h>

namespace flopsprof::agent {
namespace {

constexpr int64_t kNoon = 1'800'000'000'000'000'000;  // a multiple of 10 s

v1::CallRow& AddCall(v1::Phase phase, uint64_t calls, v1::ProcessProfile* part) {
  v1::CallRow& row = *part->add_calls();
  row.set_phase(phase);
  row.set_kind(v1::CALL_KIND_GEMM);
  row.set_calls(calls);
  return row;
}

void AddTime(v1::Phase phase, v1::TimeCategory category, uint64_t count, uint64_t ns,
             v1::ProcessProfile* part) {
  v1::TimeRow& row = *part->add_times();
  row.set_phase(phase);
  row.set_category(category);
  row.set_activities(count);
  row.set_gpu_time_ns(ns);
}

TEST(HistoryRowsTest, APhaseHasWhatItsRowsHaveTogether) {
  v1::ProcessProfile part;
  for (int i = 0; i < 2; ++i) {
    v1::CallRow& known = AddCall(v1::PHASE_FORWARD, 3, &part);
    known.set_flops_known(true);
    known.mutable_flops()->set_low(uint64_t{1} << 63);  // the sum is 2^64
  }
  AddCall(v1::PHASE_FORWARD, 5, &part);  // of flops that are not known
  AddTime(v1::PHASE_FORWARD, v1::TIME_CATEGORY_EXACT, 6, 600, &part);
  AddTime(v1::PHASE_FORWARD, v1::TIME_CATEGORY_UNKNOWN, 5, 50, &part);
  AddTime(v1::PHASE_BACKWARD, v1::TIME_CATEGORY_COMMUNICATION, 1, 7, &part);
  AddHistory(kNoon + 9'999'999'999, {}, &part);
  ASSERT_EQ(part.history_size(), 2);
  const v1::HistoryRow& forward = part.history(0);
  EXPECT_EQ(forward.begin_utc_ns(), kNoon);
  EXPECT_EQ(forward.width_ns(), 10'000'000'000u);
  EXPECT_EQ(forward.phase(), v1::PHASE_FORWARD);
  EXPECT_EQ(forward.calls(), 11u);
  EXPECT_EQ(forward.unknown_calls(), 5u);
  EXPECT_EQ(forward.flops().high(), 1u);
  EXPECT_EQ(forward.flops().low(), 0u);
  EXPECT_EQ(forward.activities(), 11u);
  EXPECT_EQ(forward.gpu_time_ns(), 650u);
  EXPECT_EQ(forward.unknown_gpu_time_ns(), 50u);
  EXPECT_EQ(forward.communication_ns(), 0u);
  EXPECT_EQ(part.history(1).phase(), v1::PHASE_BACKWARD);
  EXPECT_EQ(part.history(1).communication_ns(), 7u);
}

TEST(HistoryRowsTest, WhatOnlyWasCapturedAndCollectivesAreNoCalls) {
  v1::ProcessProfile part;
  AddCall(v1::PHASE_FORWARD, 3, &part).set_captured(true);
  AddCall(v1::PHASE_FORWARD, 3, &part).set_kind(v1::CALL_KIND_COLLECTIVE);
  AddHistory(kNoon, {}, &part);
  EXPECT_EQ(part.history_size(), 0);
}

TEST(HistoryRowsTest, RowsThatWereThereBeforeAreNotAddedAgain) {
  v1::ProcessProfile part;
  AddTime(v1::PHASE_FORWARD, v1::TIME_CATEGORY_EXACT, 1, 10, &part);
  part.add_device_times()->set_busy_ns(10);
  AddHistory(kNoon, {}, &part);
  const HistoryStart before = HistoryStartOf(part);
  AddTime(v1::PHASE_FORWARD, v1::TIME_CATEGORY_EXACT, 2, 25, &part);
  v1::DeviceTime& busy = *part.add_device_times();
  busy.set_device(1);
  busy.set_busy_ns(25);
  busy.set_not_communication_ns(20);
  AddHistory(kNoon + 10'000'000'000, before, &part);
  ASSERT_EQ(part.history_size(), 2);
  EXPECT_EQ(part.history(1).begin_utc_ns(), kNoon + 10'000'000'000);
  EXPECT_EQ(part.history(1).activities(), 2u);
  EXPECT_EQ(part.history(1).gpu_time_ns(), 25u);
  ASSERT_EQ(part.device_history_size(), 2);
  EXPECT_EQ(part.device_history(1).device(), 1u);
  EXPECT_EQ(part.device_history(1).busy_ns(), 25u);
  EXPECT_EQ(part.device_history(1).not_communication_ns(), 20u);
}

}  // namespace
}  // namespace flopsprof::agent
