// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/steps/window_filter.h"

#include <gtest/gtest.h>

#include "tests/support/fake_injector.h"

namespace flopsprof::agent {
namespace {

using Answer = WindowFilter::Answer;

class WindowFilterTest : public ::testing::Test {
 protected:
  explicit WindowFilterTest(StepWindow window = {2, 5}, size_t max_held = 1000)
      : filter_(window, &steps_, max_held) {}

  void Tell(const shm::StepRecord& record) {
    filter_.BeforeLabel(record);
    steps_.OnLabel(record);
    filter_.AfterLabel(record);
  }
  void Begin(uint32_t label, uint32_t number, bool settled = false) {
    shm::StepRecord record = testing::Step(label, shm::StepEvent::kBegin, ++now_ns_);
    record.number = number;
    record.settled = settled ? 1 : 0;
    Tell(record);
  }
  void Number(uint32_t first, uint32_t last, uint32_t number) {
    shm::StepRecord record = testing::Step(last, shm::StepEvent::kNumber, ++now_ns_);
    record.first_label = first;
    record.number = number;
    Tell(record);
  }
  // Work of a step, which notes it when it is booked.
  void Work(uint32_t step) {
    filter_.Hold(step, [this, step] {
      if (filter_.Ask(step) == Answer::kYes) booked_.push_back(step);
    });
  }
  // Labels that have the number 0 while another optimizer is waited for.
  void Wait(uint32_t labels) {
    for (uint32_t label = 0; label < labels; ++label) {
      Begin(label, 0);
      Work(label);
    }
  }
  // A loop whose turns are of one part.
  void Turns(uint32_t first, uint32_t end) {
    for (uint32_t label = first; label < end; ++label) {
      Begin(label, label);
      Work(label);
    }
  }

  StepRows steps_;
  WindowFilter filter_;
  std::vector<uint32_t> booked_;
  uint64_t now_ns_ = 0;
};

using Steps = std::vector<uint32_t>;

TEST_F(WindowFilterTest, WorkWaitsForNothingOnceNumbersAreSettled) {
  for (uint32_t label = 0; label < 4; ++label) {
    Begin(label, label);
    Work(label);
  }
  Work(4);  // its begin is in another ring
  EXPECT_TRUE(booked_.empty());
  Begin(4, 4, true);
  EXPECT_EQ(booked_, (std::vector<uint32_t>{2, 3, 4}));
  EXPECT_EQ(filter_.Ask(4), Answer::kYes);
  Begin(5, 5, true);
  EXPECT_EQ(filter_.Ask(5), Answer::kNo);
  EXPECT_EQ(filter_.belied_count(), 0u);
}

TEST_F(WindowFilterTest, LabelsThatWaitForAnOptimizerAreOfTheWindowByTheNumbersThatTheyGet) {
  Wait(8);
  for (uint32_t label = 1; label < 8; ++label) Number(label, label, label);
  EXPECT_EQ(booked_, Steps());
  filter_.DecideAll();
  EXPECT_EQ(booked_, (Steps{2, 3, 4}));
  EXPECT_EQ(filter_.belied_count(), 0u);
}

TEST_F(WindowFilterTest, LabelsOfACycleThatIsLearnedLateAreOfItsFirstTurn) {
  Turns(0, 6);
  for (uint32_t label = 1; label < 6; ++label) Number(label, label, 0);
  filter_.DecideAll();
  EXPECT_EQ(booked_, Steps());
}

TEST_F(WindowFilterTest, LabelsThatWereNoStepsAreNotOfTheWindow) {
  Turns(0, 4);
  Number(0, 3, shm::kNoStep);
  EXPECT_EQ(filter_.Ask(3), Answer::kNo);
  for (uint32_t label = 4; label < 10; ++label) {
    Begin(label, label - 4);
    Work(label);
  }
  filter_.DecideAll();
  EXPECT_EQ(booked_, (Steps{6, 7, 8}));
}

TEST_F(WindowFilterTest, AStepIsDecidedWhenItsNumberStays) {
  Turns(0, 2 + WindowFilter::kOpenLabels);
  EXPECT_EQ(booked_, Steps());
  Turns(2 + WindowFilter::kOpenLabels, 3 + WindowFilter::kOpenLabels);
  EXPECT_EQ(booked_, Steps{2});
  EXPECT_EQ(filter_.Ask(2), Answer::kYes);
  EXPECT_EQ(filter_.Ask(1), Answer::kNo);
  EXPECT_EQ(filter_.Ask(3), Answer::kOpen);
}

TEST_F(WindowFilterTest, NothingIsHeldFarFromTheWindow) {
  Turns(0, 400);
  EXPECT_EQ(filter_.Ask(399), Answer::kNo);
  EXPECT_EQ(booked_, (Steps{2, 3, 4}));
}

TEST_F(WindowFilterTest, WorkOfAStepWhoseBeginHasNotComeWaits) {
  EXPECT_EQ(filter_.Ask(1u << shm::kStepLoopShift | 70), Answer::kOpen);
  EXPECT_EQ(filter_.Ask(shm::kNoStep), Answer::kNo);
  EXPECT_EQ(filter_.Ask(shm::StepAt(shm::StepPlace::kBeside, shm::kStepKeyMask)), Answer::kNo);
}

TEST_F(WindowFilterTest, WhatRunsBetweenStepsIsInWhereBothAre) {
  Turns(0, 6);
  for (const uint32_t label : {1u, 3u, 4u}) Work(shm::StepAt(shm::StepPlace::kBeside, label));
  booked_.clear();
  filter_.DecideAll();
  EXPECT_EQ(booked_, (Steps{2, 3, shm::StepAt(shm::StepPlace::kBeside, 3), 4}));
}

TEST_F(WindowFilterTest, LoopsAreDecidedByTheirOwnLabels) {
  const uint32_t second = 1u << shm::kStepLoopShift;
  for (uint32_t label = 20; label < 23; ++label) {
    Begin(second | label, label - 18);
    Work(second | label);
  }
  Turns(0, 400);
  EXPECT_EQ(booked_, (Steps{2, 3, 4}));
  filter_.DecideAll();
  EXPECT_EQ(booked_, (Steps{2, 3, 4, second | 20, second | 21, second | 22}));
}

class FullWindowFilterTest : public WindowFilterTest {
 protected:
  FullWindowFilterTest() : WindowFilterTest({2, 5}, /*max_held=*/4) {}
};

TEST_F(FullWindowFilterTest, TheOldestStepIsDecidedByTheNumberThatItHas) {
  Turns(0, 7);
  EXPECT_EQ(booked_, Steps{2});
  filter_.DecideAll();
  EXPECT_EQ(booked_, (Steps{2, 3, 4}));
  EXPECT_EQ(filter_.belied_count(), 0u);  // the numbers stayed
}

TEST_F(FullWindowFilterTest, ADecisionThatALaterNumberBeliesIsCounted) {
  Wait(8);
  for (uint32_t label = 1; label < 8; ++label) Number(label, label, label);
  filter_.DecideAll();
  EXPECT_EQ(booked_, (Steps{4}));
  EXPECT_EQ(filter_.belied_count(), 2u);  // 2 and 3 were left out as 0
}

TEST_F(FullWindowFilterTest, StepsThatWereBookedAndAreNoneAreCounted) {
  Turns(0, 9);
  Number(0, 8, shm::kNoStep);
  EXPECT_EQ(filter_.belied_count(), 3u);
}

}  // namespace
}  // namespace flopsprof::agent
