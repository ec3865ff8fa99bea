// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/scopes/steps.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/injector/scopes/fake_torch.h"

namespace flopsprof::injector {
namespace {

constexpr uint32_t kRoot = 1;
constexpr uint32_t kOtherRoot = 2;

uint32_t Label() { return CurrentStep() & shm::kStepKeyMask; }
shm::StepPlace Place() { return shm::PlaceOfStep(CurrentStep()); }

// In so many threads that live at once, one inside of the other; in the innermost one also `last`.
void WithThreads(uint32_t count, void (*each)(uint32_t), void (*last)(), uint32_t i = 1) {
  std::thread([=] {
    each(i);
    if (i == count) return last();
    WithThreads(count, each, last, i + 1);
  }).join();
}

class StepsTest : public testing::Test {
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
  OnRootForward(kRoot, true);
  EXPECT_EQ(CurrentStep(), 0u);
  const auto records = test::TakeRecords();
  ASSERT_EQ(records.size(), 1u);
  const auto& step = records[0].As<shm::StepRecord>();
  EXPECT_EQ(step.event, static_cast<uint8_t>(shm::StepEvent::kBegin));
  EXPECT_EQ(step.header.step, 0u);
  EXPECT_GT(step.mono_ns, 0u);
}

TEST_F(StepsTest, WithoutAnOptimizerEveryForwardIsAStep) {
  for (int i = 0; i < 3; ++i) OnRootForward(kRoot, true);
  EXPECT_EQ(CurrentStep(), 2u);
}

TEST_F(StepsTest, AccumulationStaysInItsStep) {
  OnOptimizerFound();
  for (int i = 0; i < 4; ++i) OnRootForward(kRoot, true);
  EXPECT_EQ(CurrentStep(), 0u);
  OnOptimizerStepped(0);
  EXPECT_EQ(Label(), 0u);
  EXPECT_EQ(Place(), shm::StepPlace::kTail);
  OnRootForward(kRoot, true);
  EXPECT_EQ(CurrentStep(), 1u);
}

TEST_F(StepsTest, NumbersOfTwoOptimizersInTurnAreSetRight) {
  OnOptimizerFound();
  for (const uint32_t optimizer : {0u, 1u, 0u, 1u}) {
    OnRootForward(kRoot, true);
    OnOptimizerStepped(optimizer);
  }
  EXPECT_EQ(CurrentStepNumber(), 1u);
  OnRootForward(kRoot, true);
  EXPECT_EQ(CurrentStepNumber(), 2u);
  OnOptimizerStepped(0);
  EXPECT_EQ(Place(), shm::StepPlace::kIn);  // the other one is still to come
  OnRootForward(kRoot, true);
  EXPECT_EQ(CurrentStepNumber(), 2u);
  OnOptimizerStepped(1);
  EXPECT_EQ(Place(), shm::StepPlace::kTail);
}

TEST_F(StepsTest, ATurnThatComesAgainIsOverThoughAnOptimizerNeverSteps) {
  for (int i = 0; i < 3; ++i) OnOptimizerMade();
  for (const uint32_t optimizer : {0u, 1u, 0u, 1u, 0u, 1u}) {
    OnRootForward(kRoot, true);
    OnOptimizerStepped(optimizer);
  }
  EXPECT_EQ(CurrentStepNumber(), 2u);
  // The third turn is one label: what a turn is, is known.
  EXPECT_EQ(test::NumbersOfLabels(5), (std::vector<uint32_t>{0, 0, 1, 1, 2}));
}

TEST_F(StepsTest, PartsAreTurnsWhenTheOtherOptimizerHasNotSteppedInEight) {
  for (int i = 0; i < 2; ++i) OnOptimizerMade();
  for (int i = 0; i < 10; ++i) {
    OnRootForward(kRoot, true);
    OnOptimizerStepped(0);
  }
  EXPECT_EQ(CurrentStepNumber(), 9u);
  EXPECT_EQ(test::NumbersOfLabels(10), (std::vector<uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

TEST_F(StepsTest, EvaluationAfterAStepIsBesideIt) {
  OnOptimizerFound();
  OnRootForward(kRoot, true);
  OnRootForward(kOtherRoot, false);
  EXPECT_EQ(Place(), shm::StepPlace::kIn);  // in the middle of a step
  OnOptimizerStepped(0);
  OnRootForward(kRoot, false);
  EXPECT_EQ(Place(), shm::StepPlace::kBeside);
  OnRootForward(kRoot, true);
  EXPECT_EQ(CurrentStep(), 1u);
}

TEST_F(StepsTest, EvaluationBeforeTheFirstStepIsInNone) {
  OnOptimizerFound();
  OnRootForward(kRoot, false);
  EXPECT_EQ(Place(), shm::StepPlace::kBeside);
  EXPECT_EQ(CurrentStepNumber(), shm::kNoStep);
  OnRootForward(kRoot, true);
  EXPECT_EQ(CurrentStep(), 0u);
}

TEST_F(StepsTest, ForwardsBeforeAnOptimizerWasMadeAreNoSteps) {
  OnRootForward(kRoot, true);
  OnOptimizerFound();
  EXPECT_EQ(CurrentStep(), shm::kNoStep);
  OnRootForward(kRoot, true);
  EXPECT_EQ(CurrentStepNumber(), 0u);
}

TEST_F(StepsTest, OptimizerThatStepsEndsTheModeWithoutOne) {
  OnRootForward(kRoot, true);
  OnOptimizerStepped(0);
  OnRootForward(kRoot, true);
  OnRootForward(kRoot, true);
  EXPECT_EQ(CurrentStepNumber(), 1u);
}

TEST_F(StepsTest, ABackwardPassMakesOneStepOfTheForwardsBefore) {
  OnRootForward(kRoot, true);
  OnRootForward(kRoot, true);
  OnBackward(kRoot);
  EXPECT_EQ(CurrentStepNumber(), 0u);
  OnRootForward(kRoot, false);
  EXPECT_EQ(CurrentStepNumber(), 0u);
  OnRootForward(kRoot, true);
  OnRootForward(kRoot, true);
  EXPECT_EQ(CurrentStepNumber(), 1u);
}

TEST_F(StepsTest, ABackwardPassAfterManyForwardsWritesOneRecord) {
  for (int i = 0; i < 1000; ++i) OnRootForward(kRoot, true);
  test::TakeRecords();
  OnBackward(kRoot);
  const auto records = test::TakeRecords();
  ASSERT_EQ(records.size(), 1u);
  const auto& numbered = records[0].As<shm::StepRecord>();
  EXPECT_EQ(numbered.event, static_cast<uint8_t>(shm::StepEvent::kNumber));
  EXPECT_EQ(numbered.first_label, 1u);  // 0 has its number
  EXPECT_EQ(numbered.header.step, 999u);
  EXPECT_EQ(numbered.number, 0u);
}

TEST_F(StepsTest, ABackwardPassIsOfTheThreadThatTrainsTheModel) {
  OnRootForward(kRoot, false);
  std::thread([] {
    OnRootForward(kOtherRoot, true);
    OnRootForward(kOtherRoot, true);
  }).join();
  std::thread([] { OnBackward(kOtherRoot); }).join();
  OnRootForward(kRoot, false);
  EXPECT_EQ(CurrentStepNumber(), 1u);  // there is no pass here: each forward is a step
}

TEST_F(StepsTest, EachThreadsFirstPassIsSeen) {
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

TEST_F(StepsTest, APassOfWorkOutsideOfModulesIsOfNobodyElsesLoop) {
  OnRootForward(kRoot, false);
  std::thread([] {
    OnRootForward(kOtherRoot, true);
    std::thread([] { OnBackward(shm::kOutsideScope); }).join();
  }).join();
  OnRootForward(kRoot, false);
  EXPECT_EQ(CurrentStepNumber(), 1u);
}

TEST_F(StepsTest, ExplicitStepsTakeOver) {
  OnExplicitStep();
  OnRootForward(kRoot, true);
  OnOptimizerStepped(0);
  OnRootForward(kRoot, true);
  EXPECT_EQ(CurrentStep(), 0u);
  OnExplicitStep();
  EXPECT_EQ(CurrentStep(), 1u);
}

TEST_F(StepsTest, WorkOfAllThreadsIsInTheExplicitStep) {
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

TEST_F(StepsTest, WorkOfAThreadThatHadStepsOfItsOwnIsInTheExplicitStep) {
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

TEST_F(StepsTest, ThreadsThatBeginStepsDoNotCutEachOthers) {
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

TEST_F(StepsTest, ThreadsThatShareAModelAreInTheirOwnExplicitSteps) {
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

TEST_F(StepsTest, WorkOnOtherThreadsIsInTheStepsOfWhoeverForwardedTheModelLast) {
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

TEST_F(StepsTest, AThreadWithoutStepsLeavesASharedModelWhereItIs) {
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

TEST_F(StepsTest, StepsOfAThreadThatHasEndedGoOnInTheNext) {
  std::thread([] { OnExplicitStep(); }).join();
  OnExplicitStep();
  EXPECT_EQ(CurrentStep(), 1u);
}

TEST_F(StepsTest, LoopsOfThreadsThatHaveEndedAreUsedAgain) {
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
    OnRootForward(kRoot, true);
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
    OnRootForward(kRoot, true);
    OnOptimizerStepped(0);
  }
  EXPECT_EQ(TakeSettled(), std::vector<bool>(20, false));
}

TEST_F(StepsTest, NumbersAreSettledOnceTheCycleIsKnown) {
  OnOptimizerMade();
  OnOptimizerMade();
  for (int i = 0; i < 6; ++i) {
    OnRootForward(kRoot, true);
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
  for (int i = 0; i < 200; ++i) OnRootForward(kRoot, false);
  EXPECT_EQ(TakeSettled(), std::vector<bool>(200, false));
}

// Labels and numbers are of the loop: two threads' steps are never one.
TEST_F(StepsTest, TheNextThreadGoesOnInTheLoopOfOneThatHasEnded) {
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

TEST_F(StepsTest, ExplicitStepsOfThreadsOneAfterTheOtherHaveNumbersOfTheirOwn) {
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
TEST_F(StepsTest, StepsOfAThreadThatEndsAreNumberedThen) {
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

TEST_F(StepsTest, WhoCallsAModelBesideItsTrainerLeavesItTheLoop) {
  OnOptimizerFound();
  OnRootForward(kRoot, true);
  OnOptimizerStepped(0);
  std::thread([] { OnRootForward(kRoot, true); }).join();  // as those of DataParallel
  ExpectTheFirstLoopIsStillOfThisThread();
}

TEST_F(StepsTest, AThreadThatOnlyStepsOptimizersDoesNotTakeTheLoop) {
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

TEST_F(StepsTest, AThreadThatHasOnlyTriedTheModelDoesNotTakeTheLoop) {
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

TEST_F(StepsTest, ALoopIsNotUsedAgainWhileAThreadIsInIt) {
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

TEST_F(StepsTest, APassOfAThreadThatHasEndedIsNotAwaited) {
  OnRootForward(kRoot, true);
  std::thread([] { OnRootForward(kOtherRoot, true); }).join();
  OnBackward(kRoot);
  EXPECT_FALSE(g_wants_backward.load());
  OnRootForward(kRoot, true);
  EXPECT_TRUE(g_wants_backward.load());
}

TEST_F(StepsTest, AnOptimizerEndsTheStepOfForwardsOfAThreadThatHasEnded) {
  OnOptimizerFound();
  for (int i = 0; i < 3; ++i) {
    std::thread([] { OnRootForward(kRoot, true); }).join();
    OnOptimizerStepped(0);
  }
  EXPECT_EQ(CurrentStepNumber(), 2u);
}

TEST_F(StepsTest, ThreadsBeyondSixteenThatTrainAtOnceAreCountedAndCutNoSteps) {
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

TEST_F(StepsTest, ThreadsBeyondSixteenThatBeginStepsAtOnceAreCountedAndCutNoSteps) {
  WithThreads(
      17, [](uint32_t) { OnExplicitStep(); }, [] { EXPECT_EQ(CurrentStep(), 0u); });
  EXPECT_EQ(test::RecordedLoss(shm::LossCounter::kStepLoopsFull), 1u);
}

TEST_F(StepsTest, ModelsBeyondThoseThatAreKeptAreCountedBesideTheFirstThread) {
  OnExplicitStep();
  std::thread([] {
    OnExplicitStep();
    for (uint32_t i = 0; i <= 256; ++i) OnRootForward(kRoot + i, true);
  }).join();
  EXPECT_EQ(test::RecordedLoss(shm::LossCounter::kStepLoopsFull), 1u);
}

TEST_F(StepsTest, ModelsOfAThreadThatHasEndedAreInTheExplicitStep) {
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
  OnRootForward(kRoot, true);
  OnOptimizerStepped(0);
  const auto records = test::TakeRecords();
  ASSERT_GE(records.size(), 2u);
  EXPECT_EQ(records[1].As<shm::StepRecord>().event,
            static_cast<uint8_t>(shm::StepEvent::kOptimizerEnd));
  EXPECT_EQ(records[1].As<shm::StepRecord>().header.step, 0u);
}

}  // namespace
}  // namespace flopsprof::injector
