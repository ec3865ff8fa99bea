// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Steps where several threads train, or call what another one trains.
#include "injector/scopes/step_loops.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "injector/scopes/steps.h"
#include "tests/unit/injector/scopes/fake_torch.h"

namespace flopsprof::injector {
namespace {

constexpr uint32_t kRoot = 1;
constexpr uint32_t kOtherRoot = 2;

uint32_t Label() { return CurrentStep() & shm::kStepKeyMask; }

// In so many threads that live at once, one inside of the other; in the innermost one also `last`.
void WithThreads(uint32_t count, void (*each)(uint32_t), void (*last)(), uint32_t i = 1) {
  std::thread([=] {
    each(i);
    if (i == count) return last();
    WithThreads(count, each, last, i + 1);
  }).join();
}

class StepLoopsTest : public ::testing::Test {
 protected:
  void SetUp() override { test::ResetScopesForTesting(); }
};

TEST_F(StepLoopsTest, ABackwardPassIsOfTheThreadThatTrainsTheModel) {
  OnRootForward(kRoot, false);
  std::thread([] {
    OnRootForward(kOtherRoot, true);
    OnRootForward(kOtherRoot, true);
  }).join();
  std::thread([] { OnBackward(kOtherRoot); }).join();
  OnRootForward(kRoot, false);
  EXPECT_EQ(CurrentStepNumber(), 1u);  // there is no pass here: each forward is a step
}

TEST_F(StepLoopsTest, EachThreadsFirstPassIsSeen) {
  OnRootForward(kRoot, true);
  uint32_t beside = shm::kNoStep;
  std::thread([&beside] {
    OnRootForward(kOtherRoot, true);
    std::thread([] { OnBackward(kRoot); }).join();
    OnRootForward(kOtherRoot, true);  // micro-batch
    std::thread([] { OnBackward(kOtherRoot); }).join();
    OnRootForward(kOtherRoot, false);
    beside = Label();
  }).join();
  EXPECT_EQ(beside, (1u << shm::kStepLoopShift) + 1);
}

TEST_F(StepLoopsTest, APassOfWorkOutsideOfModulesIsOfNobodyElsesLoop) {
  OnRootForward(kRoot, false);
  std::thread([] {
    OnRootForward(kOtherRoot, true);
    std::thread([] { OnBackward(shm::kOutsideScope); }).join();
  }).join();
  OnRootForward(kRoot, false);
  EXPECT_EQ(CurrentStepNumber(), 1u);
}

TEST_F(StepLoopsTest, WorkOfAllThreadsIsInTheExplicitStep) {
  OnExplicitStep();
  OnRootForward(kRoot, true);
  uint32_t beside = shm::kNoStep;
  std::thread([&beside] {
    OnRootForward(kRoot + 1, true);  // a model that nobody else trains
    beside = CurrentStep();
  }).join();
  EXPECT_EQ(beside, 0u);
  OnExplicitStep();
  OnRootForward(kRoot + 1, true);
  EXPECT_EQ(CurrentStep(), 1u);
}

TEST_F(StepLoopsTest, WorkOfAThreadThatHadStepsOfItsOwnIsInTheExplicitStep) {
  OnOptimizerFound();
  OnRootForward(kRoot, true);
  uint32_t beside = shm::kNoStep;
  uint32_t of_a_pass = shm::kNoStep;
  std::thread([&] {
    OnRootForward(kOtherRoot, true);
    std::thread([] { OnExplicitStep(); }).join();  // goes on in the loop of the first thread
    OnRootForward(kOtherRoot, true);
    beside = CurrentStep();
    std::thread([&] { of_a_pass = CurrentStepOf(kOtherRoot); }).join();
  }).join();
  EXPECT_EQ(beside, 1u);
  EXPECT_EQ(of_a_pass, 1u);
}

TEST_F(StepLoopsTest, ThreadsThatBeginStepsDoNotCutEachOthers) {
  OnExplicitStep();
  OnRootForward(kRoot, true);
  uint32_t beside = 0;
  std::thread([&beside] {
    OnExplicitStep();
    OnRootForward(kRoot + 1, true);
    OnExplicitStep();
    beside = CurrentStep();
  }).join();
  EXPECT_EQ(CurrentStep(), 0u);
  EXPECT_EQ(beside, (1u << shm::kStepLoopShift) + 1);
}

TEST_F(StepLoopsTest, ThreadsThatShareAModelAreInTheirOwnExplicitSteps) {
  const uint32_t root = test::AddRoot("Shared");
  OnExplicitStep();
  OnRootForward(root, true);
  uint32_t beside = shm::kNoStep;
  std::thread([&] {
    OnExplicitStep();
    OnRootForward(root, true);
    beside = CurrentStepOf(root);
  }).join();
  EXPECT_EQ(beside, 1u << shm::kStepLoopShift);
  EXPECT_EQ(CurrentStepOf(root), 0u);
}

TEST_F(StepLoopsTest, WorkOnOtherThreadsIsInTheStepsOfWhoeverForwardedTheModelLast) {
  const uint32_t root = test::AddRoot("Shared");
  uint32_t of_a_pass = shm::kNoStep;
  OnExplicitStep();
  OnRootForward(root, true);
  std::thread([&] {
    OnExplicitStep();
    OnRootForward(root, true);
    std::thread([&] {
      OnExplicitStep();
      OnRootForward(root, true);
      std::thread([&] { of_a_pass = CurrentStepOf(root); }).join();
    }).join();
  }).join();
  EXPECT_EQ(of_a_pass, 2u << shm::kStepLoopShift);
}

TEST_F(StepLoopsTest, AThreadWithoutStepsLeavesASharedModelWhereItIs) {
  const uint32_t root = test::AddRoot("Shared");
  OnExplicitStep();
  uint32_t beside = shm::kNoStep;
  std::thread([&] {
    OnExplicitStep();
    OnRootForward(root, true);
    std::thread([root] { OnRootForward(root, true); }).join();
    std::thread([&] { beside = CurrentStepOf(root); }).join();
  }).join();
  EXPECT_EQ(beside, 1u << shm::kStepLoopShift);
}

TEST_F(StepLoopsTest, StepsOfAThreadThatHasEndedGoOnInTheNext) {
  std::thread([] { OnExplicitStep(); }).join();
  OnExplicitStep();
  EXPECT_EQ(CurrentStep(), 1u);
}

TEST_F(StepLoopsTest, LoopsOfThreadsThatHaveEndedAreUsedAgain) {
  OnOptimizerFound();
  OnRootForward(kRoot, true);
  for (uint32_t i = 1; i <= 100; ++i) {
    uint32_t step = 0;
    std::thread([&step, i] {
      OnRootForward(kRoot + i, true);
      step = CurrentStep();
    }).join();
    ASSERT_NE(step >> shm::kStepLoopShift, 0u) << i;
  }
  EXPECT_EQ(test::RecordedLoss(shm::LossCounter::kStepLoopsFull), 0u);
}

// Labels and numbers are of the loop: two threads' steps are never one.
TEST_F(StepLoopsTest, TheNextThreadGoesOnInTheLoopOfOneThatHasEnded) {
  OnOptimizerFound();
  OnRootForward(kRoot, true);
  for (uint32_t i = 1; i <= 20; ++i) {
    test::TakeRecords();
    std::thread([i] { OnRootForward(kRoot + i, true); }).join();
    const auto records = test::TakeRecords();
    ASSERT_EQ(records.size(), 1u);
    const auto& begun = records[0].As<shm::StepRecord>();
    EXPECT_EQ(begun.header.step, (1u << shm::kStepLoopShift) + i - 1);
    EXPECT_EQ(begun.number, i - 1);
  }
}

TEST_F(StepLoopsTest, ExplicitStepsOfThreadsOneAfterTheOtherHaveNumbersOfTheirOwn) {
  OnExplicitStep();
  for (uint32_t i = 0; i < 20; ++i) {
    uint32_t step = 0;
    std::thread([&step] {
      OnExplicitStep();
      step = CurrentStep();
    }).join();
    EXPECT_EQ(step, (1u << shm::kStepLoopShift) + i);
  }
}

// It waits for another optimizer, which was made and does not step, until it ends.
TEST_F(StepLoopsTest, StepsOfAThreadThatEndsAreNumberedThen) {
  OnOptimizerMade();
  OnOptimizerMade();
  OnRootForward(kRoot, true);
  std::thread([] {
    for (int i = 0; i < 3; ++i) {
      OnRootForward(kOtherRoot, true);
      OnOptimizerStepped(0);
    }
    test::TakeRecords();
  }).join();
  const auto records = test::TakeRecords();
  ASSERT_EQ(records.size(), 2u);
  for (uint32_t i = 0; i < 2; ++i) {
    const auto& numbered = records[i].As<shm::StepRecord>();
    EXPECT_EQ(numbered.event, static_cast<uint8_t>(shm::StepEvent::kNumber));
    EXPECT_EQ(numbered.header.step, (1u << shm::kStepLoopShift) + i + 1);
    EXPECT_EQ(numbered.number, i + 1);
  }
}

// A thread that begins to train a model gets steps of its own; those of the first one go on.
void ExpectTheFirstLoopIsStillOfThisThread() {
  uint32_t beside = 0;
  std::thread([&beside] {
    OnRootForward(kOtherRoot, true);
    beside = CurrentStep();
  }).join();
  EXPECT_EQ(beside, 1u << shm::kStepLoopShift);
  OnRootForward(kRoot, true);
  EXPECT_EQ(CurrentStep(), 1u);
}

TEST_F(StepLoopsTest, WhoCallsAModelBesideItsTrainerLeavesItTheLoop) {
  OnOptimizerFound();
  OnRootForward(kRoot, true);
  OnOptimizerStepped(0);
  std::thread([] { OnRootForward(kRoot, true); }).join();  // as those of DataParallel
  ExpectTheFirstLoopIsStillOfThisThread();
}

TEST_F(StepLoopsTest, AThreadThatOnlyStepsOptimizersDoesNotTakeTheLoop) {
  OnOptimizerFound();
  OnRootForward(kRoot, true);
  std::atomic<bool> stepped{false};
  std::atomic<bool> ended{false};
  std::thread other([&] {  // lives on
    OnOptimizerStepped(0);
    stepped = true;
    while (!ended) std::this_thread::yield();
  });
  while (!stepped) std::this_thread::yield();
  std::thread([] { OnRootForward(kRoot, true); }).join();  // as those of DataParallel
  ExpectTheFirstLoopIsStillOfThisThread();
  ended = true;
  other.join();
}

TEST_F(StepLoopsTest, AThreadThatHasOnlyTriedTheModelDoesNotTakeTheLoop) {
  std::thread other;
  std::atomic<int> turn{0};
  other = std::thread([&] {
    OnRootForward(kRoot, false);  // before there is an optimizer
    turn = 1;
    while (turn != 2) std::this_thread::yield();
    OnOptimizerStepped(0);
    turn = 3;
    while (turn != 4) std::this_thread::yield();
  });
  while (turn != 1) std::this_thread::yield();
  OnOptimizerFound();
  OnRootForward(kRoot, true);
  const uint32_t before = CurrentStep();
  turn = 2;
  while (turn != 3) std::this_thread::yield();
  std::thread([] { OnRootForward(kRoot, true); }).join();
  OnRootForward(kRoot, true);
  EXPECT_EQ(CurrentStep(), before + 1);
  turn = 4;
  other.join();
}

TEST_F(StepLoopsTest, ALoopIsNotUsedAgainWhileAThreadIsInIt) {
  OnOptimizerFound();
  OnRootForward(kRoot, true);
  uint32_t next = 0;
  uint32_t helper = 0;
  std::atomic<bool> ended{false};
  std::atomic<bool> called{false};
  std::thread other;
  std::thread([&] {
    OnRootForward(kOtherRoot, true);
    OnOptimizerStepped(0);
    other = std::thread([&] {
      OnRootForward(kOtherRoot, true);
      called = true;
      while (!ended) std::this_thread::yield();
      helper = CurrentStep();
    });
    while (!called) std::this_thread::yield();
  }).join();
  std::thread([&next] {
    OnRootForward(kRoot + 2, true);
    next = CurrentStep();
  }).join();
  ended = true;
  other.join();
  EXPECT_EQ(helper >> shm::kStepLoopShift, 1u);
  EXPECT_EQ(next >> shm::kStepLoopShift, 2u);
}

TEST_F(StepLoopsTest, APassOfAThreadThatHasEndedIsNotAwaited) {
  OnRootForward(kRoot, true);
  std::thread([] { OnRootForward(kOtherRoot, true); }).join();
  OnBackward(kRoot);
  EXPECT_FALSE(g_wants_backward.load());
  OnRootForward(kRoot, true);
  EXPECT_TRUE(g_wants_backward.load());
}

TEST_F(StepLoopsTest, AnOptimizerEndsTheStepOfForwardsOfAThreadThatHasEnded) {
  OnOptimizerFound();
  for (int i = 0; i < 3; ++i) {
    std::thread([] { OnRootForward(kRoot, true); }).join();
    OnOptimizerStepped(0);
  }
  EXPECT_EQ(CurrentStepNumber(), 2u);
}

TEST_F(StepLoopsTest, ThreadsBeyondSixteenThatTrainAtOnceAreCountedAndCutNoSteps) {
  OnOptimizerFound();
  WithThreads(
      17, [](uint32_t i) { OnRootForward(kRoot + i, true); },
      [] {
        EXPECT_EQ(test::RecordedLoss(shm::LossCounter::kStepLoopsFull), 1u);
        OnOptimizerStepped(0);
        OnRootForward(kRoot + 17, true);
        EXPECT_EQ(CurrentStep(), 0u);
      });
  EXPECT_EQ(test::RecordedLoss(shm::LossCounter::kStepLoopsFull), 2u);
}

TEST_F(StepLoopsTest, ThreadsBeyondSixteenThatBeginStepsAtOnceAreCountedAndCutNoSteps) {
  WithThreads(
      17, [](uint32_t) { OnExplicitStep(); }, [] { EXPECT_EQ(CurrentStep(), 0u); });
  EXPECT_EQ(test::RecordedLoss(shm::LossCounter::kStepLoopsFull), 1u);
}

TEST_F(StepLoopsTest, ModelsBeyondThoseThatAreKeptAreCountedBesideTheFirstThread) {
  OnExplicitStep();
  std::thread([] {
    OnExplicitStep();
    for (uint32_t i = 0; i <= 256; ++i) OnRootForward(kRoot + i, true);
  }).join();
  EXPECT_EQ(test::RecordedLoss(shm::LossCounter::kStepLoopsFull), 1u);
}

TEST_F(StepLoopsTest, ModelsOfAThreadThatHasEndedAreInTheExplicitStep) {
  OnExplicitStep();
  std::thread([] {
    OnExplicitStep();
    OnRootForward(kRoot, true);
  }).join();
  OnExplicitStep();
  uint32_t of_a_pass = shm::kNoStep;
  std::thread([&] { of_a_pass = CurrentStepOf(kRoot); }).join();
  EXPECT_EQ(of_a_pass, 1u);
}

}  // namespace
}  // namespace flopsprof::injector
