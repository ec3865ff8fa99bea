// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/lacked_numberings.h"

#include <gtest/gtest.h>

namespace flopsprof::store {
namespace {

TEST(LackedNumberingsTest, KnowsTheNewestOfAnAgent) {
  LackedNumberings lacks;
  lacks.Note({{"a", 2}, {"b", 1}});
  lacks.Note({{"a", 1}});
  EXPECT_EQ(lacks.Of("a"), 2u);
  EXPECT_EQ(lacks.Of("b"), 1u);
  EXPECT_EQ(lacks.Of("c"), 0u);
}

// Whoever can send can make up agents.
TEST(LackedNumberingsTest, KeepsTheOneThatCameLastAndABoundedNumberOfOthers) {
  LackedNumberings lacks(10);
  for (uint32_t i = 0; i < 1000; ++i) {
    const std::string agent = "agent-" + std::to_string(i);
    lacks.Note({{agent, i + 1}});
    EXPECT_EQ(lacks.Of(agent), i + 1);
  }
  EXPECT_EQ(lacks.size(), 10u);
}

}  // namespace
}  // namespace flopsprof::store
