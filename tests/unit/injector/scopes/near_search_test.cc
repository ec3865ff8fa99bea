// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/scopes/near_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace flopsprof::injector {
namespace {

TEST(NearSearchTest, EqualsStdUpperBoundWhereverItBegins) {
  const std::vector<uint64_t> numbers = {1, 3, 3, 4, 9, 9, 9, 10, 20, 21, 22, 40};
  const auto at = [&numbers](uint64_t i) { return numbers[i]; };
  for (uint64_t value = 0; value < 45; ++value) {
    const auto expected = static_cast<uint64_t>(
        std::upper_bound(numbers.begin(), numbers.end(), value) - numbers.begin());
    for (uint64_t near = 0; near <= numbers.size() + 3; ++near) {
      EXPECT_EQ(UpperBoundNear(at, 0, numbers.size(), near, value), expected) << value << near;
    }
  }
}

TEST(NearSearchTest, StaysWithinItsPart) {
  const auto at = [](uint64_t i) { return i * 10; };
  EXPECT_EQ(UpperBoundNear(at, 5, 8, 0, 10), 5u);
  EXPECT_EQ(UpperBoundNear(at, 5, 8, 9, 1000), 8u);
  EXPECT_EQ(UpperBoundNear(at, 5, 8, 7, 60), 7u);
  EXPECT_EQ(UpperBoundNear(at, 5, 5, 5, 60), 5u);
}

// An answer next to the last one is found in a few steps, however long the list is.
TEST(NearSearchTest, LooksAtFewNumbersNextToTheLastAnswer) {
  int looked_at = 0;
  const auto at = [&looked_at](uint64_t i) {
    ++looked_at;
    return i;
  };
  EXPECT_EQ(UpperBoundNear(at, 0, 1u << 20, 500000, 499998), 499999u);
  EXPECT_LE(looked_at, 6);
}

}  // namespace
}  // namespace flopsprof::injector
