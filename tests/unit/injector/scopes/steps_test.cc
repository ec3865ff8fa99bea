// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/scopes/steps.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/unit/injector/scopes/fake_torch.h"

namespace flopsprof::injector {
namespace {

constexpr uint32_t kLoopRoot = 1;
constexpr uint32_t kOtherLoopRoot = 2;

uint32_t StepLabel() { return CurrentStep() & shm::kStepKeyMask; }
shm::StepPlace Place() { return shm::PlaceOfStep(CurrentStep()); }

class StepsTest : public ::testing::Test {
 protected:
  void SetUp() override { test::ResetScopesForTesting(); }
};

// What was told around each step: 'b' before and 'a' after it, its number, and that of the step
// that was there when it was told.
std::vector<std::string> told;
void Tell(char when, uint32_t step) {
  const uint32_t now = CurrentStepNumber();
  told.push_back(when + std::to_string(step) +
                 (now == shm::kNoStep ? " none" : " " + std::to_string(now)));
}
constexpr StepEdges kEdges = {[](uint32_t, uint32_t step) { Tell('b', step); },
                              [](uint32_t, uint32_t step) { Tell('a', step); }};

TEST_F(StepsTest, WhoAsksForItIsToldBeforeAndAfterEachStepBegins) {
  SetStepEdges(&kEdges);
  OnExplicitStep();
  OnExplicitStep();
  SetStepEdges(nullptr);
  OnExplicitStep();
  EXPECT_EQ(told, (std::vector<std::string>{"b0 none", "a0 0", "b1 0", "a1 1"}));
}

TEST_F(StepsTest, NoStepBeforeTheFirstForward) { EXPECT_EQ(CurrentStep(), shm::kNoStep); }

TEST_F(StepsTest, FirstForwardBeginsStepZero) {
  OnRootForward(kLoopRoot, true);
  EXPECT_EQ(CurrentStep(), 0u);
  const auto records = test::TakeRecords();
  ASSERT_EQ(records.size(), 1u);
  const auto& step = records[0].As<shm::StepRecord>();
  EXPECT_EQ(step.event, static_cast<uint8_t>(shm::StepEvent::kBegin));
  EXPECT_EQ(step.header.step, 0u);
  EXPECT_GT(step.mono_ns, 0u);
}

TEST_F(StepsTest, WithoutAnOptimizerEveryForwardIsAStep) {
  for (int i = 0; i < 3; ++i) OnRootForward(kLoopRoot, true);
  EXPECT_EQ(CurrentStep(), 2u);
}

TEST_F(StepsTest, AccumulationStaysInItsStep) {
  OnOptimizerFound();
  for (int i = 0; i < 4; ++i) OnRootForward(kLoopRoot, true);
  EXPECT_EQ(CurrentStep(), 0u);
  OnOptimizerStepped(0);
  EXPECT_EQ(StepLabel(), 0u);
  EXPECT_EQ(Place(), shm::StepPlace::kTail);
  OnRootForward(kLoopRoot, true);
  EXPECT_EQ(CurrentStep(), 1u);
}

TEST_F(StepsTest, NumbersOfTwoOptimizersInTurnAreSetRight) {
  OnOptimizerFound();
  for (const uint32_t optimizer : {0u, 1u, 0u, 1u}) {
    OnRootForward(kLoopRoot, true);
    OnOptimizerStepped(optimizer);
  }
  EXPECT_EQ(CurrentStepNumber(), 1u);
  OnRootForward(kLoopRoot, true);
  EXPECT_EQ(CurrentStepNumber(), 2u);
  OnOptimizerStepped(0);
  EXPECT_EQ(Place(), shm::StepPlace::kIn);  // the other one is still to come
  OnRootForward(kLoopRoot, true);
  EXPECT_EQ(CurrentStepNumber(), 2u);
  OnOptimizerStepped(1);
  EXPECT_EQ(Place(), shm::StepPlace::kTail);
}

TEST_F(StepsTest, ATurnThatComesAgainIsOverThoughAnOptimizerNeverSteps) {
  for (int i = 0; i < 3; ++i) OnOptimizerMade();
  for (const uint32_t optimizer : {0u, 1u, 0u, 1u, 0u, 1u}) {
    OnRootForward(kLoopRoot, true);
    OnOptimizerStepped(optimizer);
  }
  EXPECT_EQ(CurrentStepNumber(), 2u);
  // The third turn is one label: what a turn is, is known.
  EXPECT_EQ(test::NumbersOfLabels(5), (std::vector<uint32_t>{0, 0, 1, 1, 2}));
}

TEST_F(StepsTest, PartsAreTurnsWhenTheOtherOptimizerHasNotSteppedInEight) {
  for (int i = 0; i < 2; ++i) OnOptimizerMade();
  for (int i = 0; i < 10; ++i) {
    OnRootForward(kLoopRoot, true);
    OnOptimizerStepped(0);
  }
  EXPECT_EQ(CurrentStepNumber(), 9u);
  EXPECT_EQ(test::NumbersOfLabels(10), (std::vector<uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST_F(StepsTest, EvaluationAfterAStepIsBesideIt) {
  OnOptimizerFound();
  OnRootForward(kLoopRoot, true);
  OnRootForward(kOtherLoopRoot, false);
  EXPECT_EQ(Place(), shm::StepPlace::kIn);  // in the middle of a step
  OnOptimizerStepped(0);
  OnRootForward(kLoopRoot, false);
  EXPECT_EQ(Place(), shm::StepPlace::kBeside);
  OnRootForward(kLoopRoot, true);
  EXPECT_EQ(CurrentStep(), 1u);
}

TEST_F(StepsTest, EvaluationBeforeTheFirstStepIsInNone) {
  OnOptimizerFound();
  OnRootForward(kLoopRoot, false);
  EXPECT_EQ(Place(), shm::StepPlace::kBeside);
  EXPECT_EQ(CurrentStepNumber(), shm::kNoStep);
  OnRootForward(kLoopRoot, true);
  EXPECT_EQ(CurrentStep(), 0u);
}

TEST_F(StepsTest, ForwardsBeforeAnOptimizerWasMadeAreNoSteps) {
  OnRootForward(kLoopRoot, true);
  OnOptimizerFound();
  EXPECT_EQ(CurrentStep(), shm::kNoStep);
  OnRootForward(kLoopRoot, true);
  EXPECT_EQ(CurrentStepNumber(), 0u);
}

TEST_F(StepsTest, OptimizerThatStepsEndsTheModeWithoutOne) {
  OnRootForward(kLoopRoot, true);
  OnOptimizerStepped(0);
  OnRootForward(kLoopRoot, true);
  OnRootForward(kLoopRoot, true);
  EXPECT_EQ(CurrentStepNumber(), 1u);
}

TEST_F(StepsTest, ABackwardPassMakesOneStepOfTheForwardsBefore) {
  OnRootForward(kLoopRoot, true);
  OnRootForward(kLoopRoot, true);
  OnBackward(kLoopRoot);
  EXPECT_EQ(CurrentStepNumber(), 0u);
  OnRootForward(kLoopRoot, false);
  EXPECT_EQ(CurrentStepNumber(), 0u);
  OnRootForward(kLoopRoot, true);
  OnRootForward(kLoopRoot, true);
  EXPECT_EQ(CurrentStepNumber(), 1u);
}

TEST_F(StepsTest, ABackwardPassAfterManyForwardsWritesOneRecord) {
  for (int i = 0; i < 1000; ++i) OnRootForward(kLoopRoot, true);
  test::TakeRecords();
  OnBackward(kLoopRoot);
  const auto records = test::TakeRecords();
  ASSERT_EQ(records.size(), 1u);
  const auto& numbered = records[0].As<shm::StepRecord>();
  EXPECT_EQ(numbered.event, static_cast<uint8_t>(shm::StepEvent::kNumber));
  EXPECT_EQ(numbered.first_label, 1u);  // 0 has its number
  EXPECT_EQ(numbered.header.step, 999u);
  EXPECT_EQ(numbered.number, 0u);
}

TEST_F(StepsTest, ExplicitStepsTakeOver) {
  OnExplicitStep();
  OnRootForward(kLoopRoot, true);
  OnOptimizerStepped(0);
  OnRootForward(kLoopRoot, true);
  EXPECT_EQ(CurrentStep(), 0u);
  OnExplicitStep();
  EXPECT_EQ(CurrentStep(), 1u);
}

// Of each step that began: is its number settled?
std::vector<bool> TakeSettled() {
  std::vector<bool> settled;
  for (const auto& one : test::TakeRecords()) {
    const auto& record = one.As<shm::StepRecord>();
    if (record.event == static_cast<uint8_t>(shm::StepEvent::kBegin)) {
      settled.push_back(record.settled != 0);
    }
  }
  return settled;
}

TEST_F(StepsTest, NumbersAreSettledWhenEightStepsHadAllOptimizers) {
  OnOptimizerMade();
  for (int i = 0; i < 10; ++i) {
    OnRootForward(kLoopRoot, true);
    OnOptimizerStepped(0);
  }
  std::vector<bool> expected(10, false);
  expected[8] = expected[9] = true;
  EXPECT_EQ(TakeSettled(), expected);
}

TEST_F(StepsTest, NumbersAreNotSettledWhileAnOptimizerHasNotStepped) {
  OnOptimizerMade();
  OnOptimizerMade();
  for (int i = 0; i < 20; ++i) {
    OnRootForward(kLoopRoot, true);
    OnOptimizerStepped(0);
  }
  EXPECT_EQ(TakeSettled(), std::vector<bool>(20, false));
}

TEST_F(StepsTest, NumbersAreSettledOnceTheCycleIsKnown) {
  OnOptimizerMade();
  OnOptimizerMade();
  for (int i = 0; i < 6; ++i) {
    OnRootForward(kLoopRoot, true);
    OnOptimizerStepped(static_cast<uint32_t>(i % 2));
  }
  const std::vector<bool> settled = TakeSettled();
  ASSERT_GE(settled.size(), 5u);
  EXPECT_FALSE(settled[3]);
  EXPECT_TRUE(settled.back());
}

TEST_F(StepsTest, ExplicitStepsAreSettled) {
  OnExplicitStep();
  EXPECT_EQ(TakeSettled(), std::vector<bool>{true});
}

TEST_F(StepsTest, WithoutAnOptimizerNumbersAreNeverSettled) {
  for (int i = 0; i < 200; ++i) OnRootForward(kLoopRoot, false);
  EXPECT_EQ(TakeSettled(), std::vector<bool>(200, false));
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
  OnRootForward(kLoopRoot, true);
  OnOptimizerStepped(0);
  const auto records = test::TakeRecords();
  ASSERT_GE(records.size(), 2u);
  EXPECT_EQ(records[1].As<shm::StepRecord>().event,
            static_cast<uint8_t>(shm::StepEvent::kOptimizerEnd));
  EXPECT_EQ(records[1].As<shm::StepRecord>().header.step, 0u);
}

}  // namespace
}  // namespace flopsprof::injector
