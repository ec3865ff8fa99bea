// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/steps/step_rows.h"

#include <gtest/gtest.h>

#include "tests/support/fake_injector.h"
#include "tests/support/profile_sum.h"

namespace flopsprof::agent {
namespace {

JoinedActivity Activity(uint32_t step, uint64_t start_ns, uint64_t end_ns) {
  JoinedActivity activity = {};
  activity.record = testing::Kernel(1, 1, start_ns, end_ns);
  activity.context.step = step;
  activity.valid_times = true;
  activity.duration_ns = end_ns - start_ns;
  return activity;
}

v1::ProcessProfile Emitted(StepRows* rows) {
  v1::ProcessProfile profile;
  rows->Emit(1000, /*final=*/true, &profile);
  return profile;
}

void SendTo(StepRows* rows, testing::ProfileSum* sum) {
  v1::ProcessProfile part;
  while (rows->Emit(1000, /*final=*/false, &part) > 0) {
    sum->Add(part);
    part.Clear();
  }
}

TEST(StepRowsTest, AStepOfUnknownWorkSaysSo) {
  StepRows rows;
  rows.AddActivity(Activity(1, 100, 200), v1::TIME_CATEGORY_UNKNOWN);
  rows.AddActivity(Activity(2, 300, 400), v1::TIME_CATEGORY_NO_PRODUCTS);
  rows.MarkUnknown(3);  // a call without a kernel that was seen
  const v1::ProcessProfile profile = Emitted(&rows);
  ASSERT_EQ(profile.step_facts_size(), 2);
  EXPECT_EQ(profile.step_facts(0).step(), 1u);
  EXPECT_TRUE(profile.step_facts(0).has_unknown());
  EXPECT_FALSE(profile.step_facts(0).exposed_unknown());
  EXPECT_EQ(profile.step_facts(1).step(), 3u);
}

TEST(StepRowsTest, ATailOfNothingButUnknownWorkSaysSo) {
  StepRows rows;
  const uint32_t tail = shm::StepAt(shm::StepPlace::kTail, 1);
  rows.AddActivity(Activity(1, 100, 200), v1::TIME_CATEGORY_NO_PRODUCTS);
  rows.MarkUnknown(tail);
  const v1::ProcessProfile profile = Emitted(&rows);
  ASSERT_EQ(profile.step_facts_size(), 1);
  EXPECT_EQ(profile.step_facts(0).step(), tail);
  EXPECT_TRUE(profile.step_facts(0).has_unknown());
}

TEST(StepRowsTest, ExposedCommunicationOfAGraphThatWasTimedAsAWholeIsNotKnown) {
  StepRows rows;
  JoinedActivity share = Activity(1, 100, 200);
  share.share = true;
  rows.AddActivity(share, v1::TIME_CATEGORY_EXACT);
  rows.AddActivity(Activity(1, 300, 400), v1::TIME_CATEGORY_COMMUNICATION);
  EXPECT_EQ(Emitted(&rows).step_facts_size(), 0);
  rows.AddActivity(share, v1::TIME_CATEGORY_COMMUNICATION);
  const v1::ProcessProfile profile = Emitted(&rows);
  ASSERT_EQ(profile.step_facts_size(), 1);
  EXPECT_TRUE(profile.step_facts(0).exposed_unknown());
}

TEST(StepRowsTest, CountsTheStepsThatAreTooMany) {
  StepRows rows;
  constexpr uint32_t kKept = 1 << 18;
  for (uint32_t step = 0; step < kKept + 3; step++) {
    rows.OnStep(testing::Step(step, shm::StepEvent::kBegin, 1000 + step));
    rows.AddFlops(step, shm::Phase::kForward, 5);
  }
  EXPECT_EQ(rows.refused_count(), 3u);
}

constexpr uint64_t kSecondNs = 1'000'000'000;

// Two threads, whose buffers CUPTI gives when they are full or a second has passed: of 600 steps of
// 2 ms all kernels of one thread come before all of the other.
TEST(StepRowsTest, AllOfShortStepsIsBusyWhateverThreadItsRecordsComeFrom) {
  constexpr uint32_t kSteps = 600;
  constexpr uint64_t kStepNs = 2'000'000;
  StepRows rows;
  testing::ProfileSum sum;
  for (uint32_t step = 0; step < kSteps; step++) {
    const uint64_t begin_ns = kStepNs * (step + 1);
    rows.OnStep(testing::Step(step, shm::StepEvent::kBegin, begin_ns));
    rows.AddActivity(Activity(step, begin_ns + 1000, begin_ns + 1500), v1::TIME_CATEGORY_EXACT);
    if (step % 100 == 99) SendTo(&rows, &sum);
  }
  for (uint32_t step = 0; step < kSteps; step++) {
    const uint64_t begin_ns = kStepNs * (step + 1);
    rows.AddActivity(Activity(step, begin_ns + 100, begin_ns + 300), v1::TIME_CATEGORY_EXACT);
  }
  SendTo(&rows, &sum);
  EXPECT_EQ(rows.late_count(), 0u);
  for (uint32_t step = 0; step < kSteps; step++) ASSERT_EQ(sum.steps[step].gpu_busy_ns(), 700u);
}

TEST(StepRowsTest, IntervalsAreFreedFourSecondsAfterTheEndOfAStep) {
  StepRows rows;
  const auto begin = [&rows](uint32_t step, uint64_t at_ns) {
    rows.OnStep(testing::Step(step, shm::StepEvent::kBegin, at_ns));
    rows.AddActivity(Activity(step, at_ns + 1000, at_ns + 1500), v1::TIME_CATEGORY_EXACT);
  };
  for (uint32_t step = 0; step < 10; step++) begin(step, kSecondNs + 1'000'000 * step);
  begin(10, kSecondNs + 1'000'000 + StepRows::kOpenNs - 1);
  rows.AddActivity(Activity(0, kSecondNs, kSecondNs + 1), v1::TIME_CATEGORY_EXACT);
  EXPECT_EQ(rows.late_count(), 0u);
  begin(11, kSecondNs + 1'000'000 + StepRows::kOpenNs);  // the first step ended 4 s before
  rows.AddActivity(Activity(0, kSecondNs, kSecondNs + 1), v1::TIME_CATEGORY_EXACT);
  EXPECT_EQ(rows.late_count(), 1u);
}

TEST(StepRowsTest, TheIntervalsOfABoundedNumberOfShortStepsAreKept) {
  constexpr uint32_t kMore = 10;
  StepRows rows;
  for (uint32_t step = 0; step < StepRows::kMaxOpenSteps + kMore; step++) {
    rows.OnStep(testing::Step(step, shm::StepEvent::kBegin, 1000 * (step + 1)));
    rows.AddActivity(Activity(step, 1000 * (step + 1) + 500, 1000 * (step + 1) + 600),
                     v1::TIME_CATEGORY_EXACT);
  }
  for (uint32_t step = 0; step < 2 * kMore; step++) {
    rows.AddActivity(Activity(step, 1000 * (step + 1), 1000 * (step + 1) + 1),
                     v1::TIME_CATEGORY_EXACT);
  }
  EXPECT_EQ(rows.late_count(), kMore);
}

// Else the intervals of each window's last steps would be kept to the end.
TEST(StepRowsTest, StepsBeforeAGapOfStepsAreFolded) {
  StepRows rows;
  const auto run = [&rows](uint32_t first) {
    for (uint32_t step = first; step < first + 6; step++) {
      rows.OnStep(testing::Step(step, shm::StepEvent::kBegin, kSecondNs * step));
      rows.AddActivity(Activity(step, 1000 * step, 1000 * step + 100), v1::TIME_CATEGORY_EXACT);
    }
  };
  run(0);
  rows.AddActivity(Activity(5, 4900, 4950), v1::TIME_CATEGORY_EXACT);
  EXPECT_EQ(rows.late_count(), 0u);
  run(100);
  for (uint32_t step = 0; step < 6; step++) {
    rows.AddActivity(Activity(step, 1000 * step, 1000 * step + 10), v1::TIME_CATEGORY_EXACT);
  }
  EXPECT_EQ(rows.late_count(), 6u);
}

shm::StepRecord Number(uint32_t first, uint32_t last, uint32_t number, uint64_t mono_ns) {
  shm::StepRecord record = testing::Step(last, shm::StepEvent::kNumber, mono_ns);
  record.first_label = first;
  record.number = number;
  return record;
}

// (label, number) as they are sent.
std::vector<std::pair<uint32_t, uint32_t>> Numbers(StepRows* rows) {
  std::vector<std::pair<uint32_t, uint32_t>> numbers;
  const v1::ProcessProfile profile = Emitted(rows);
  for (const v1::StepLabelRow& row : profile.step_labels()) {
    numbers.emplace_back(row.step(), row.number());
  }
  return numbers;
}

using Pairs = std::vector<std::pair<uint32_t, uint32_t>>;

TEST(StepRowsTest, ANumberOfManyLabelsMakesRowsOfThoseThatAreThere) {
  StepRows rows;
  rows.AddFlops(7, shm::Phase::kForward, 5);
  rows.OnLabel(Number(0, shm::kStepKeyMask, shm::kNoStep, 100));
  EXPECT_EQ(Numbers(&rows), (Pairs{{7, shm::kNoStep}}));
}

TEST(StepRowsTest, ANumberOfManyLabelsIsThatOfLabelsThatComeLater) {
  StepRows rows;
  rows.OnLabel(Number(0, 9, shm::kNoStep, 100));
  EXPECT_EQ(rows.NumberOf(8), shm::kNoStep);
  EXPECT_EQ(rows.NumberOf(10), 10u);
  rows.AddFlops(8, shm::Phase::kForward, 5);
  rows.AddFlops(10, shm::Phase::kForward, 5);
  rows.OnLabel(testing::Step(3, shm::StepEvent::kDisturbed, 50));
  EXPECT_EQ(Numbers(&rows), (Pairs{{8, shm::kNoStep}, {3, shm::kNoStep}}));
}

TEST(StepRowsTest, TheNewestWordAboutALabelCounts) {
  StepRows rows;
  rows.OnLabel(Number(5, 5, 2, 200));  // of another ring, and later
  rows.OnLabel(Number(0, 9, shm::kNoStep, 100));
  rows.OnLabel(Number(4, 4, 1, 50));
  EXPECT_EQ(rows.NumberOf(5), 2u);
  EXPECT_EQ(rows.NumberOf(4), shm::kNoStep);
  rows.OnLabel(Number(0, 6, 3, 150));
  rows.OnLabel(Number(0, 8, 4, 120));
  EXPECT_EQ(rows.NumberOf(6), 3u);
  EXPECT_EQ(rows.NumberOf(8), 4u);
}

// Steps of a second each, from the first second on.
void Begin(StepRows* rows, uint32_t from, uint32_t until) {
  for (uint32_t step = from; step < until; step++) {
    const uint64_t begin_ns = kSecondNs * (uint64_t{step} + 1);
    const shm::StepRecord record = testing::Step(step, shm::StepEvent::kBegin, begin_ns);
    rows->OnLabel(record);
    rows->OnStep(record);
    rows->OnLabel(testing::Step(step, shm::StepEvent::kOptimizerEnd, begin_ns + 900));
  }
}

TEST(StepRowsTest, WhatComesForAForgottenStepIsAddedToIt) {
  constexpr uint32_t kNewest = StepRows::kKeptSteps + 100;
  StepRows rows;
  testing::ProfileSum sum;
  rows.AddActivity(Activity(3, 4000, 4500), v1::TIME_CATEGORY_EXACT);
  Begin(&rows, 0, kNewest);
  SendTo(&rows, &sum);
  EXPECT_LT(rows.kept_count(), kNewest + StepRows::kKeptSteps + 2);
  rows.AddFlops(3, shm::Phase::kForward, 5);
  rows.AddFlops(shm::StepAt(shm::StepPlace::kTail, 3), shm::Phase::kForward, 2);
  rows.AddActivity(Activity(3, 4700, 4800), v1::TIME_CATEGORY_UNKNOWN);
  SendTo(&rows, &sum);
  const v1::StepRow& row = sum.steps[3];
  EXPECT_EQ(row.begin_mono_ns(), 4 * kSecondNs);
  EXPECT_EQ(row.end_mono_ns(), 5 * kSecondNs);
  EXPECT_TRUE(row.complete());
  EXPECT_EQ(row.flops(1).low(), 7u);
  EXPECT_EQ(row.activities(), 2u);
  EXPECT_EQ(row.gpu_busy_ns(), 500u);  // what was busy then is not known any more
  EXPECT_EQ(rows.late_count(), 1u);
  EXPECT_TRUE(sum.step_facts[3].has_unknown());
  EXPECT_EQ(rows.count(), kNewest);
}

TEST(StepRowsTest, StepsOfEachLoopAreForgottenByItsOwnNewest) {
  const uint32_t second = 1u << shm::kStepLoopShift;
  StepRows rows;
  testing::ProfileSum sum;
  Begin(&rows, second, second + 2);
  Begin(&rows, 0, 3 * StepRows::kKeptSteps);
  SendTo(&rows, &sum);
  rows.AddFlops(second, shm::Phase::kForward, 5);
  v1::ProcessProfile part;
  rows.Emit(1000, /*final=*/false, &part);
  EXPECT_EQ(part.steps(0).begin_mono_ns(),
            kSecondNs * (uint64_t{second} + 1));  // it is still there
}

TEST(StepRowsTest, ANumberThatComesForForgottenLabelsReachesThem) {
  constexpr uint32_t kNewest = StepRows::kKeptLabels + 100;
  StepRows rows;
  testing::ProfileSum sum;
  Begin(&rows, 0, kNewest);
  SendTo(&rows, &sum);
  EXPECT_LT(rows.kept_count(), StepRows::kKeptLabels + StepRows::kKeptSteps + 4);
  rows.OnLabel(Number(0, 9, shm::kNoStep, 77));
  SendTo(&rows, &sum);
  EXPECT_EQ(sum.step_labels[5].number(), shm::kNoStep);
  EXPECT_EQ(sum.step_labels[5].optimizer_steps(), 1u);
  // A word that is older than one that was sent is none.
  rows.OnLabel(Number(5, 5, 8, 70));
  SendTo(&rows, &sum);
  EXPECT_EQ(sum.step_labels[5].number(), shm::kNoStep);
  EXPECT_EQ(rows.refused_count(), 0u);
}

TEST(StepRowsTest, LateWorkMayShrinkWhatIsExposedAndIsExact) {
  StepRows rows;
  testing::ProfileSum sum;
  rows.AddActivity(Activity(1, 100, 200), v1::TIME_CATEGORY_COMMUNICATION);
  SendTo(&rows, &sum);
  EXPECT_EQ(sum.steps[1].exposed_communication_ns(), 100u);
  rows.AddActivity(Activity(1, 120, 180), v1::TIME_CATEGORY_EXACT);
  SendTo(&rows, &sum);
  EXPECT_EQ(sum.steps[1].gpu_busy_ns(), 100u);
  EXPECT_EQ(sum.steps[1].exposed_communication_ns(), 40u);
}

TEST(StepRowsTest, RangesOfNumbersAreBounded) {
  StepRows rows;
  for (uint32_t i = 0; i < 1000; i++) rows.OnLabel(Number(i, i + 1, i + 7, 100 + i));
  EXPECT_EQ(rows.NumberOf(1000), 1006u);
  EXPECT_EQ(rows.NumberOf(1), 1u);  // said too long ago
}

TEST(DeviceBusyTest, TellsCommunicationApartFromTheFirstOn) {
  DeviceBusy busy;
  busy.Add(100, 200, /*communication=*/false);
  EXPECT_EQ(busy.all().total_ns(), 100u);
  busy.Add(150, 300, /*communication=*/true);
  busy.Add(290, 310, /*communication=*/false);
  EXPECT_EQ(busy.all().total_ns(), 210u);
  EXPECT_EQ(busy.not_communication().total_ns(), 120u);
}

TEST(DeviceBusyTest, AddsToOneThatHasCommunicationOrHasNone) {
  DeviceBusy with;
  with.Add(300, 400, /*communication=*/true);
  DeviceBusy without;
  without.Add(100, 200, /*communication=*/false);
  DeviceBusy first = without;
  with.AddTo(&first);
  EXPECT_EQ(first.all().total_ns(), 200u);
  EXPECT_EQ(first.not_communication().total_ns(), 100u);
  without.AddTo(&with);
  EXPECT_EQ(with.all().total_ns(), 200u);
  EXPECT_EQ(with.not_communication().total_ns(), 100u);
}

}  // namespace
}  // namespace flopsprof::agent
