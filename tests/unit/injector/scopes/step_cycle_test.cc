// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/scopes/step_cycle.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace flopsprof::injector {
namespace {

// Parts by letters ("c": one optimizer, "g": another, "b": both of them); the turn of each part as
// the cycle says it after all of them.
std::vector<uint32_t> TurnsOf(const std::string& parts) {
  StepCycle cycle;
  for (const char part : parts) {
    cycle.SetPart(part == 'c' ? 1 : part == 'g' ? 2 : part == 'b' ? 3 : 4);
    EXPECT_FALSE(cycle.EndPart());
  }
  std::vector<uint32_t> turns;
  for (uint32_t i = 0; i < parts.size(); ++i) turns.push_back(cycle.TurnOf(i));
  return turns;
}

using Turns = std::vector<uint32_t>;

TEST(StepCycleTest, EachPartOfOneOptimizerIsATurn) { EXPECT_EQ(TurnsOf("ccc"), Turns({0, 1, 2})); }

TEST(StepCycleTest, TwoInTurnAreOne) {
  EXPECT_EQ(TurnsOf("cg"), Turns({0, 0}));
  EXPECT_EQ(TurnsOf("cgc"), Turns({0, 0, 1}));
  EXPECT_EQ(TurnsOf("cgcg"), Turns({0, 0, 1, 1}));
}

TEST(StepCycleTest, SeveralCriticsAndAGeneratorAreOne) {
  EXPECT_EQ(TurnsOf("ccg"), Turns({0, 0, 0}));
  EXPECT_EQ(TurnsOf("ccgccg"), Turns({0, 0, 0, 1, 1, 1}));
  EXPECT_EQ(TurnsOf("gccgcc"), Turns({0, 0, 0, 1, 1, 1}));
}

TEST(StepCycleTest, OneThatAlwaysStepsMakesEachPartATurn) {
  EXPECT_EQ(TurnsOf("ccbccb"), Turns({0, 1, 2, 3, 4, 5}));
}

TEST(StepCycleTest, OneOptimizerAfterTheOtherIsNoCycle) {
  EXPECT_EQ(TurnsOf("cccggg"), Turns({0, 1, 2, 3, 4, 5}));
}

TEST(StepCycleTest, LearnsAfterTwoTurnsWhereTheNextOneBegins) {
  StepCycle cycle;
  for (const uint64_t part : {1, 2, 1}) {
    cycle.SetPart(part);
    cycle.EndPart();
  }
  EXPECT_FALSE(cycle.learned());
  cycle.SetPart(2);
  cycle.EndPart();
  EXPECT_TRUE(cycle.learned());
  EXPECT_TRUE(cycle.AtBegin());
  cycle.SetPart(1);
  EXPECT_FALSE(cycle.TurnIsOver());
  EXPECT_FALSE(cycle.EndPart());
  EXPECT_FALSE(cycle.AtBegin());
  cycle.SetPart(2);
  EXPECT_TRUE(cycle.TurnIsOver());
}

TEST(StepCycleTest, CountsAnewWhereTheCycleChanges) {
  StepCycle cycle;
  for (const uint64_t part : {1, 2, 1, 2}) {
    cycle.SetPart(part);
    cycle.EndPart();
  }
  cycle.SetPart(4);
  EXPECT_TRUE(cycle.EndPart());
  EXPECT_FALSE(cycle.learned());
  EXPECT_EQ(cycle.count(), 0u);
}

TEST(StepCycleTest, ATurnIsOverWithTheLastOfSeveralOptimizers) {
  StepCycle cycle;
  cycle.SetPart(3);
  cycle.EndPart();
  cycle.SetPart(1);
  EXPECT_FALSE(cycle.TurnIsOver());
  cycle.SetPart(3);
  EXPECT_TRUE(cycle.TurnIsOver());
}

}  // namespace
}  // namespace flopsprof::injector
