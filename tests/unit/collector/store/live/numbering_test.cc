// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/live/numbering.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flopsprof::store {
namespace {

using ::testing::ElementsAre;

TEST(NumberingTest, KnowsWhatIsDefinedAndWhatIsNot) {
  Numbering numbering;
  EXPECT_TRUE(numbering.Define({2, {7, 8}}));
  EXPECT_TRUE(numbering.Define({4, {1}}));
  EXPECT_TRUE(numbering.Define({10, {0}}));
  std::vector<uint32_t> numbers = {0, 1, 2, 3, 4, 5, 9, 10, 11, 0xfffffffe};
  EXPECT_EQ(numbering.Resolve(&numbers), 6u);
  EXPECT_THAT(numbers, ElementsAre(kNoRow, kNoRow, 7, 8, 1, kNoRow, kNoRow, 0, kNoRow, kNoRow));
}

TEST(NumberingTest, DefinesANumberOnce) {
  Numbering numbering;
  EXPECT_TRUE(numbering.Define({2, {7, 8}}));
  EXPECT_FALSE(numbering.Define({3, {9}}));
  EXPECT_FALSE(numbering.Define({0, {9, 9, 9}}));
  EXPECT_FALSE(numbering.Define({0xfffffffe, {1, 2}}));
  std::vector<uint32_t> numbers = {3};
  EXPECT_EQ(numbering.Resolve(&numbers), 0u);
  EXPECT_THAT(numbers, ElementsAre(8));
}

TEST(NumberingTest, ARowHasOneNumber) {
  Numbering numbering;
  EXPECT_TRUE(numbering.Define({2, {7, 200}}));
  EXPECT_FALSE(numbering.Define({4, {7}}));
  EXPECT_FALSE(numbering.Define({4, {6, 200}}));
  EXPECT_FALSE(numbering.Define({4, {5, 6, 5}}));
  EXPECT_TRUE(numbering.Define({4, {6, 5}}));
  Numbering again;
  ASSERT_TRUE(again.Decode(numbering.Encode(), 201));
  EXPECT_EQ(again.bytes(), numbering.bytes());
  EXPECT_FALSE(again.CanDefine({6, {200}}));
  EXPECT_TRUE(again.CanDefine({6, {201}}));
}

// As a part does before it is known that all of it can be taken.
TEST(NumberingTest, ResolvesWhatIsNotDefinedYet) {
  Numbering numbering;
  EXPECT_TRUE(numbering.Define({2, {7, 8}}));
  std::vector<uint32_t> numbers = {1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(numbering.Resolve(&numbers, {5, {3, 1}}), 3u);
  EXPECT_THAT(numbers, ElementsAre(kNoRow, 7, 8, kNoRow, 3, 1, kNoRow));
  numbers = {2, 5};
  EXPECT_EQ(numbering.Resolve(&numbers), 1u);
  EXPECT_THAT(numbers, ElementsAre(7, kNoRow));
}

TEST(NumberingTest, ComesBackFromItsBytes) {
  Numbering numbering;
  numbering.Define({0, {0, 1, 2, 3, 9, 8}});
  numbering.Define({100, {4, 5}});
  Numbering again;
  ASSERT_TRUE(again.Decode(numbering.Encode(), 10));
  std::vector<uint32_t> numbers = {0, 1, 2, 3, 4, 5, 6, 99, 100, 101, 102};
  EXPECT_EQ(again.Resolve(&numbers), 3u);
  EXPECT_THAT(numbers, ElementsAre(0, 1, 2, 3, 9, 8, kNoRow, kNoRow, 4, 5, kNoRow));
  EXPECT_FALSE(again.Decode(numbering.Encode(), 9)) << "of fewer rows";
  EXPECT_FALSE(again.Decode(numbering.Encode().substr(0, 4), 10));
}

}  // namespace
}  // namespace flopsprof::store
