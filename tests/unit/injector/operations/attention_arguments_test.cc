// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/operations/attention_arguments.h"

#include <gtest/gtest.h>

#include <vector>

namespace flopsprof::injector {
namespace {

using Sizes = std::vector<int64_t>;

struct OptionalTensor {
  const void* tensor;
  bool has;
};

class AttentionArgumentsTest : public ::testing::Test {
 protected:
  AttentionArgumentsTest() {
    TensorReader::Functions functions = {};
    functions.dim = [](const void* tensor, int64_t* rank) {
      *rank = static_cast<int64_t>(static_cast<const Sizes*>(tensor)->size());
      return 0;
    };
    functions.sizes = [](const void* tensor, int64_t** sizes) {
      *sizes = const_cast<int64_t*>(static_cast<const Sizes*>(tensor)->data());
      return 0;
    };
    TensorReader::SetForTesting(functions);
  }

  FlashArguments flash_ = {nullptr, nullptr, nullptr, nullptr, 5, 7, false, -1, -1, false};
  EfficientArguments efficient_ = {nullptr, nullptr, nullptr, nullptr, 5, 7, 0, -1, false};
};

TEST_F(AttentionArgumentsTest, FlashAlignsItsMaskWithTheLastQueryAndKey) {
  EXPECT_EQ(AttentionOfFlash(flash_).mask, shm::kMaskNone);
  flash_.causal = true;
  EXPECT_EQ(AttentionOfFlash(flash_).mask, shm::kMaskCausalBottomRight);
}

TEST_F(AttentionArgumentsTest, FlashWindowsAreKeysOnEachSide) {
  flash_.window_left = 3;
  flash_.window_right = 0;
  EXPECT_EQ(AttentionOfFlash(flash_).window_left, 3);
  EXPECT_EQ(AttentionOfFlash(flash_).window_right, 0);
}

TEST_F(AttentionArgumentsTest, PackedSequencesAreOneLessThanTheirBounds) {
  const Sizes bounds = {4};
  flash_.bounds = &bounds;
  EXPECT_TRUE(AttentionOfFlash(flash_).packed);
  EXPECT_EQ(AttentionOfFlash(flash_).sequence_count, 3);
  const Sizes not_a_list = {4, 4};
  flash_.bounds = &not_a_list;
  EXPECT_EQ(AttentionOfFlash(flash_).sequence_count, 0);
}

TEST_F(AttentionArgumentsTest, EfficientMasksAreThoseOfPyTorchsNumbers) {
  efficient_.mask = 1;
  EXPECT_EQ(AttentionOfEfficient(efficient_).mask, shm::kMaskCausalTopLeft);
  efficient_.mask = 2;
  EXPECT_EQ(AttentionOfEfficient(efficient_).mask, shm::kMaskCausalBottomRight);
  efficient_.mask = 0;
  EXPECT_EQ(AttentionOfEfficient(efficient_).mask, shm::kMaskNone);
}

TEST_F(AttentionArgumentsTest, EfficientWindowHoldsTheQuerysOwnKey) {
  efficient_.window = 4;
  EXPECT_EQ(AttentionOfEfficient(efficient_).window_left, 3);
  EXPECT_EQ(AttentionOfEfficient(efficient_).window_right, -1);
  efficient_.window = 0;
  EXPECT_EQ(AttentionOfEfficient(efficient_).window_left, -1);
}

TEST_F(AttentionArgumentsTest, EfficientIsPackedWhereThereAreBounds) {
  const Sizes bounds = {4};
  OptionalTensor optional = {&bounds, false};
  efficient_.bounds = &optional;
  EXPECT_FALSE(AttentionOfEfficient(efficient_).packed);
  optional.has = true;
  EXPECT_TRUE(AttentionOfEfficient(efficient_).packed);
}

TEST_F(AttentionArgumentsTest, KnowsATensorThatStandsForNone) {
  const Sizes none = {0};
  const Sizes bounds = {4};
  EXPECT_TRUE(IsEmptyTensor(&none));
  EXPECT_FALSE(IsEmptyTensor(&bounds));
}

}  // namespace
}  // namespace flopsprof::injector
