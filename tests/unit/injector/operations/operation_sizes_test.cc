// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/operations/operation_sizes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace flopsprof::injector {
namespace {

using shm::OperationReason;
using ::testing::ElementsAre;

// What stands for a tensor here.
struct FakeTensor {
  std::vector<int64_t> sizes;
  int32_t type = 15;
};
const FakeTensor* Of(const void* tensor) { return static_cast<const FakeTensor*>(tensor); }

class OperationSizesTest : public ::testing::Test {
 protected:
  OperationSizesTest() {
    TensorReader::Functions functions = {};
    functions.dim = [](const void* tensor, int64_t* rank) {
      *rank = static_cast<int64_t>(Of(tensor)->sizes.size());
      return 0;
    };
    functions.sizes = [](const void* tensor, int64_t** sizes) {
      *sizes = const_cast<int64_t*>(Of(tensor)->sizes.data());
      return Of(tensor)->sizes.empty() ? 1 : 0;
    };
    functions.type = [](const void* tensor, int32_t* type) {
      *type = Of(tensor)->type;
      return 0;
    };
    TensorReader::SetForTesting(functions);
  }

  void Attention(const FakeTensor& q, const FakeTensor& k, const FakeTensor& v, bool packed = false,
                 int64_t longest_q = 0, int64_t longest_k = 0, int64_t count = 0) {
    AttentionArguments arguments = {
        &q, &k, &v, packed, longest_q, longest_k, count, shm::kMaskCausalTopLeft, 3, -1};
    DescribeAttention(arguments, &call_);
  }
  std::vector<uint32_t> Sizes(int count) { return {call_.sizes, call_.sizes + count}; }
  OperationReason Reason() { return static_cast<OperationReason>(call_.reason); }

  shm::OperationCall call_ = {};
};

TEST_F(OperationSizesTest, AttentionHasHeadsBeforeLengths) {
  Attention({{2, 5, 8, 16}}, {{2, 7, 4, 16}}, {{2, 7, 4, 32}});
  EXPECT_THAT(Sizes(9), ElementsAre(2, 8, 4, 5, 7, 16, 32, 4, 0));
  EXPECT_EQ(call_.type, 15);
  EXPECT_EQ(call_.variant, shm::kMaskCausalTopLeft);
  EXPECT_EQ(Reason(), OperationReason::kNone);
}

TEST_F(OperationSizesTest, PackedSequencesOfOneLengthAreKnown) {
  // Three sequences of 4 queries and 6 keys.
  Attention({{12, 8, 16}}, {{18, 8, 16}}, {{18, 8, 16}}, true, 4, 6, 3);
  EXPECT_THAT(Sizes(7), ElementsAre(3, 8, 8, 4, 6, 16, 16));
  EXPECT_EQ(Reason(), OperationReason::kNone);
}

TEST_F(OperationSizesTest, PackedSequencesOfSeveralLengthsAreNot) {
  Attention({{11, 8, 16}}, {{18, 8, 16}}, {{18, 8, 16}}, true, 4, 6, 3);
  EXPECT_EQ(Reason(), OperationReason::kLengthsOnDevice);
}

TEST_F(OperationSizesTest, KeysWhoseUsedLengthsAreOnTheGpuAreNot) {
  const FakeTensor q{{12, 8, 16}}, k{{18, 8, 16}};  // a cache with room for three times 6 keys
  AttentionArguments arguments = {&q, &k, &k, true, 4, 6, 3, shm::kMaskNone, -1, -1};
  arguments.lengths_on_device = true;
  DescribeAttention(arguments, &call_);
  EXPECT_EQ(Reason(), OperationReason::kLengthsOnDevice);
}

TEST_F(OperationSizesTest, TensorsOfOtherRanksAreRefused) {
  Attention({{5, 16}}, {{7, 16}}, {{7, 16}});
  EXPECT_EQ(Reason(), OperationReason::kNotReadable);
}

TEST_F(OperationSizesTest, ATensorThatCannotBeReadIsRefused) {
  Attention({{}}, {{2, 7, 4, 16}}, {{2, 7, 4, 32}});
  EXPECT_EQ(Reason(), OperationReason::kNotReadable);
}

TEST_F(OperationSizesTest, SizesBeyond32BitsAreRefused) {
  Attention({{INT64_C(1) << 32, 5, 8, 16}}, {{1, 7, 4, 16}}, {{1, 7, 4, 32}});
  EXPECT_EQ(Reason(), OperationReason::kTooLarge);
}

TEST_F(OperationSizesTest, AConvolutionsOutputFollowsFromItsArguments) {
  const FakeTensor input{{2, 32, 113, 57}}, weight{{64, 1, 3, 5}};
  const int64_t kernel[] = {3, 5}, stride[] = {2, 1}, padding[] = {1, 0}, dilation[] = {1, 2};
  DescribeConvolution(
      {&input, &weight, nullptr, {kernel, 2}, {stride, 2}, {padding, 2}, {dilation, 2}, 0}, &call_);
  // (113 + 2 - 2 - 1) / 2 + 1 = 57; (57 - 8 - 1) / 1 + 1 = 49
  EXPECT_THAT(Sizes(10), ElementsAre(2, 64, 1, 1, 57, 49, 1, 3, 5, 32));
}

TEST_F(OperationSizesTest, AConvolutionsGradientGivesItsOutput) {
  const FakeTensor input{{2, 8, 6, 6, 6}}, weight{{8, 1, 3, 3, 3}}, gradient{{2, 8, 4, 5, 6}};
  const int64_t three[] = {3, 3, 3}, one[] = {1};
  DescribeConvolution({&input,
                       &weight,
                       &gradient,
                       {three, 3},
                       {one, 1},
                       {one, 1},
                       {one, 1},
                       shm::kConvWeightGradient},
                      &call_);
  EXPECT_THAT(Sizes(10), ElementsAre(2, 8, 1, 4, 5, 6, 3, 3, 3, 8));
  EXPECT_EQ(call_.variant, shm::kConvWeightGradient);
}

TEST_F(OperationSizesTest, GroupedProductsOfAllForms) {
  const FakeTensor tokens{{96, 32}}, experts{{8, 32, 64}}, batch{{8, 12, 32}}, other{{32, 640}};
  DescribeGroupedProduct(&tokens, &experts, &call_);
  EXPECT_THAT(Sizes(5), ElementsAre(96, 64, 32, 1, 8));
  call_ = {};
  DescribeGroupedProduct(&batch, &other, &call_);
  EXPECT_THAT(Sizes(5), ElementsAre(12, 640, 32, 1, 8));
  call_ = {};
  DescribeGroupedProduct(&batch, &experts, &call_);
  EXPECT_THAT(Sizes(5), ElementsAre(12, 64, 32, 8, 8));
}

}  // namespace
}  // namespace flopsprof::injector
