// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/step_rows.h"

#include <gtest/gtest.h>

#include "tests/support/fake_injector.h"

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

}  // namespace
}  // namespace flopsprof::agent
