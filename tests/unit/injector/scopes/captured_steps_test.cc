// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/scopes/captured_steps.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/unit/injector/scopes/fake_torch.h"

namespace flopsprof::injector {
namespace {

constexpr uint64_t kCapture = 31;
const void* const kStream = &kCapture;

class CapturedStepsTest : public ::testing::Test {
 protected:
  void SetUp() override { test::ResetScopesForTesting(); }
  void TearDown() override {
    for (uint64_t capture = kCapture; capture < kCapture + 200; ++capture) EndCapture(capture);
  }
};

TEST_F(CapturedStepsTest, AForwardUnderCaptureIsNoStep) {
  BeginCaptureOnThread(kCapture, kStream);
  OnRootForward(1, true);
  EXPECT_EQ(CurrentStep(), shm::kNoStep);
  EXPECT_EQ(EndCapture(kCapture), kCapturedForward);
  OnRootForward(1, true);
  EXPECT_EQ(CurrentStep(), 0u);
}

TEST_F(CapturedStepsTest, AnOptimizersStepUnderCaptureIsNone) {
  OnRootForward(1, true);
  BeginCaptureOnThread(kCapture, kStream);
  OnRootForward(1, true);
  OnOptimizerStepped(0);
  EXPECT_EQ(EndCapture(kCapture), kCapturedForward | kCapturedOptimizer);
  OnRootForward(1, true);
  OnRootForward(1, true);  // the optimizer has not stepped since step 0 began
  EXPECT_EQ(CurrentStepNumber(), 0u);
}

TEST_F(CapturedStepsTest, EachReplayOfATrainingStepIsAStep) {
  constexpr uint8_t kWhole = kCapturedForward | kCapturedOptimizer;
  for (uint32_t i = 0; i < 3; ++i) {
    BeforeReplay(kWhole);
    EXPECT_EQ(CurrentStep(), i);
    AfterReplay(kWhole);
  }
}

TEST_F(CapturedStepsTest, ReplaysOfTwoOptimizersInTurnAreOneStep) {
  OnOptimizerFound();
  for (uint32_t i = 0; i < 4; ++i) {
    BeforeReplay(kCapturedForward);
    AfterReplay(CapturedOptimizer(i % 2));
  }
  EXPECT_EQ(CurrentStepNumber(), 1u);
}

TEST_F(CapturedStepsTest, AReplayOfAnEvaluationBeginsNoStep) {
  OnOptimizerFound();
  BeforeReplay(kCapturedEvaluation);
  EXPECT_EQ(CurrentStepNumber(), shm::kNoStep);
}

TEST_F(CapturedStepsTest, AReplayInsideOfAModulesCallIsNoStepOfItsOwn) {
  OnRootForward(1, true);
  const uint32_t depth = ThisThread().EnterModule(nullptr, /*scope=*/11);
  BeforeReplay(kCapturedForward);
  ThisThread().Leave(depth);
  EXPECT_EQ(CurrentStep(), 0u);
}

TEST_F(CapturedStepsTest, AnotherThreadsCaptureIsNotOurs) {
  BeginCaptureOnThread(kCapture, kStream);
  std::thread([] { OnRootForward(1, true); }).join();
  EXPECT_EQ(CurrentStep(), 0u);
  EXPECT_EQ(EndCapture(kCapture), 0);
}

TEST_F(CapturedStepsTest, AnotherThreadMayEndIt) {
  BeginCaptureOnThread(kCapture, kStream);
  OnRootForward(1, true);
  uint8_t steps = 0;
  std::thread([&steps] { steps = EndCapture(kCapture); }).join();
  EXPECT_EQ(steps, kCapturedForward);
  OnRootForward(1, true);  // the thread that began it captures no longer
  EXPECT_EQ(CurrentStep(), 0u);
}

TEST_F(CapturedStepsTest, AnUnseenEndIsNoticedWhenTheStreamCapturesAgain) {
  EXPECT_TRUE(BeginCaptureOnThread(kCapture, kStream));
  EXPECT_FALSE(BeginCaptureOnThread(kCapture + 1, kStream));
  OnRootForward(1, true);
  EXPECT_EQ(EndCapture(kCapture), 0);
  EXPECT_EQ(EndCapture(kCapture + 1), kCapturedForward);
  EXPECT_FALSE(NoteIfCaptured(kCapturedForward));
}

TEST_F(CapturedStepsTest, TheOuterOfTwoCapturesGoesOn) {
  BeginCaptureOnThread(kCapture, kStream);
  BeginCaptureOnThread(kCapture + 1, &kStream);
  EXPECT_EQ(EndCapture(kCapture + 1), 0);
  OnRootForward(1, true);
  EXPECT_EQ(EndCapture(kCapture), kCapturedForward);
}

TEST_F(CapturedStepsTest, AnEndWithoutABeginIsNothing) {
  EXPECT_EQ(EndCapture(kCapture), 0);
  EXPECT_FALSE(NoteIfCaptured(kCapturedForward));
}

}  // namespace
}  // namespace flopsprof::injector
