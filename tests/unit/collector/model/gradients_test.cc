// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/gradients.h"

#include <gtest/gtest.h>

#include "tests/unit/collector/model/profile_builder.h"

namespace flopsprof::model {
namespace {

constexpr uint32_t kScope = 2;

// A model with one module below its root.
class GradientsTest : public ::testing::Test {
 protected:
  GradientsTest() {
    b_.ModuleScope(1, 0, "", "Net", 0x10).ModuleScope(kScope, 1, "layer", "Layer", 0x20);
    b_.Listed(1, 0, "", "Net", 0x10, 1).Listed(1, 1, "layer", "Layer", 0x20, 1);
    AddSizes("");
    AddSizes("layer");
  }

  void AddSizes(const std::string& path) {
    v1::ModuleSizes& sizes = *b_.profile().add_module_sizes();
    sizes.set_root_scope(1);
    sizes.set_path(path);
  }

  void Weights(const std::string& text, const std::string& path = "layer") {
    v1::ModuleWeights& weights = *b_.profile().add_module_weights();
    weights.set_root_scope(1);
    weights.set_path(path);
    weights.set_weights(text);
  }

  int Product(v1::Phase phase, const std::string& sizes, uint64_t calls = 1,
              uint32_t scope = kScope) {
    b_.Gemm(scope, phase, 2, calls).set_shape(sizes + " a=f32 b=f32 c=f32");
    return b_.profile().calls_size() - 1;
  }

  int Plan(v1::Phase phase, const std::string& shape) {
    v1::CallRow& row = b_.Gemm(kScope, phase, 2);
    row.set_kind(v1::CALL_KIND_CUDNN);
    row.set_api("cudnnBackendExecute");
    row.set_shape(shape);
    return b_.profile().calls_size() - 1;
  }

  int Operation(const std::string& api, const std::string& shape) {
    v1::CallRow& row = b_.Gemm(kScope, v1::PHASE_BACKWARD, 2);
    row.set_kind(v1::CALL_KIND_MODELLED);
    row.set_api(api);
    row.set_shape(shape);
    return b_.profile().calls_size() - 1;
  }

  Gradient Of(int row) { return GradientsOf(b_.profile())[static_cast<size_t>(row)]; }

