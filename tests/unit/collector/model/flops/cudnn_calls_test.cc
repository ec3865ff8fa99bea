// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>

#include "collector/model/flops/flops_library.h"
#include "proto/shm/api_ids.h"
#include "proto/shm/cudnn_variants.h"

namespace flopsprof::model {
namespace {

using shm::ApiId;

constexpr uint8_t kLstm = 2, kGru = 3;
constexpr uint8_t kFloat = 0, kHalf = 2, kComplex = 4;  // cudaDataType

shm::LibraryCall Call(ApiId api, std::initializer_list<int64_t> sizes, uint8_t variant = 0,
                      uint8_t type = kFloat) {
  shm::LibraryCall call = {};
  call.api = static_cast<uint16_t>(api);
  call.variant = variant;
  call.type = type;
  std::copy(sizes.begin(), sizes.end(), call.sizes);
  return call;
}

FlopCount Flops(const shm::LibraryCall& call) {
  const LibraryWork work = LibraryWorkOf(call);
  EXPECT_TRUE(work.has_products);
  EXPECT_EQ(work.reason, shm::UnknownReason::kNone);
  return work.flops.value_or(1);
}

// 2 layers of 256, 16 sequences of 50 tokens, 128 features: 4 gates.
TEST(CudnnRnnTest, LstmOfTwoLayers) {
  const auto call = Call(ApiId::cudnnRNNForward, {800, 128, 256, 0, 2}, kLstm);
  EXPECT_EQ(Flops(call), FlopCount{2ull * 800 * 4 * 256 * ((128 + 256) + (256 + 256))});
  EXPECT_EQ(LibraryShape(call), "lstm tokens=800 input=128 hidden=256 layers=2 type=f32");
}

TEST(CudnnRnnTest, BothGradientsMakeTheSameProducts) {
  const FlopCount forward = 2ull * 800 * 4 * 256 * ((128 + 256) + (256 + 256));
  for (ApiId api : {ApiId::cudnnRNNBackwardData_v8, ApiId::cudnnRNNBackwardWeights_v8}) {
    EXPECT_EQ(Flops(Call(api, {800, 128, 256, 0, 2}, kLstm)), forward);
  }
}

// The second layer takes the outputs of both directions.
TEST(CudnnRnnTest, GruInBothDirections) {
  const auto call =
      Call(ApiId::cudnnRNNForward, {800, 128, 256, 0, 2}, kGru | shm::kRnnBidirectional);
  EXPECT_EQ(Flops(call), FlopCount{2ull * 800 * 2 * 3 * 256 * ((128 + 256) + (2 * 256 + 256))});
  EXPECT_EQ(LibraryShape(call),
            "gru tokens=800 input=128 hidden=256 layers=2 bidirectional type=f32");
}

// State and outputs are 64 wide; each layer projects 256 to 64.
TEST(CudnnRnnTest, LstmWithProjection) {
  const auto call = Call(ApiId::cudnnRNNForward, {800, 128, 256, 64, 2}, kLstm);
  EXPECT_EQ(Flops(call),
            FlopCount{2ull * 800 * (4 * 256 * ((128 + 64) + (64 + 64)) + 2 * 256 * 64)});
  EXPECT_EQ(LibraryShape(call),
            "lstm tokens=800 input=128 hidden=256 projection=64 layers=2 type=f32");
}

TEST(CudnnRnnTest, PlainCellThatSkipsItsInput) {
  const auto call = Call(ApiId::cudnnRNNForward, {10, 32, 32, 0, 1}, shm::kRnnSkipsInput, kHalf);
  EXPECT_EQ(Flops(call), FlopCount{2 * 10 * 32 * 32});
  EXPECT_EQ(LibraryComputeType(call), "fp16");
}

TEST(CudnnRnnTest, NoTokensNoWork) {
  EXPECT_EQ(Flops(Call(ApiId::cudnnRNNForward, {0, 128, 256, 0, 2}, kLstm)), FlopCount{0});
}

// 2 * outputs * (channels of a group * window).
TEST(CudnnOlderConvolutionTest, ByOutputsAndFilter) {
  for (ApiId api :
       {ApiId::cudnnConvolutionForward, ApiId::cudnnConvolutionBackwardData,
        ApiId::cudnnConvolutionBackwardFilter, ApiId::cudnnConvolutionBiasActivationForward}) {
    const auto call = Call(api, {4 * 64 * 16 * 16, 8 * 3 * 3, 4, 64, 4});
    EXPECT_EQ(Flops(call), FlopCount{2ull * 4 * 64 * 16 * 16 * 8 * 3 * 3});
    EXPECT_EQ(LibraryShape(call),
              "outputs=65536 per_output=72 batch=4 channels=64 groups=4 type=f32");
  }
}

TEST(CudnnOlderConvolutionTest, ComplexProductsAreFourTimesAsMany) {
  EXPECT_EQ(Flops(Call(ApiId::cudnnConvolutionForward, {10, 3, 1, 1, 1}, 0, kComplex)),
            FlopCount{8 * 10 * 3});
}

TEST(CudnnOlderConvolutionTest, TheDescriptorsMathTellsFp32FromTf32) {
  auto call = Call(ApiId::cudnnConvolutionForward, {10, 3, 1, 1, 1});
  EXPECT_EQ(LibraryComputeType(call), "fp32_or_tf32");
  call.math_mode = 3;  // CUDNN_FMA_MATH
  EXPECT_EQ(LibraryComputeType(call), "fp32");
}

TEST(CudnnOlderAttentionTest, EachPartIsAProduct) {
  EXPECT_EQ(Flops(Call(ApiId::cudnnMultiHeadAttnForward, {300, 1, 16, 4})),
            FlopCount{2 * 300 * 16 * 4});
}

TEST(CudnnOlderCallsTest, AbsurdSizesAreUnknown) {
  const int64_t huge = int64_t{1} << 62;
  for (const auto& call :
       {Call(ApiId::cudnnRNNForward, {-1, 128, 256, 0, 2}, kLstm),
        Call(ApiId::cudnnRNNForward, {8, 128, huge, 0, 2}, kLstm),
        Call(ApiId::cudnnRNNForward, {huge, 1 << 30, 1 << 30, 0, 1 << 30}, kLstm),
        Call(ApiId::cudnnConvolutionForward, {-1, 9, 1, 1, 1}),
        Call(ApiId::cudnnConvolutionForward, {huge, huge, 1, 1, 1})}) {
    const LibraryWork work = LibraryWorkOf(call);
    EXPECT_FALSE(work.flops.has_value());
    EXPECT_EQ(work.reason, shm::UnknownReason::kBadSize);
  }
}

TEST(CudnnOlderCallsTest, AnUnknownTypeIsUnknown) {
  const LibraryWork work =
      LibraryWorkOf(Call(ApiId::cudnnConvolutionForward, {10, 3, 1, 1, 1}, 0, 255));
  EXPECT_FALSE(work.flops.has_value());
  EXPECT_EQ(work.reason, shm::UnknownReason::kUnknownType);
}

TEST(CudnnOlderCallsTest, AReasonGoesBeforeSizes) {
  auto call = Call(ApiId::cudnnRNNForward, {800, 128, 256, 0, 2}, kLstm);
  call.reason = static_cast<uint8_t>(shm::UnknownReason::kGetterFailed);
  EXPECT_FALSE(LibraryWorkOf(call).flops.has_value());
  EXPECT_EQ(LibraryShape(call), "unknown: a handle or descriptor could not be read");
}

}  // namespace
}  // namespace flopsprof::model
