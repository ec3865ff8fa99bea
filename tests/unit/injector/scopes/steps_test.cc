// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/scopes/steps.h"

#include <gtest/gtest.h>

#include "tests/unit/injector/scopes/fake_torch.h"

namespace flopsprof::injector {
namespace {

class StepsTest : public testing::Test {
 protected:
  void SetUp() override { test::ResetScopesForTesting(); }
};

TEST_F(StepsTest, NoStepBeforeTheFirstForward) { EXPECT_EQ(CurrentStep(), shm::kNoStep); }

TEST_F(StepsTest, FirstForwardBeginsStepZero) {
  OnRootForward();
  EXPECT_EQ(CurrentStep(), 0u);
  const auto records = test::TakeRecords();
  ASSERT_EQ(records.size(), 1u);
  const auto& step = records[0].As<shm::StepRecord>();
  EXPECT_EQ(step.event, static_cast<uint8_t>(shm::StepEvent::kBegin));
  EXPECT_EQ(step.header.step, 0u);
  EXPECT_GT(step.mono_ns, 0u);
}

TEST_F(StepsTest, WithoutAnOptimizerEveryForwardIsAStep) {
  for (int i = 0; i < 3; ++i) OnRootForward();
  EXPECT_EQ(CurrentStep(), 2u);
}

TEST_F(StepsTest, AccumulationStaysInItsStep) {
  OnOptimizerFound();
  for (int i = 0; i < 4; ++i) OnRootForward();
  EXPECT_EQ(CurrentStep(), 0u);
  OnOptimizerStepped(true);
  EXPECT_EQ(CurrentStep(), 0u);
  OnRootForward();
  EXPECT_EQ(CurrentStep(), 1u);
}

TEST_F(StepsTest, OnlyThePrimaryOptimizerEndsAStep) {
  OnOptimizerFound();
  OnRootForward();
  OnOptimizerStepped(true);
  OnOptimizerStepped(false);
  OnRootForward();
  OnOptimizerStepped(false);
  OnRootForward();
  EXPECT_EQ(CurrentStep(), 1u);
}

TEST_F(StepsTest, OptimizerThatStepsEndsTheModeWithoutOne) {
  OnRootForward();
  OnOptimizerStepped(true);
  OnRootForward();
  OnRootForward();
  EXPECT_EQ(CurrentStep(), 1u);
}

TEST_F(StepsTest, ExplicitStepsTakeOver) {
  OnExplicitStep();
  OnRootForward();
  OnOptimizerStepped(true);
  OnRootForward();
  EXPECT_EQ(CurrentStep(), 0u);
  OnExplicitStep();
  EXPECT_EQ(CurrentStep(), 1u);
}

TEST_F(StepsTest, OptimizerIsLookedForSixtyFourTimes) {
  int checks = 0;
  while (WantsOptimizerCheck()) ++checks;
  EXPECT_EQ(checks, 64);
}

TEST_F(StepsTest, KnownOptimizerIsNotLookedFor) {
  OnOptimizerFound();
  EXPECT_FALSE(WantsOptimizerCheck());
}

TEST_F(StepsTest, OptimizerStepIsReportedInItsStep) {
  OnRootForward();
  OnOptimizerStepped(true);
  const auto records = test::TakeRecords();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[1].As<shm::StepRecord>().event,
            static_cast<uint8_t>(shm::StepEvent::kOptimizerEnd));
  EXPECT_EQ(records[1].As<shm::StepRecord>().header.step, 0u);
}

}  // namespace
}  // namespace flopsprof::injector
