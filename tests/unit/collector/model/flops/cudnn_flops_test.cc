// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "collector/model/flops_cudnn.h"

namespace flopsprof::model {
namespace {

std::string ReadPlan(const std::string& name) {
  std::ifstream file(std::string(FLOPSPROF_TEST_FOLDER) + "/plans/" + name + ".json");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

struct PlanCase {
  const char* file;
  uint64_t flops;
  const char* compute_type;
  const char* shape;
  const char* description;
};

// Operation graphs that the real library (9.24) wrote; see plans/README.md.
class CudnnPlanTest : public testing::TestWithParam<PlanCase> {};

TEST_P(CudnnPlanTest, CountsARealPlan) {
  const PlanCase& c = GetParam();
  const CudnnPlan plan = ParseCudnnPlan(ReadPlan(c.file));
  ASSERT_TRUE(plan.readable);
  EXPECT_TRUE(plan.flops_known);
  EXPECT_TRUE(plan.has_products);
  EXPECT_EQ(plan.flops, FlopCount{c.flops});
  EXPECT_EQ(plan.compute_type, c.compute_type);
  EXPECT_EQ(plan.shape, c.shape);
  EXPECT_EQ(plan.description, c.description);
}

// 2 * (elements of y) * (C/groups * filter window), by hand.
INSTANTIATE_TEST_SUITE_P(
    Real, CudnnPlanTest,
    testing::Values(
        PlanCase{"cifar_conv1_fwd", 2ull * 8 * 6 * 28 * 28 * 3 * 5 * 5, "fp32_or_tf32",
                 "conv_fwd x=8x3x32x32 w=6x3x5x5 y=8x6x28x28 pad=0,0 stride=1,1 dilation=1,1 float",
                 "conv_fwd"},
        PlanCase{"cifar_conv2_dgrad", 2ull * 8 * 16 * 10 * 10 * 6 * 5 * 5, "fp32_or_tf32",
                 "conv_dgrad dx=8x6x14x14 w=16x6x5x5 dy=8x16x10x10 pad=0,0 stride=1,1 dilation=1,1 "
                 "float",
                 "conv_dgrad"},
        PlanCase{"cifar_conv2_wgrad", 2ull * 8 * 16 * 10 * 10 * 6 * 5 * 5, "fp32_or_tf32",
                 "conv_wgrad x=8x6x14x14 dw=16x6x5x5 dy=8x16x10x10 pad=0,0 stride=1,1 dilation=1,1 "
                 "float",
                 "conv_wgrad"},
        PlanCase{
            "grouped_fwd", 2ull * 4 * 64 * 16 * 16 * (32 / 4) * 3 * 3, "fp16",
            "conv_fwd x=4x32x16x16 w=64x8x3x3 y=4x64x16x16 pad=1,1 stride=1,1 dilation=1,1 half",
            "conv_fwd"},
        PlanCase{"depthwise_wgrad", 2ull * 2 * 32 * 14 * 14 * 1 * 3 * 3, "fp32_or_tf32",
                 "conv_wgrad x=2x32x14x14 dw=32x1x3x3 dy=2x32x14x14 pad=1,1 stride=1,1 "
                 "dilation=1,1 float",
                 "conv_wgrad"},
        // (20 + 2*1 - 2*(3-1) - 1) / 2 + 1 = 9
        PlanCase{
            "dilated_strided_fwd", 2ull * 2 * 24 * 9 * 9 * 16 * 3 * 3, "fp32_or_tf32",
            "conv_fwd x=2x16x20x20 w=24x16x3x3 y=2x24x9x9 pad=1,1 stride=2,2 dilation=2,2 float",
            "conv_fwd"},
        PlanCase{"conv3d_fwd", 2ull * 2 * 8 * (8 * 10 * 12) * 4 * (3 * 3 * 3), "fp32_or_tf32",
                 "conv_fwd x=2x4x8x10x12 w=8x4x3x3x3 y=2x8x8x10x12 pad=1,1,1 stride=1,1,1 "
                 "dilation=1,1,1 float",
                 "conv_fwd"},
        PlanCase{"conv_bias_relu", 2ull * 4 * 64 * 16 * 16 * 32 * 3 * 3, "fp16",
                 "conv_fwd x=4x32x16x16 w=64x32x3x3 y=4x64x16x16 pad=1,1 stride=1,1 dilation=1,1 "
                 "half; pointwise; pointwise",
                 "conv_fwd + pointwise x2"},
        // The second operand is broadcast over the batch of 6.
        PlanCase{"matmul_broadcast", 2ull * 6 * 64 * 48 * 32, "bf16",
                 "matmul a=6x64x32 b=1x32x48 c=6x64x48 bfloat16", "matmul"},
        // 8 query heads on 2 key heads: 2 * B * Hq * Sq * Sk * (D + Dv).
        PlanCase{"sdpa_fwd", 2ull * 2 * 8 * 128 * 256 * (64 + 64), "bf16",
                 "sdpa_fwd q=2x8x128x64 k=2x2x256x64 v=2x2x256x64 bfloat16", "sdpa_fwd"}),
    [](const auto& info) { return info.param.file; });

// A graph of one node with three tensors "1", "2", "3".
std::string Graph(const std::string& node, const std::string& a, const std::string& b,
                  const std::string& c, const std::string& more = "") {
  const auto tensor = [](const char* name, const std::string& sizes) {
    return "{\"name\":\"" + std::string(name) +
           "\",\"dataType\":\"CUDNN_DATA_FLOAT\",\"dim\":" + sizes + "}";
  };
  return "{\"tensors\":[" + tensor("1", a) + "," + tensor("2", b) + "," + tensor("3", c) +
         "],\"nodes\":[" + node + "]" + more + "}";
}

const char kForward[] =
    R"({"operation":"CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR","X":"1","W":"2","Y":"3"})";
const char kAttentionBackward[] =
    R"({"operation":"CUDNN_BACKEND_OPERATION_SDPA_BWD_DESCRIPTOR","Q":"1","K":"2","V":"3"})";

TEST(CudnnPlanFormTest, AttentionBackwardIsFiveProductsOneOfThemRecomputed) {
  const CudnnPlan plan =
      ParseCudnnPlan(Graph(kAttentionBackward, "[2,4,16,8]", "[2,4,32,8]", "[2,4,32,10]"));
  EXPECT_TRUE(plan.flops_known);
  const uint64_t pairs = 2 * 4 * 16 * 32;
  EXPECT_EQ(plan.flops, FlopCount{2 * pairs * (3 * 8 + 2 * 10)});
  EXPECT_EQ(plan.recompute_flops, FlopCount{2 * pairs * 8});
}

TEST(CudnnPlanFormTest, LengthsOnTheDeviceAreUnknown) {
  const std::string node =
      R"({"operation":"CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR","Q":"1","K":"2","V":"3","seqLenQ":"9"})";
  const CudnnPlan plan = ParseCudnnPlan(Graph(node, "[2,4,16,8]", "[2,4,32,8]", "[2,4,32,8]"));
  EXPECT_TRUE(plan.readable);
  EXPECT_FALSE(plan.flops_known);
}

TEST(CudnnPlanFormTest, TheEnginesNotesTellTf32FromFp32) {
  const auto type = [](const char* notes) {
    return ParseCudnnPlan(Graph(kForward, "[1,2,4,4]", "[3,2,1,1]", "[1,3,4,4]", notes))
        .compute_type;
  };
  EXPECT_EQ(type(",\"numericalNotes\":[0,4]"), "tf32");
  EXPECT_EQ(type(",\"numericalNotes\":[4]"), "fp32");
  EXPECT_EQ(type(""), "fp32_or_tf32");
}

TEST(CudnnPlanFormTest, RolesMayBeInCapitals) {
  const std::string node =
      R"({"operation":"CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR","DX":"1","W":"2","DY":"3"})";
  EXPECT_EQ(ParseCudnnPlan(Graph(node, "[1,2,4,4]", "[3,2,1,1]", "[1,3,4,4]")).flops,
            FlopCount{2 * 1 * 3 * 4 * 4 * 2});
}

TEST(CudnnPlanFormTest, AWholePlanIsAcceptedToo) {
  const std::string graph = Graph(kForward, "[1,2,4,4]", "[3,2,1,1]", "[1,3,4,4]");
  EXPECT_EQ(ParseCudnnPlan("{\"engine\":{},\"operationGraph\":" + graph + "}").flops,
            FlopCount{192});  // 2 * 1*3*4*4 * 2
}

TEST(CudnnPlanFormTest, APlanOfPointwiseOperationsHasNoProducts) {
  const CudnnPlan plan = ParseCudnnPlan(
      R"({"tensors":[],"nodes":[{"operation":"CUDNN_BACKEND_OPERATION_NORM_FORWARD_DESCRIPTOR"}]})");
  EXPECT_TRUE(plan.flops_known);
  EXPECT_FALSE(plan.has_products);
  EXPECT_EQ(plan.flops, FlopCount{0});
}

TEST(CudnnPlanFormTest, AnUnknownOperationIsUnknownByName) {
  const CudnnPlan plan = ParseCudnnPlan(
      R"({"nodes":[{"operation":"CUDNN_BACKEND_OPERATION_MOE_GROUPED_MATMUL_DESCRIPTOR"}]})");
  EXPECT_TRUE(plan.readable);
  EXPECT_FALSE(plan.flops_known);
  EXPECT_TRUE(plan.has_products);
  EXPECT_EQ(plan.description, "moe_grouped_matmul");
}

TEST(CudnnPlanFormTest, AKnownPartDoesNotHideAnUnknownOne) {
  const std::string nodes = std::string(kForward) + R"(,{"operation":"SOMETHING_NEW"})";
  const CudnnPlan plan = ParseCudnnPlan(Graph(nodes, "[1,2,4,4]", "[3,2,1,1]", "[1,3,4,4]"));
  EXPECT_FALSE(plan.flops_known);
  EXPECT_EQ(plan.flops, FlopCount{0});
}

struct BadSizes {
  const char* name;
  const char* x;
  const char* w;
  const char* y;
};
class CudnnBadSizesTest : public testing::TestWithParam<BadSizes> {};

TEST_P(CudnnBadSizesTest, AreUnknown) {
  const BadSizes& c = GetParam();
  const CudnnPlan plan = ParseCudnnPlan(Graph(kForward, c.x, c.w, c.y));
  EXPECT_TRUE(plan.readable);
  EXPECT_FALSE(plan.flops_known);
}

INSTANTIATE_TEST_SUITE_P(
    All, CudnnBadSizesTest,
    testing::Values(BadSizes{"negative", "[1,2,4,4]", "[3,2,1,1]", "[1,3,-4,-4]"},
                    BadSizes{"absurd", "[1,2,4,4]", "[3,2,1,1]",
                             "[1,3,4611686018427387904,4611686018427387904]"},
                    BadSizes{"fractional", "[1,2,4,4]", "[3,2,1,1]", "[1,3,4,4.5]"},
                    BadSizes{"of_other_rank", "[1,2,4,4]", "[3,2,1,1]", "[1,3,4]"},
                    BadSizes{"no_list", "[1,2,4,4]", "[3,2,1,1]", "7"},
                    BadSizes{"of_zero_filter_channels", "[1,2,4,4]", "[3,0,1,1]", "[1,3,4,4]"},
                    BadSizes{"other_output_channels", "[1,2,4,4]", "[3,2,1,1]", "[1,5,4,4]"},
                    BadSizes{"too_many", "[1,2,4,4]", "[3,2,1,1]", "[1,3,1,1,1,1,1,1,1,1]"}),
    [](const auto& info) { return info.param.name; });

TEST(CudnnPlanHostileTest, OtherTextIsNotReadable) {
  for (const char* text :
       {"", "x", "{", "[]", "null", "7", "{}", "{\"nodes\":{}}", "{\"nodes\":[]}",
        "{\"operationGraph\":[]}", "\"nodes\"", "{\"nodes\":[1}", "{\"nodes\":\"\xff\xfe\"}"}) {
    EXPECT_FALSE(ParseCudnnPlan(text).readable) << text;
  }
}

TEST(CudnnPlanHostileTest, NodesOfOtherFormsAreUnknown) {
  const CudnnPlan plan = ParseCudnnPlan(
      R"({"tensors":[7,{"name":{}},{"name":"1","dim":{"a":1}}],"nodes":[7,null,[],{"operation":[]}]})");
  EXPECT_TRUE(plan.readable);
  EXPECT_FALSE(plan.flops_known);
}

TEST(CudnnPlanHostileTest, DeepNestingIsRefused) {
  const std::string deep(100'000, '[');
  EXPECT_FALSE(ParseCudnnPlan(deep).readable);
  EXPECT_FALSE(ParseCudnnPlan("{\"nodes\":" + deep + std::string(100'000, ']') + "}").readable);
}

TEST(CudnnPlanHostileTest, TenMegabytesAreRefused) {
  EXPECT_FALSE(ParseCudnnPlan("{\"nodes\":\"" + std::string(10 << 20, 'x') + "\"}").readable);
}

TEST(CudnnPlanHostileTest, EveryTruncationOfARealPlanIsHarmless) {
  const std::string text = ReadPlan("conv_bias_relu");
  ASSERT_GT(text.size(), 1000u);
  for (size_t length = 0; length + 1 < text.size(); length++) {
    EXPECT_FALSE(ParseCudnnPlan(std::string_view(text).substr(0, length)).readable) << length;
  }
}

TEST(CudnnPlanHostileTest, EveryChangedByteOfARealPlanIsHarmless) {
  const std::string text = ReadPlan("matmul_broadcast");
  for (size_t i = 0; i < text.size(); i++) {
    for (char byte : {'\0', '"', '9', '}', '\xff'}) {
      std::string changed = text;
      changed[i] = byte;
      ParseCudnnPlan(changed);
    }
  }
}

}  // namespace
}  // namespace flopsprof::model
