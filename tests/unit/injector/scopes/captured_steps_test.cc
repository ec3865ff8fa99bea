// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/scopes/captured_steps.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/unit/injector/scopes/fake_torch.h"

namespace flopsprof::injector {
namespace {

class CapturedStepsTest : public testing::Test {
 protected:
  void SetUp() override { test::ResetScopesForTesting(); }
};

TEST_F(CapturedStepsTest, AForwardUnderCaptureIsNoStep) {
  BeginCaptureOnThread();
  OnRootForward();
  EXPECT_EQ(CurrentStep(), shm::kNoStep);
  EXPECT_EQ(EndCaptureOnThread(), kCapturedForward);
  OnRootForward();
  EXPECT_EQ(CurrentStep(), 0u);
}

TEST_F(CapturedStepsTest, AnOptimizersStepUnderCaptureIsNone) {
  OnRootForward();
  BeginCaptureOnThread();
  OnRootForward();
  OnOptimizerStepped(true);
  EXPECT_EQ(EndCaptureOnThread(), kCapturedForward | kCapturedOptimizer | kCapturedPrimary);
  OnRootForward();  // the optimizer has not stepped since step 0 began
  EXPECT_EQ(CurrentStep(), 0u);
}

TEST_F(CapturedStepsTest, EachReplayOfATrainingStepIsAStep) {
  constexpr uint8_t kWhole = kCapturedForward | kCapturedOptimizer | kCapturedPrimary;
  for (uint32_t i = 0; i < 3; ++i) {
    BeforeReplay(kWhole);
    EXPECT_EQ(CurrentStep(), i);
    AfterReplay(kWhole);
  }
}

TEST_F(CapturedStepsTest, AReplayOfAnotherOptimizerEndsNoStep) {
  OnOptimizerFound();
  for (uint32_t i = 0; i < 2; ++i) {
    BeforeReplay(kCapturedForward);
    AfterReplay(kCapturedOptimizer);
  }
  EXPECT_EQ(CurrentStep(), 0u);
}

TEST_F(CapturedStepsTest, AReplayInsideOfAModulesCallIsNoStepOfItsOwn) {
  OnRootForward();
  const uint32_t depth = ThisThread().EnterModule(nullptr, /*scope=*/11);
  BeforeReplay(kCapturedForward);
  ThisThread().Leave(depth);
  EXPECT_EQ(CurrentStep(), 0u);
}

TEST_F(CapturedStepsTest, AnotherThreadsCaptureIsNotOurs) {
  BeginCaptureOnThread();
  std::thread([] { OnRootForward(); }).join();
  EXPECT_EQ(CurrentStep(), 0u);
  EXPECT_EQ(EndCaptureOnThread(), 0);
}

TEST_F(CapturedStepsTest, AnEndWithoutABeginIsNothing) {
  EXPECT_EQ(EndCaptureOnThread(), 0);
  EXPECT_FALSE(NoteIfCaptured(kCapturedForward));
}

}  // namespace
}  // namespace flopsprof::injector