  ProfileBuilder b_{0};
};

// Linear(400, 120) with 8 rows: y[120,8] = w[120,400] x[400,8].
TEST_F(GradientsTest, TellsALinearLayersTwoGradients) {
  Weights("120x400");
  const int forward = Product(v1::PHASE_FORWARD, "m=120 n=8 k=400 batch=1");
  const int data = Product(v1::PHASE_BACKWARD, "m=400 n=8 k=120 batch=1");
  const int weight = Product(v1::PHASE_BACKWARD, "m=400 n=120 k=8 batch=1");
  EXPECT_EQ(Of(forward), Gradient::kNotTold);
  EXPECT_EQ(Of(data), Gradient::kData);
  EXPECT_EQ(Of(weight), Gradient::kWeight);
}

TEST_F(GradientsTest, TellsThemWithResultsTheOtherWayRound) {
  Weights("120x400");
  Product(v1::PHASE_FORWARD, "m=8 n=120 k=400 batch=1");
  EXPECT_EQ(Of(Product(v1::PHASE_BACKWARD, "m=8 n=400 k=120 batch=1")), Gradient::kData);
  EXPECT_EQ(Of(Product(v1::PHASE_BACKWARD, "m=120 n=400 k=8 batch=1")), Gradient::kWeight);
}

TEST_F(GradientsTest, DoesNotAskForTheTypes) {
  Weights("120x400");
  b_.Gemm(kScope, v1::PHASE_FORWARD, 2).set_shape("m=120 n=8 k=400 batch=1 a=f16 b=f16 c=f16");
  EXPECT_EQ(Of(Product(v1::PHASE_BACKWARD, "m=400 n=120 k=8 batch=1")), Gradient::kWeight);
}

TEST_F(GradientsTest, SaysNothingWhereBatchEqualsFeatures) {
  Weights("64x64");
  Product(v1::PHASE_FORWARD, "m=64 n=64 k=64 batch=1");
  EXPECT_EQ(Of(Product(v1::PHASE_BACKWARD, "m=64 n=64 k=64 batch=1", 2)), Gradient::kNotTold);
}

// Linear(32, 64) with 64 rows: both gradients are [32,64] over 64.
TEST_F(GradientsTest, SaysNothingWhereRowsEqualOutputs) {
  Weights("64x32");
  Product(v1::PHASE_FORWARD, "m=64 n=64 k=32 batch=1");
  EXPECT_EQ(Of(Product(v1::PHASE_BACKWARD, "m=32 n=64 k=64 batch=1", 2)), Gradient::kNotTold);
}

// Linear(64, 32) with 64 rows: data [64,64] over 32, weight [64,32] over 64, as the forward.
TEST_F(GradientsTest, TellsThemWhereRowsEqualInputs) {
  Weights("32x64");
  Product(v1::PHASE_FORWARD, "m=32 n=64 k=64 batch=1");
  EXPECT_EQ(Of(Product(v1::PHASE_BACKWARD, "m=64 n=64 k=32 batch=1")), Gradient::kData);
  EXPECT_EQ(Of(Product(v1::PHASE_BACKWARD, "m=64 n=32 k=64 batch=1")), Gradient::kWeight);
}

TEST_F(GradientsTest, TellsASquareLayersTwoGradients) {
  Weights("512x512");
  Product(v1::PHASE_FORWARD, "m=512 n=64 k=512 batch=1", 3);
  EXPECT_EQ(Of(Product(v1::PHASE_BACKWARD, "m=512 n=64 k=512 batch=1", 3)), Gradient::kData);
  EXPECT_EQ(Of(Product(v1::PHASE_BACKWARD, "m=512 n=512 k=64 batch=1", 3)), Gradient::kWeight);
}

// As many again: a forward that the backward repeats looks like the gradient of the data.
TEST_F(GradientsTest, SaysNothingWhereAForwardMayBeRepeated) {
  Weights("512x512");
  Product(v1::PHASE_FORWARD, "m=512 n=64 k=512 batch=1", 3);
  EXPECT_EQ(Of(Product(v1::PHASE_BACKWARD, "m=512 n=64 k=512 batch=1", 6)), Gradient::kNotTold);
}

TEST_F(GradientsTest, RecomputationExplainsAndIsNeither) {
  Weights("120x400");
  const int recomputed = Product(v1::PHASE_RECOMPUTE, "m=120 n=8 k=400 batch=1");
  const int data = Product(v1::PHASE_BACKWARD, "m=400 n=8 k=120 batch=1");
  EXPECT_EQ(Of(recomputed), Gradient::kNotTold);
  EXPECT_EQ(Of(data), Gradient::kData);
}

// Scores of 4 heads, 10 queries, 12 keys of 16: both gradients are of data.
TEST_F(GradientsTest, AttentionHasDataOnBothSides) {
  Product(v1::PHASE_FORWARD, "m=12 n=10 k=16 batch=4");
  EXPECT_EQ(Of(Product(v1::PHASE_BACKWARD, "m=16 n=10 k=12 batch=4")), Gradient::kData);
  EXPECT_EQ(Of(Product(v1::PHASE_BACKWARD, "m=16 n=12 k=10 batch=4")), Gradient::kData);
}

// As many queries as keys: three of the four products have the sizes of a forward.
TEST_F(GradientsTest, SelfAttentionHasDataOnBothSides) {
  Product(v1::PHASE_FORWARD, "m=9 n=9 k=6 batch=4", 2);
  Product(v1::PHASE_FORWARD, "m=6 n=9 k=9 batch=4", 2);
  EXPECT_EQ(Of(Product(v1::PHASE_BACKWARD, "m=9 n=9 k=6 batch=4", 2)), Gradient::kData);
  const int others = Product(v1::PHASE_BACKWARD, "m=6 n=9 k=9 batch=4", 6);
  EXPECT_EQ(Of(others), Gradient::kData);
}

// The head of a language model that multiplies by the embedding's weight.
TEST_F(GradientsTest, SaysNothingWhereAnOperandMayBeAnothersWeight) {
  Weights("50257x768", "");
  Product(v1::PHASE_FORWARD, "m=50257 n=128 k=768 batch=1");
  EXPECT_EQ(Of(Product(v1::PHASE_BACKWARD, "m=768 n=50257 k=128 batch=1")), Gradient::kNotTold);
}

// A third of in_proj_weight: multi-head attention with other keys than queries.
TEST_F(GradientsTest, SaysNothingOfPartsOfAWeight) {
  Weights("384x128");
  Product(v1::PHASE_FORWARD, "m=128 n=40 k=128 batch=1");
  EXPECT_EQ(Of(Product(v1::PHASE_BACKWARD, "m=128 n=128 k=40 batch=1")), Gradient::kNotTold);
}

// A table of positions [10,16] that is added, and a product of 10 x 10 scores with values [10,16].
TEST_F(GradientsTest, SaysNothingWhereSizesMayFitByChance) {
  Weights("10x16");
  Product(v1::PHASE_FORWARD, "m=10 n=10 k=16 batch=1");
  Product(v1::PHASE_FORWARD, "m=16 n=10 k=10 batch=1");
  EXPECT_EQ(Of(Product(v1::PHASE_BACKWARD, "m=10 n=10 k=16 batch=1")), Gradient::kNotTold);
}

TEST_F(GradientsTest, TellsABatchOfExperts) {
  Weights("4x64x32");
  Product(v1::PHASE_FORWARD, "m=64 n=10 k=32 batch=4");
  EXPECT_EQ(Of(Product(v1::PHASE_BACKWARD, "m=32 n=10 k=64 batch=4")), Gradient::kData);
  EXPECT_EQ(Of(Product(v1::PHASE_BACKWARD, "m=32 n=64 k=10 batch=4")), Gradient::kWeight);
}

TEST_F(GradientsTest, SaysNothingOfProductsWithoutAForward) {
  Weights("120x400");
  Product(v1::PHASE_FORWARD, "m=120 n=8 k=400 batch=1");
  EXPECT_EQ(Of(Product(v1::PHASE_BACKWARD, "m=7 n=8 k=9 batch=1")), Gradient::kNotTold);
}

TEST_F(GradientsTest, SaysNothingOfModulesThatNobodyDescribed) {
  b_.ModuleScope(3, 1, "late", "Late", 0x30);
  Product(v1::PHASE_FORWARD, "m=12 n=10 k=16 batch=4", 1, 3);
  EXPECT_EQ(Of(Product(v1::PHASE_BACKWARD, "m=16 n=10 k=12 batch=4", 1, 3)), Gradient::kNotTold);
}

TEST_F(GradientsTest, SaysNothingWhereThereAreTooManyWeights) {
  Weights("?");
  Product(v1::PHASE_FORWARD, "m=120 n=8 k=400 batch=1");
  EXPECT_EQ(Of(Product(v1::PHASE_BACKWARD, "m=400 n=8 k=120 batch=1")), Gradient::kNotTold);
}

TEST_F(GradientsTest, ARangeInAModuleHasTheModulesWeights) {
  Weights("120x400");
  b_.Range(3, kScope, "inner");
  Product(v1::PHASE_FORWARD, "m=120 n=8 k=400 batch=1", 1, 3);
  EXPECT_EQ(Of(Product(v1::PHASE_BACKWARD, "m=400 n=120 k=8 batch=1", 1, 3)), Gradient::kWeight);
}

TEST_F(GradientsTest, KnowsConvolutionsByTheirOperation) {
  EXPECT_EQ(Of(Plan(v1::PHASE_BACKWARD, "conv_dgrad dx=8x3x8x8 w=6x3x3x3 dy=8x6x6x6 f32")),
            Gradient::kData);
  EXPECT_EQ(Of(Plan(v1::PHASE_BACKWARD, "conv_wgrad x=8x3x8x8 dw=6x3x3x3 dy=8x6x6x6 f32")),
            Gradient::kWeight);
}

// A transposed convolution runs backwards as a convolution does forwards.
TEST_F(GradientsTest, KnowsTransposedConvolutionsByTheirFilter) {
  Plan(v1::PHASE_FORWARD, "conv_dgrad dx=8x6x8x8 w=3x6x3x3 dy=8x3x6x6 f32");
  EXPECT_EQ(Of(Plan(v1::PHASE_BACKWARD, "conv_fwd x=8x6x8x8 w=3x6x3x3 y=8x3x6x6 f32")),
            Gradient::kData);
  EXPECT_EQ(Of(Plan(v1::PHASE_BACKWARD, "conv_fwd x=8x6x8x8 w=9x6x3x3 y=8x9x6x6 f32")),
            Gradient::kNotTold);
}

TEST_F(GradientsTest, KnowsRecurrentNetworksByTheirFunction) {
  v1::CallRow& data = b_.Gemm(kScope, v1::PHASE_BACKWARD, 2);
  data.set_kind(v1::CALL_KIND_LIBRARY);
  data.set_api("cudnnRNNBackwardData_v8");
  v1::CallRow& weight = b_.Gemm(kScope, v1::PHASE_BACKWARD, 2);
  weight.set_kind(v1::CALL_KIND_LIBRARY);
  weight.set_api("cudnnRNNBackwardWeights_v8");
  EXPECT_EQ(Of(0), Gradient::kData);
  EXPECT_EQ(Of(1), Gradient::kWeight);
}

TEST_F(GradientsTest, KnowsOperations) {
  EXPECT_EQ(Of(Operation("aten::_flash_attention_backward", "batch=1")), Gradient::kData);
  EXPECT_EQ(Of(Operation("aten::_conv_depthwise2d_backward", "n=1 dgrad f32")), Gradient::kData);
  EXPECT_EQ(Of(Operation("aten::_conv_depthwise2d_backward", "n=1 wgrad f32")), Gradient::kWeight);
  EXPECT_EQ(Of(Operation("aten::_conv_depthwise2d_backward", "n=1 dgrad wgrad f32")),
            Gradient::kNotTold);
  EXPECT_EQ(Of(Operation("mylib::op_backward", "")), Gradient::kNotTold);
}

}  // namespace
}  // namespace flopsprof::model
