// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/flops/operation_flops.h"

#include <gtest/gtest.h>

#include <initializer_list>

#include "proto/shm/operations.h"

namespace flopsprof::model {
namespace {

using shm::OperationId;

shm::OperationCall Call(OperationId id, std::initializer_list<uint32_t> sizes,
                        uint8_t variant = 0) {
  shm::OperationCall call = {};
  call.operation = static_cast<uint16_t>(id);
  call.type = 15;  // bf16
  call.variant = variant;
  int next = 0;
  for (const uint32_t size : sizes) call.sizes[next++] = size;
  return call;
}

// batch 2, 8 query heads of 4 queries, 2 key heads of 4 keys, D 16, Dv 32.
constexpr std::initializer_list<uint32_t> kGrouped = {2, 8, 2, 4, 4, 16, 32};

// Pairs by looking at each one.
uint64_t PairsOneByOne(const shm::OperationCall& call) {
  const int64_t queries = call.sizes[3], keys = call.sizes[4];
  const int64_t offset = call.variant == shm::kMaskCausalBottomRight ? keys - queries : 0;
  uint64_t pairs = 0;
  for (int64_t i = 0; i < queries; ++i) {
    for (int64_t j = 0; j < keys; ++j) {
      const bool causal = call.variant == shm::kMaskNone || j <= i + offset;
      const bool left = call.sizes[7] == 0 || j >= i + offset - (int64_t{call.sizes[7]} - 1);
      const bool right = call.sizes[8] == 0 || j <= i + offset + (int64_t{call.sizes[8]} - 1);
      pairs += causal && left && right;
    }
  }
  return pairs;
}

TEST(OperationFlopsTest, AttentionCountsQueryHeadsAndBothHeadSizes) {
  // 2 * 2*8*4*4 * (16 + 32)
  const OperationWork work = WorkOf(Call(OperationId::kFlashAttention, kGrouped));
  EXPECT_EQ(work.flops, FlopCount{24'576});
  EXPECT_EQ(work.recompute_flops, FlopCount{0});
  EXPECT_TRUE(work.products);
}

TEST(OperationFlopsTest, AttentionBackwardIsFiveProductsOneOfThemMadeAgain) {
  // Gradients 2 * 256 * (2*16 + 2*32), QK^T 2 * 256 * 16.
  const OperationWork work = WorkOf(Call(OperationId::kFlashAttentionBackward, kGrouped));
  EXPECT_EQ(work.flops, FlopCount{49'152 + 8'192});
  EXPECT_EQ(work.recompute_flops, FlopCount{8'192});
}

TEST(OperationFlopsTest, ACausalMaskDoesNotChangeTheDenseCount) {
  const auto call = Call(OperationId::kEfficientAttention, {1, 1, 1, 1024, 1024, 64, 64},
                         shm::kMaskCausalTopLeft);
  EXPECT_EQ(WorkOf(call).flops, FlopCount{2u * 1024 * 1024 * 128});
  EXPECT_EQ(OperationDetail(call), "mask leaves 524800 of 1048576 pairs; counted dense");
}

TEST(OperationFlopsTest, PairsThatMasksAndWindowsLeaveAreThoseOfLookingAtEachOne) {
  for (const uint8_t mask :
       {shm::kMaskNone, shm::kMaskCausalTopLeft, shm::kMaskCausalBottomRight}) {
    for (const uint32_t queries : {1u, 3u, 7u}) {
      for (const uint32_t keys : {1u, 4u, 9u}) {
        for (const uint32_t left : {0u, 1u, 3u, 20u}) {
          for (const uint32_t right : {0u, 1u, 3u, 20u}) {
            const auto call = Call(OperationId::kFlashAttention,
                                   {1, 1, 1, queries, keys, 8, 8, left, right}, mask);
            EXPECT_EQ(MaskedPairs(call), FlopCount{PairsOneByOne(call)})
                << int{mask} << " " << queries << " " << keys << " " << left << " " << right;
          }
        }
      }
    }
  }
}

TEST(OperationFlopsTest, ADepthwiseConvolutionHasItsGroupsInTheWeight) {
  // 32 channels, each with its own 3x3 filter, on 2 images of 112x112: 2 * 2*32*1 * 12544 * 9.
  EXPECT_EQ(WorkOf(Call(OperationId::kDepthwiseConv2d, {2, 32, 1, 1, 112, 112, 1, 3, 3, 32})).flops,
            FlopCount{14'450'688});
}

TEST(OperationFlopsTest, EachGradientOfAConvolutionIsAsMuchAsItsForwardPass) {
  const std::initializer_list<uint32_t> sizes = {1, 4, 1, 1, 8, 8, 1, 3, 3, 4};
  const FlopCount forward = 2 * 4 * 64 * 9;
  const auto backward = [&](uint8_t wanted) {
    return WorkOf(Call(OperationId::kDepthwiseConv2dBackward, sizes, wanted)).flops;
  };
  EXPECT_EQ(backward(shm::kConvInputGradient), forward);
  EXPECT_EQ(backward(shm::kConvWeightGradient), forward);
  EXPECT_EQ(backward(shm::kConvInputGradient | shm::kConvWeightGradient), 2 * forward);
  EXPECT_EQ(backward(0), FlopCount{0});
}

TEST(OperationFlopsTest, AGroupedProductIsOneOverAllRows) {
  EXPECT_EQ(WorkOf(Call(OperationId::kGroupedMm, {96, 64, 32, 1, 8})).flops,
            FlopCount{2u * 96 * 64 * 32});
}

TEST(OperationFlopsTest, AnEmbeddingBagHasNoProducts) {
  const OperationWork work = WorkOf(Call(OperationId::kEmbeddingBag, {}));
  EXPECT_FALSE(work.products);
  EXPECT_EQ(work.flops, FlopCount{0});
}

TEST(OperationFlopsTest, UnknownSizesAreNoCountButAReason) {
  auto call = Call(OperationId::kFlashAttention, kGrouped);
  call.reason = static_cast<uint8_t>(shm::OperationReason::kLengthsOnDevice);
  EXPECT_EQ(WorkOf(call).flops, std::nullopt);
  EXPECT_EQ(OperationShape(call), "sizes unknown bf16");
  EXPECT_EQ(OperationDetail(call), "lengths of the sequences are in GPU memory");
}

TEST(OperationFlopsTest, AnOperationOfANewerInjectorIsNoCount) {
  auto call = Call(OperationId::kFlashAttention, kGrouped);
  call.operation = 999;
  EXPECT_EQ(WorkOf(call).flops, std::nullopt);
  EXPECT_TRUE(WorkOf(call).products);
  EXPECT_EQ(OperationText(call), "operation999");
}

TEST(OperationFlopsTest, AbsurdSizesAreNoCount) {
  const uint32_t most = 0xffffffff;
  EXPECT_EQ(WorkOf(Call(OperationId::kFlashAttention, {most, most, 1, most, most, most, 1})).flops,
            std::nullopt);
}

TEST(OperationFlopsTest, ShapesAreReadable) {
  EXPECT_EQ(OperationShape(Call(OperationId::kFlashAttention, {2, 8, 2, 5, 7, 16, 32, 4, 1},
                                shm::kMaskCausalBottomRight)),
            "batch=2 q=8x5x16 kv=2x7x32 causal left=3 right=0 bf16");
  EXPECT_EQ(OperationShape(Call(OperationId::kGroupedMm, {96, 64, 32, 1, 8})),
            "m=96 n=64 k=32 batch=1 groups=8 bf16");
  EXPECT_EQ(OperationComputeType(Call(OperationId::kGroupedMm, {})), "bf16");
}

}  // namespace
}  // namespace flopsprof::model
