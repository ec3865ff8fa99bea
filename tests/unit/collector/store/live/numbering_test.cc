// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/live/numbering.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace flopsprof::store {
namespace {

using ::testing::ElementsAre;

constexpr uint32_t kNoRow = UINT32_MAX;

// The rows of these numbers, which ascend, and how many have none.
std::pair<std::vector<uint32_t>, uint64_t> RowsOf(const Numbering& numbering,
                                                  const std::vector<uint32_t>& numbers,
                                                  const Numbering::Definition& more = {}) {
  std::vector<RowRun> runs, found;
  for (size_t i = 0; i < numbers.size(); ++i) Increments::Extend(numbers[i], i, &runs);
  const uint64_t unknown = numbering.Resolve(runs, more, &found);
  std::vector<uint32_t> rows(numbers.size(), kNoRow);
  for (const RowRun& run : found) {
    for (uint32_t i = 0; i < run.count; ++i) rows.at(run.at + i) = run.first + i;
  }
  return {rows, unknown};
}

TEST(NumberingTest, KnowsWhatIsDefinedAndWhatIsNot) {
  Numbering numbering;
  EXPECT_TRUE(numbering.Define({2, {7, 8}}));
  EXPECT_TRUE(numbering.Define({4, {1}}));
  EXPECT_TRUE(numbering.Define({10, {0}}));
  const auto [rows, unknown] =
      RowsOf(numbering, {0, 1, 2, 3, 4, 5, 9, 10, 11, 0xfffffffe, 0xffffffff});
  EXPECT_EQ(unknown, 7u);
  EXPECT_THAT(rows,
              ElementsAre(kNoRow, kNoRow, 7, 8, 1, kNoRow, kNoRow, 0, kNoRow, kNoRow, kNoRow));
}

TEST(NumberingTest, DefinesANumberOnce) {
  Numbering numbering;
  EXPECT_TRUE(numbering.Define({2, {7, 8}}));
  EXPECT_FALSE(numbering.Define({3, {9}}));
  EXPECT_FALSE(numbering.Define({0, {9, 9, 9}}));
  EXPECT_FALSE(numbering.Define({0xfffffffe, {1, 2}}));
  EXPECT_THAT(RowsOf(numbering, {3}).first, ElementsAre(8));
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
  const auto [rows, unknown] = RowsOf(numbering, {1, 2, 3, 4, 5, 6, 7}, {5, {3, 1}});
  EXPECT_EQ(unknown, 3u);
  EXPECT_THAT(rows, ElementsAre(kNoRow, 7, 8, kNoRow, 3, 1, kNoRow));
  EXPECT_THAT(RowsOf(numbering, {2, 5}).first, ElementsAre(7, kNoRow));
}

TEST(NumberingTest, ComesBackFromItsBytes) {
  Numbering numbering;
  numbering.Define({0, {0, 1, 2, 3, 9, 8}});
  numbering.Define({100, {4, 5}});
  Numbering again;
  ASSERT_TRUE(again.Decode(numbering.Encode(), 10));
  const auto [rows, unknown] = RowsOf(again, {0, 1, 2, 3, 4, 5, 6, 99, 100, 101, 102});
  EXPECT_EQ(unknown, 3u);
  EXPECT_THAT(rows, ElementsAre(0, 1, 2, 3, 9, 8, kNoRow, kNoRow, 4, 5, kNoRow));
  EXPECT_FALSE(again.Decode(numbering.Encode(), 9)) << "of fewer rows";
  EXPECT_FALSE(again.Decode(numbering.Encode().substr(0, 4), 10));
}

}  // namespace
}  // namespace flopsprof::store
