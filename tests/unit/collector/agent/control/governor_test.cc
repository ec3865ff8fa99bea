// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/control/governor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace flopsprof::agent {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;
constexpr double kBudget = 0.01;
using Action = Governor::Action;
using Window = Governor::Window;

// A job and the agent's part beside it. Without long steps windows open at once and need a second
// to close; else they begin with the second step and end with a step.
class GovernorTest : public ::testing::Test {
 protected:
  // `recorded`: share of its time that the job loses while it is recorded; `floor`: while it is
  // not.
  void Run(int seconds, double recorded, double floor = 0) {
    for (int i = 0; i < seconds; ++i) {
      now_ns_ += kSecond;
      double share = window_ == Window::kClosed ? floor : recorded;
      if (window_ == Window::kWaiting) share = 0.8 * recorded;  // CUPTI's
      spent_s_ += share;
      const Action action =
          governor_.Follow({now_ns_, window_, share * kSecond,
                            window_ == Window::kClosed ? floor * kSecond : 0.0, step_s_ * kSecond});
      Carry(action);
    }
  }
  double share() const { return spent_s_ / (static_cast<double>(now_ns_) / kSecond); }

  Governor governor_{kBudget};
  uint64_t now_ns_ = 0;
  Window window_ = Window::kOpen;
  bool closes_ = true;  // false: the step never ends
  uint64_t step_s_ = 0;
  std::vector<uint64_t> opened_ns_, closed_ns_;
  int cut_ = 0;

 private:
  void Carry(Action action) {
    const bool step_ends = step_s_ == 0 || now_ns_ / kSecond % step_s_ == 0;
    if (window_ == Window::kClosing && closes_ && step_ends) Close();
    if (window_ == Window::kWaiting && step_ends && ++steps_waited_ == 2) Open();
    if (action == Action::kOpen && step_s_ == 0) Open();
    if (action == Action::kOpen && step_s_ != 0) {
      window_ = Window::kWaiting;
      steps_waited_ = 0;
    }
    if (action == Action::kClose && window_ == Window::kWaiting) {
      Close();
    } else if (action == Action::kClose) {
      window_ = Window::kClosing;
    }
    if (action == Action::kCloseNow) {
      cut_ += closes_ ? 0 : 1;  // asked for again until it has closed
      closes_ = true;
    }
  }

  void Open() {
    window_ = Window::kOpen;
    opened_ns_.push_back(now_ns_);
  }
  void Close() {
    window_ = Window::kClosed;
    closed_ns_.push_back(now_ns_);
  }

  double spent_s_ = 0;
  int steps_waited_ = 0;
};

class LongSteps : public GovernorTest, public ::testing::WithParamInterface<uint64_t> {};

TEST_P(LongSteps, AreRecordedWholeAndPaidBack) {
  step_s_ = GetParam();
  Run(4 * 3600, 0.05, 0.0005);
  EXPECT_GE(opened_ns_.size(), 10u);
  EXPECT_LT(share(), 1.1 * kBudget);
  EXPECT_EQ(cut_, 0);
  ASSERT_GE(closed_ns_.size(), opened_ns_.size());  // the first window was open from the start
  for (size_t i = 0; i + 1 < closed_ns_.size() && i < opened_ns_.size(); ++i) {
    EXPECT_GE(closed_ns_[i + 1] - opened_ns_[i], step_s_ * kSecond);
  }
}

INSTANTIATE_TEST_SUITE_P(Seconds, LongSteps, ::testing::Values(2, 3, 5, 10, 60));

TEST_F(GovernorTest, AWindowWhoseFirstStepDoesNotComeIsGivenUp) {
  step_s_ = 3;
  while (window_ != Window::kWaiting) Run(1, 0.05, 0.0005);
  const uint64_t since_ns = now_ns_;
  step_s_ = 1'000'000;  // an evaluation
  const auto wait = [&] {
    now_ns_ += kSecond;
    return governor_.Follow({now_ns_, Window::kWaiting, 0.04 * kSecond, 0, 3 * kSecond});
  };
  while (wait() == Action::kNone) ASSERT_LT(now_ns_ - since_ns, 60 * kSecond);
  EXPECT_GE(now_ns_ - since_ns, 30 * kSecond);
}

TEST_F(GovernorTest, AJobOfLittleLoadIsRecordedFromBeginToEnd) {
  Run(3600, 0.008);
  EXPECT_EQ(governor_.level(), CoverageLevel::kFull);
  EXPECT_EQ(governor_.switches(), 0u);
  EXPECT_EQ(governor_.level_changes(), 0u);
  EXPECT_EQ(governor_.level_ns(CoverageLevel::kFull), 3599 * kSecond);
}

