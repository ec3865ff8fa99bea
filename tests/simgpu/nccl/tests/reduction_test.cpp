// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "reduction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace sim::nccl {
namespace {

using ::testing::ElementsAre;

template <class T>
std::vector<T> ReduceTwo(const Reduction& reduction, ncclDataType_t type, std::vector<T> a,
                         std::vector<T> b) {
  const char* arrays[] = {reinterpret_cast<char*>(a.data()), reinterpret_cast<char*>(b.data())};
  std::vector<T> result(a.size());
  Reduce(reduction, {arrays, 2, a.size(), type}, reinterpret_cast<char*>(result.data()));
  return result;
}

TEST(ReductionTest, AddsFloats) {
  const std::vector<float> result =
      ReduceTwo<float>({Reduction::Kind::kSum}, ncclFloat32, {1, 2.5F}, {3, -1});
  EXPECT_THAT(result, ElementsAre(4, 1.5F));
}

TEST(ReductionTest, AveragesFloats) {
  const std::vector<float> result =
      ReduceTwo<float>({Reduction::Kind::kAverage}, ncclFloat32, {1}, {4});
  EXPECT_THAT(result, ElementsAre(2.5F));
}

TEST(ReductionTest, TakesTheSmallerInteger) {
  const std::vector<int64_t> result =
      ReduceTwo<int64_t>({Reduction::Kind::kMin}, ncclInt64, {-5, 7}, {3, -9});
  EXPECT_THAT(result, ElementsAre(-5, -9));
}

TEST(ReductionTest, ScalesContributionsOfAPreMultipliedSum) {
  const std::vector<double> result =
      ReduceTwo<double>({Reduction::Kind::kSum, 0.5}, ncclFloat64, {2}, {6});
  EXPECT_THAT(result, ElementsAre(4));
}

// Bit patterns of bfloat16: 1.0 is 0x3f80, 2.0 is 0x4000, 3.0 is 0x4040.
TEST(ReductionTest, AddsBfloat16) {
  const std::vector<uint16_t> result =
      ReduceTwo<uint16_t>({Reduction::Kind::kSum}, ncclBfloat16, {0x3f80}, {0x4000});
  EXPECT_THAT(result, ElementsAre(0x4040));
}

// Bit patterns of IEEE half: 1.5 is 0x3e00, 2^-24 (the smallest) is 0x0001, 65504 (the largest)
// is 0x7bff, infinity is 0x7c00.
TEST(ReductionTest, AddsHalves) {
  const std::vector<uint16_t> result = ReduceTwo<uint16_t>(
      {Reduction::Kind::kSum}, ncclFloat16, {0x3e00, 0x0001, 0x7bff}, {0x3e00, 0x0001, 0x7bff});
  EXPECT_THAT(result, ElementsAre(0x4200, 0x0002, 0x7c00));
}

}  // namespace
}  // namespace sim::nccl
