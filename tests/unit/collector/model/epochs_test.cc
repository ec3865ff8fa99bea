// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/epochs.h"

#include <gtest/gtest.h>

namespace flopsprof::model {
namespace {

v1::EpochRow Epoch(uint32_t session, uint64_t taken) {
  v1::EpochRow row;
  row.set_epoch(100 + session);
  row.set_session(session);
  row.set_calls_taken(taken);
  return row;
}

// Session 1 wrote 50, of which 40 were taken; 5 came while no agent was there; session 2 took 30.
v1::ProcessProfile TwoSessions(bool final) {
  v1::ProcessProfile process;
  *process.add_epochs() = Epoch(2, 30);
  v1::EpochRow& newest = *process.mutable_epochs(0);
  newest.set_calls_before(50);
  newest.set_calls_unwritten(5);
  newest.set_calls_made(50 + 5 + 31);
  newest.set_launches_made(20);
  newest.set_launches_unwritten(1);
  newest.set_launches_taken(9);
  newest.set_final(final);
  *process.add_epochs() = Epoch(1, 40);
  process.mutable_epochs(1)->set_launches_taken(7);
  return process;
}

TEST(EpochsTest, WhatAnAgentHasTakenWithItIsALoss) {
  v1::ProcessProfile process = TwoSessions(/*final=*/true);
  CountLostWithAgents(&process);
  EXPECT_EQ(process.loss().at("calls_lost_with_agent"), 11u);  // 86 - 5 - 40 - 30
  EXPECT_EQ(process.loss().at("launches_lost_with_agent"), 3u);
  EXPECT_FALSE(EndIsUnknown(process));
}

TEST(EpochsTest, WhatTheNewestAgentHasNotReadYetIsNoLoss) {
  v1::ProcessProfile process = TwoSessions(/*final=*/false);
  CountLostWithAgents(&process);
  EXPECT_EQ(process.loss().at("calls_lost_with_agent"), 10u);  // 50 - 40
  EXPECT_EQ(process.loss().count("launches_lost_with_agent"), 0u);
  EXPECT_TRUE(EndIsUnknown(process));
}

// An agent gave a segment that the process did not take: the next agent has the same number.
TEST(EpochsTest, ASessionThatWasNeverTakenUpHidesNoLoss) {
  v1::ProcessProfile process = TwoSessions(/*final=*/true);
  v1::EpochRow never = Epoch(2, 0);
  never.set_epoch(1);
  for (const bool first : {false, true}) {
    v1::ProcessProfile with = process;
    *with.add_epochs() = never;
    if (first) with.mutable_epochs()->SwapElements(0, 2);
    CountLostWithAgents(&with);
    EXPECT_EQ(with.loss().at("calls_lost_with_agent"), 11u) << first;
    EXPECT_FALSE(EndIsUnknown(with)) << first;
  }
}

TEST(EpochsTest, OneSessionLosesNothing) {
  v1::ProcessProfile process;
  *process.add_epochs() = Epoch(1, 40);
  process.mutable_epochs(0)->set_calls_made(40);
  process.mutable_epochs(0)->set_final(true);
  CountLostWithAgents(&process);
  EXPECT_TRUE(process.loss().empty());
}

TEST(EpochsTest, ARunWithoutEpochsHasNoUnknownEnd) {
  v1::ProcessProfile process;
  CountLostWithAgents(&process);
  EXPECT_TRUE(process.loss().empty());
  EXPECT_FALSE(EndIsUnknown(process));
}

}  // namespace
}  // namespace flopsprof::model