TEST_F(GovernorTest, AJobThatCostsNothingIsRecordedFromBeginToEnd) {
  Run(600, 0);
  EXPECT_EQ(window_, Window::kOpen);
  EXPECT_EQ(governor_.level(), CoverageLevel::kFull);
}

TEST_F(GovernorTest, ADearJobIsSampledWithinItsBudget) {
  Run(3600, 0.3, 0.001);
  EXPECT_EQ(governor_.level(), CoverageLevel::kSampled);
  EXPECT_LT(share(), kBudget);
  EXPECT_GT(share(), 0.6 * kBudget);  // and what may be taken is
  EXPECT_GT(opened_ns_.size(), 20u);
  EXPECT_EQ(governor_.level_changes(), 1u);
}

TEST_F(GovernorTest, TheDearestJobStillHasWindows) {
  Run(3600, 1.0, 0.001);
  EXPECT_LT(share(), 1.2 * kBudget);
  EXPECT_GT(opened_ns_.size(), 3u);
}

TEST_F(GovernorTest, ALittleOverItsBudgetIsMostlyRecorded) {
  Run(3600, 0.012, 0.0005);
  EXPECT_LT(share(), kBudget);
  EXPECT_GT(share(), 0.8 * kBudget);
}

TEST_F(GovernorTest, AfterTheFirstWindowTheBudgetHoldsAtEachMoment) {
  Run(120, 0.1, 0.001);
  double highest = 0;
  for (int second = 0; second < 1200; ++second) {
    Run(1, 0.1, 0.001);
    highest = std::max(highest, share());
  }
  EXPECT_LT(highest, 1.2 * kBudget);
}

TEST_F(GovernorTest, AFirstWindowThatHeldTheStartIsNoMeasureOfTheNext) {
  Run(3, 0.15);
  while (opened_ns_.empty()) Run(1, 0.15, 0.001);
  double highest = share();
  for (int second = 0; second < 60; ++second) {  // twice as dear
    Run(1, 0.3, 0.001);
    highest = std::max(highest, share());
  }
  EXPECT_LT(highest, 1.2 * kBudget);
}

TEST_F(GovernorTest, WindowsAndGapsAreNeverShort) {
  Run(20, 0.001);
  for (int i = 0; i < 300; ++i) {  // a load that comes and goes every other second
    Run(1, 0.5, 0.0001);
    Run(1, 0, 0);
  }
  ASSERT_GE(opened_ns_.size(), 2u);
  for (size_t i = 0; i < opened_ns_.size(); ++i) {
    EXPECT_GE(opened_ns_[i] - closed_ns_[i], 5 * kSecond);
    if (i + 1 < closed_ns_.size()) {
      EXPECT_GE(closed_ns_[i + 1] - opened_ns_[i], 2 * kSecond);
    }
  }
}

TEST_F(GovernorTest, GoesUpAgainWhenTheJobBecomesLight) {
  Run(60, 0.1);
  EXPECT_EQ(governor_.level(), CoverageLevel::kSampled);
  Run(200, 0.002);
  EXPECT_EQ(governor_.level(), CoverageLevel::kFull);
  EXPECT_EQ(window_, Window::kOpen);
  EXPECT_EQ(governor_.level_changes(), 2u);
}

TEST_F(GovernorTest, WhatCannotBePaidForIsPausedAndLookedAtNowAndThen) {
  Run(3600, 0.1, 0.02);
  EXPECT_EQ(governor_.level(), CoverageLevel::kPaused);
  EXPECT_GE(opened_ns_.size(), 2u);
  // The floor alone is 2 percent; looking takes a tenth of the budget more.
  EXPECT_LT(share(), 0.02 + 0.2 * kBudget);
  EXPECT_GT(governor_.level_ns(CoverageLevel::kPaused), 3000 * kSecond);
}

TEST_F(GovernorTest, APausedJobThatBecomesLightIsRecordedAgain) {
  Run(600, 0.1, 0.02);
  EXPECT_EQ(governor_.level(), CoverageLevel::kPaused);
  Run(600, 0.001, 0.02);
  EXPECT_EQ(governor_.level(), CoverageLevel::kFull);
}

TEST_F(GovernorTest, AWindowWhoseStepDoesNotEndIsCut) {
  closes_ = false;
  Run(30, 0.5);
  EXPECT_EQ(cut_, 1);
  EXPECT_EQ(window_, Window::kClosed);
}

TEST_F(GovernorTest, TimeWithoutWorkIsNotSavedForEver) {
  Run(36000, 0);
  const uint64_t before = now_ns_;
  Run(60, 0.5);
  ASSERT_EQ(closed_ns_.size(), 1u);
  EXPECT_LE(closed_ns_[0] - before, 4 * kSecond);
}

// What follows states the numbers of docs/budget.md.

