// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/rows/activity_rows.h"

#include <gtest/gtest.h>

namespace flopsprof::agent {
namespace {

constexpr auto kKernel = static_cast<uint8_t>(shm::ActivityKind::kKernel);

JoinedActivity Kernel(uint32_t name, uint32_t scope, uint32_t step, uint64_t ns) {
  JoinedActivity activity = {};
  activity.record.kind = kKernel;
  activity.record.name = name;
  activity.context = {scope, step, shm::Phase::kForward};
  activity.valid_times = true;
  activity.duration_ns = ns;
  return activity;
}

class ActivityRowsTest : public ::testing::Test {
 protected:
  ActivityRowsTest() { names_.Define(1, "ncclDevKernel_AllReduce(x)"); }

  v1::ProcessProfile Emitted() {
    rows_.Settle();
    v1::ProcessProfile profile;
    rows_.Emit(names_, 1 << 20, /*final=*/true, &profile);
    return profile;
  }

  NameTable names_;
  CallRows calls_;
  ActivityRows rows_{&calls_, &names_};
};

TEST_F(ActivityRowsTest, AddsToTimesKernelsAndPlaces) {
  rows_.Add(Kernel(1, 4, 2, 30));
  rows_.Add(Kernel(1, 4, 3, 10));
  rows_.Add(Kernel(1, 5, 3, 20));
  const v1::ProcessProfile profile = Emitted();
  ASSERT_EQ(profile.times_size(), 2);
  EXPECT_EQ(profile.times(0).activities(), 2u);
  EXPECT_EQ(profile.times(0).gpu_time_ns(), 40u);
  EXPECT_EQ(profile.times(0).category(), v1::TIME_CATEGORY_COMMUNICATION);
  ASSERT_EQ(profile.kernels_size(), 1);
  EXPECT_EQ(profile.kernels(0).count(), 3u);
  EXPECT_EQ(profile.kernels(0).gpu_time_ns(), 60u);
  EXPECT_EQ(profile.kernels(0).min_ns(), 10u);
  EXPECT_EQ(profile.kernels(0).max_ns(), 30u);
  ASSERT_EQ(profile.scope_kernels_size(), 2);
  EXPECT_EQ(profile.scope_kernels(0).first_step(), 2u);
  EXPECT_EQ(profile.scope_kernels(0).last_step(), 3u);
}

TEST_F(ActivityRowsTest, WhatIsSentIsWhatWasAddedSince) {
  rows_.Add(Kernel(1, 4, 0, 30));
  Emitted();
  EXPECT_EQ(Emitted().kernels_size(), 0);
  rows_.Add(Kernel(1, 4, 7, 50));
  const v1::ProcessProfile profile = Emitted();
  EXPECT_EQ(profile.times(0).activities(), 1u);
  EXPECT_EQ(profile.times(0).gpu_time_ns(), 50u);
  EXPECT_EQ(profile.kernels(0).min_ns(), 50u);
  EXPECT_EQ(profile.kernels(0).max_ns(), 50u);
  EXPECT_EQ(profile.scope_kernels(0).count(), 1u);
  EXPECT_EQ(profile.scope_kernels(0).first_step(), 7u);
  EXPECT_EQ(profile.scope_kernels(0).last_step(), 7u);
}

TEST_F(ActivityRowsTest, AKernelWithoutTimesIsCountedAndHasNoShortestTime) {
  JoinedActivity broken = Kernel(1, 4, 0, 0);
  broken.valid_times = false;
  rows_.Add(broken);
  rows_.Add(Kernel(1, 4, 0, 30));
  const v1::ProcessProfile profile = Emitted();
  EXPECT_EQ(profile.kernels(0).count(), 2u);
  EXPECT_EQ(profile.kernels(0).min_ns(), 30u);
}

TEST_F(ActivityRowsTest, AKernelWhoseNameComesLaterIsOfItsCategoryFromThenOn) {
  EXPECT_EQ(rows_.Add(Kernel(2, 4, 0, 30)).category, v1::TIME_CATEGORY_UNKNOWN);
  names_.Define(2, "ncclDevKernel_Other(x)");
  EXPECT_EQ(rows_.Add(Kernel(2, 4, 0, 10)).category, v1::TIME_CATEGORY_COMMUNICATION);
  const v1::ProcessProfile profile = Emitted();
  ASSERT_EQ(profile.times_size(), 2);
  EXPECT_EQ(profile.times(0).gpu_time_ns(), 30u);
  EXPECT_EQ(profile.times(1).gpu_time_ns(), 10u);
}

TEST_F(ActivityRowsTest, KernelsOfACallAreAddedToIt) {
  shm::GemmCall call = {};
  call.header.type = static_cast<uint16_t>(shm::RecordType::kGemmCall);
  call.m = call.n = call.k = call.batch = 2;
  JoinedActivity owned = Kernel(1, 4, 0, 30);
  owned.in_call = true;
  owned.call.row = calls_.AddGemm(call).row;
  owned.call.category = v1::TIME_CATEGORY_EXACT;
  EXPECT_EQ(rows_.Add(owned).category, v1::TIME_CATEGORY_EXACT);
  owned.valid_times = false;
  owned.duration_ns = 0;
  rows_.Add(owned);
  rows_.Add(Kernel(1, 4, 0, 10));
  rows_.Settle();
  v1::ProcessProfile profile;
  calls_.Emit(10, &profile);
  EXPECT_EQ(profile.calls(0).kernels(), 1u);
  EXPECT_EQ(profile.calls(0).gpu_time_ns(), 30u);
}

TEST_F(ActivityRowsTest, StepsOfSeveralLoopsAreRowsOfTheirOwn) {
  const uint32_t second = 1u << shm::kStepLoopShift;
  rows_.Add(Kernel(1, 4, 3, 10));
  rows_.Add(Kernel(1, 4, second | 9, 10));
  rows_.Add(Kernel(1, 4, shm::StepAt(shm::StepPlace::kTail, 5), 10));
  const v1::ProcessProfile profile = Emitted();
  ASSERT_EQ(profile.scope_kernels_size(), 2);
  EXPECT_EQ(profile.scope_kernels(0).loop(), 0u);
  EXPECT_EQ(profile.scope_kernels(0).count(), 2u);
  EXPECT_EQ(profile.scope_kernels(0).first_step(), 3u);
  EXPECT_EQ(profile.scope_kernels(0).last_step(), 5u);
  EXPECT_EQ(profile.scope_kernels(1).loop(), 1u);
  EXPECT_EQ(profile.scope_kernels(1).first_step(), second | 9);
}

TEST_F(ActivityRowsTest, IsExactBeyondWhatItAddsToAtOnce) {
  constexpr uint32_t kScopes = 70'000;
  for (uint32_t scope = 1; scope <= kScopes; scope++) rows_.Add(Kernel(1, scope, 0, 10));
  rows_.Add(Kernel(1, 1, 0, 10));
  const v1::ProcessProfile profile = Emitted();
  ASSERT_EQ(profile.times_size(), static_cast<int>(kScopes));
  EXPECT_EQ(profile.times(0).activities(), 2u);
  EXPECT_EQ(profile.kernels(0).count(), kScopes + 1u);
}

}  // namespace
}  // namespace flopsprof::agent