// Seconds for which the condition holds, in steps of one.
template <typename Condition, typename Step>
int SecondsWhile(Condition condition, Step step) {
  int seconds = 0;
  while (condition() && seconds < 1000) {
    step();
    ++seconds;
  }
  return seconds;
}

TEST_F(GovernorTest, AWindowIsTwoSecondsLongAtLeast) {
  Run(2, 1.0);  // far beyond the budget at once
  EXPECT_EQ(window_, Window::kOpen);
  Run(1, 1.0);
  EXPECT_EQ(window_, Window::kClosing);
}

TEST_F(GovernorTest, TwoSecondsOfBudgetMayBeOver) {
  // Each second 0.5 % of a second is over: 2 % are after four, and one more is beyond them.
  Run(5, 0.009 + 0.005);
  EXPECT_EQ(window_, Window::kOpen);
  Run(1, 0.009 + 0.005);
  EXPECT_EQ(window_, Window::kClosing);
}

TEST_F(GovernorTest, AGapIsFiveSecondsLongAtLeast) {
  const auto run_while = [this](Window window, double recorded) {
    SecondsWhile([&] { return window_ == window; }, [&] { Run(1, recorded); });
  };
  run_while(Window::kOpen, 0.05);
  run_while(Window::kClosing, 0.5);  // a dear end, for which the next window saves
  run_while(Window::kClosed, 0);
  run_while(Window::kOpen, 0.05);
  run_while(Window::kClosing, 0);  // that was none: what was saved pays for one more at once
  run_while(Window::kClosed, 0);
  ASSERT_EQ(opened_ns_.size(), 2u);
  EXPECT_GE(opened_ns_[1] - closed_ns_[1], 5 * kSecond);
  EXPECT_LE(opened_ns_[1] - closed_ns_[1], 6 * kSecond);  // it is closed from the first of them on
}

TEST_F(GovernorTest, AWindowIsCutAfterTenSeconds) {
  closes_ = false;
  Run(1, 0);
  SecondsWhile([&] { return window_ == Window::kOpen; }, [&] { Run(1, 0.5); });
  const int seconds = SecondsWhile([&] { return cut_ == 0; }, [&] { Run(1, 0.5); });
  EXPECT_EQ(seconds, 11);  // it is closing from the first of them on
}

TEST_F(GovernorTest, AWindowThatIsOpenForThirtySecondsIsFull) {
  Run(60, 0.1);
  SecondsWhile([&] { return window_ != Window::kOpen; }, [&] { Run(1, 0); });
  const int seconds =
      SecondsWhile([&] { return governor_.level() != CoverageLevel::kFull; }, [&] { Run(1, 0); });
  EXPECT_EQ(seconds, 31);  // it is open from the first of them on
}

TEST_F(GovernorTest, WhatCannotBePaidForIsLookedAtOnceAMinuteAtMost) {
  Run(1200, 0.0101, 0.02);  // looking is cheap: no other rule holds it back
  ASSERT_GE(opened_ns_.size(), 3u);
  for (size_t i = 0; i < opened_ns_.size(); ++i) {
    EXPECT_GE(opened_ns_[i] - closed_ns_[i], 60 * kSecond);
    EXPECT_LE(opened_ns_[i] - closed_ns_[i], 62 * kSecond);
  }
}

TEST_F(GovernorTest, TheBudgetOfTwentySecondsIsSaved) {
  Run(1000, 0);
  // 0.2 s, and 0.02 s that may be over: 0.041 s a second are beyond it in the seventh.
  const int seconds = SecondsWhile([&] { return window_ == Window::kOpen; }, [&] { Run(1, 0.05); });
  EXPECT_EQ(seconds, 6);
}

TEST_F(GovernorTest, LevelsHaveNoTimeBeforeTheFirstCostAndAfterTheLastProcess) {
  const auto tick = [&](double share, bool live, uint64_t counted_ns) {
    now_ns_ += kSecond;
    return governor_.Follow({now_ns_, window_, share * kSecond, 0, 0, live, counted_ns});
  };
  for (int i = 0; i < 4; ++i) tick(0, true, 0);
  EXPECT_EQ(governor_.level_ns(CoverageLevel::kFull), 0u);
  tick(0.005, true, kSecond / 4);  // it came in the middle of it
  tick(0.005, true, kSecond);
  EXPECT_EQ(governor_.level_ns(CoverageLevel::kFull), kSecond + kSecond / 4);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(tick(0.5, false, 0), Action::kNone);
  EXPECT_EQ(governor_.level_ns(CoverageLevel::kFull), kSecond + kSecond / 4);
  EXPECT_EQ(governor_.level_ns(CoverageLevel::kSampled), 0u);
}

}  // namespace
}  // namespace flopsprof::agent
