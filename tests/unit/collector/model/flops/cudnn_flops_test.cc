// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "collector/model/flops/flops_cudnn.h"

namespace flopsprof::model {
namespace {

std::string ReadPlan(const std::string& name) {
  std::ifstream file(std::string(FLOPSPROF_TEST_FOLDER) + "/plans/" + name + ".json");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

// A real plan with more members beside its graph.
CudnnPlan ParseWith(const std::string& name, const std::string& more) {
  return ParseCudnnPlan("{\"operationGraph\":" + ReadPlan(name) + "," + more + "}");
}

struct PlanCase {
  const char* file;
  uint64_t flops;
  const char* compute_type;
  const char* shape;
  const char* description;
};

// Operation graphs that the real library (9.24) wrote; see plans/README.md.
class CudnnPlanTest : public ::testing::TestWithParam<PlanCase> {};

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
    ::testing::Values(
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
                 "sdpa_fwd q=2x8x128x64 k=2x2x256x64 v=2x2x256x64 bfloat16", "sdpa_fwd"},
        // Values of another size than keys; all pairs, whatever the mask.
        PlanCase{"sdpa_causal_gqa", 2ull * 2 * 8 * 256 * 512 * (64 + 128), "bf16",
                 "sdpa_fwd q=2x8x256x64 k=2x2x512x64 v=2x2x512x128 bfloat16, causal",
                 "sdpa_fwd, causal"},
        PlanCase{"sdpa_causal_bottom_right", 2ull * 2 * 8 * 256 * 512 * (64 + 64), "bf16",
                 "sdpa_fwd q=2x8x256x64 k=2x8x512x64 v=2x8x512x64 bfloat16, banded",
                 "sdpa_fwd, banded"},
        PlanCase{"sdpa_sliding_window", 2ull * 2 * 8 * 512 * 512 * (64 + 64), "bf16",
                 "sdpa_fwd q=2x8x512x64 k=2x8x512x64 v=2x8x512x64 bfloat16, banded",
                 "sdpa_fwd, banded"},
        PlanCase{"sdpa_composite", 2ull * 2 * 8 * 512 * 512 * (64 + 64), "bf16",
                 "matmul a=2x8x512x64 b=2x8x64x512 c=2x8x512x512 bfloat16; pointwise; "
                 "diagonal_band_mask; softmax; "
                 "matmul a=2x8x512x512 b=2x8x512x64 c=2x8x512x64 bfloat16, causal",
                 "matmul + pointwise + diagonal_band_mask + softmax + matmul, causal"},
        // Row and token: 512 tokens, 256 x 128 weights each.
        PlanCase{"moe", 2ull * 512 * 256 * 128, "bf16",
                 "moe_grouped_matmul token=1x512x256 weight=8x256x128 output=1x512x128 bfloat16",
                 "moe_grouped_matmul"},
        PlanCase{"moe_gather", 2ull * 2 * 512 * 256 * 128, "bf16",
                 "moe_grouped_matmul token=1x512x256 weight=8x256x128 output=1x1024x128 bfloat16",
                 "moe_grouped_matmul"},
        PlanCase{"matmul_relu", 2ull * 4 * 64 * 48 * 32, "fp16",
                 "matmul a=4x64x32 b=4x32x48 c=4x64x48 half; pointwise", "matmul + pointwise"},
        // The forward of a transposed convolution: elements of its input by filter.
        PlanCase{"conv1d_dgrad", 2ull * (4 * 32 * 50) * (16 * 5), "fp16",
                 "conv_dgrad dx=4x16x100x1 w=32x16x5x1 dy=4x32x50x1 pad=2,0 stride=2,1 "
                 "dilation=1,1 half",
                 "conv_dgrad"}),
    [](const auto& info) { return info.param.file; });

TEST(CudnnAttentionTest, AGraphOfSingleProductsInFp8HasOneType) {
  const CudnnPlan plan = ParseCudnnPlan(ReadPlan("sdpa_fp8"));
  EXPECT_EQ(plan.flops, FlopCount{2ull * 2 * 8 * 512 * 512 * (64 + 64)});
  EXPECT_EQ(plan.compute_type, "fp8");
}

struct BackwardCase {
  const char* file;
  uint64_t pairs;
  uint64_t d, dv;
};
class CudnnBackwardTest : public ::testing::TestWithParam<BackwardCase> {};

// dV = P^T dO and dP = dO V^T run over the values' size, dQ = dS K and dK = dS^T Q over the keys',
// as does QK^T, which is made a second time.
TEST_P(CudnnBackwardTest, TellsTheRepeatedProductApart) {
  const BackwardCase& c = GetParam();
  const CudnnPlan plan = ParseCudnnPlan(ReadPlan(c.file));
  ASSERT_TRUE(plan.flops_known) << plan.unknown_reason;
  EXPECT_EQ(plan.recompute_flops, FlopCount{2 * c.pairs * c.d});
  EXPECT_EQ(plan.flops - plan.recompute_flops, FlopCount{2 * c.pairs * (2 * c.d + 2 * c.dv)});
  EXPECT_EQ(plan.compute_type, "bf16");
}

INSTANTIATE_TEST_SUITE_P(
    Real, CudnnBackwardTest,
    ::testing::Values(BackwardCase{"sdpa_backward_causal", 2 * 8 * 512 * 512, 64, 64},
                      BackwardCase{"sdpa_backward_gqa", 2 * 8 * 256 * 512, 64, 128}),
    [](const auto& info) { return info.param.file; });

TEST(CudnnAttentionTest, AForwardOfSingleProductsRepeatsNone) {
  EXPECT_EQ(ParseCudnnPlan(ReadPlan("sdpa_composite")).recompute_flops, FlopCount{0});
}

TEST(CudnnAttentionTest, ABackwardOfAnotherFormIsUnknown) {
  // Without its exponential nobody can tell which of the five products is the repeated one.
  std::string text = ReadPlan("sdpa_backward_causal");
  const size_t at = text.find("CUDNN_POINTWISE_EXP");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 19, "CUDNN_POINTWISE_ABS");
  const CudnnPlan plan = ParseCudnnPlan(text);
  EXPECT_FALSE(plan.flops_known);
  EXPECT_EQ(plan.unknown_reason, "matmul: attention backward of a form that is not known");
}

// Query i of 256 sees i + 1 keys: 256 * 257 / 2 pairs of a head.
TEST(CudnnAttentionTest, CausalPairsAreKeptApart) {
  const CudnnPlan plan = ParseCudnnPlan(ReadPlan("sdpa_causal_gqa"));
  ASSERT_TRUE(plan.causal_flops.has_value());
  EXPECT_EQ(*plan.causal_flops, FlopCount{2ull * 2 * 8 * (256 * 257 / 2) * (64 + 128)});
}

TEST(CudnnAttentionTest, CausalPairsOfSingleProductsAreKeptApart) {
  const CudnnPlan plan = ParseCudnnPlan(ReadPlan("sdpa_backward_causal"));
  ASSERT_TRUE(plan.causal_flops.has_value());
  EXPECT_EQ(*plan.causal_flops, FlopCount{2ull * 2 * 8 * (512 * 513 / 2) * (5 * 64)});
}

TEST(CudnnAttentionTest, ABoundThatIsNotInTheGraphHasNoExactPairs) {
  EXPECT_FALSE(ParseCudnnPlan(ReadPlan("sdpa_sliding_window")).causal_flops.has_value());
  EXPECT_FALSE(ParseCudnnPlan(ReadPlan("sdpa_causal_bottom_right")).causal_flops.has_value());
  EXPECT_FALSE(ParseCudnnPlan(ReadPlan("sdpa_fwd")).causal_flops.has_value());
}

class CudnnDeviceLengthsTest : public ::testing::TestWithParam<const char*> {};

TEST_P(CudnnDeviceLengthsTest, AreUnknown) {
  const CudnnPlan plan = ParseCudnnPlan(ReadPlan(GetParam()));
  EXPECT_TRUE(plan.readable);
  EXPECT_TRUE(plan.has_products);
  EXPECT_FALSE(plan.flops_known);
  EXPECT_EQ(plan.flops, FlopCount{0});
  EXPECT_NE(plan.unknown_reason.find("on the device"), std::string::npos) << plan.unknown_reason;
}

INSTANTIATE_TEST_SUITE_P(Real, CudnnDeviceLengthsTest,
                         ::testing::Values("sdpa_padded", "sdpa_paged", "sdpa_ragged",
                                           "sdpa_backward_padded"),
                         [](const auto& info) { return std::string(info.param); });

TEST(CudnnOverrideTest, SizesGivenAtExecutionTakeThePlaceOfThePlans) {
  const char kSizes[] =
      R"("overrides":[{"uid":1,"dim":[2,16,32]},{"uid":2,"dim":[2,32,5]},{"uid":3,"dim":[2,16,5]}])";
  const CudnnPlan plan = ParseWith("matmul_with_overrides", kSizes);
  EXPECT_EQ(plan.flops, FlopCount{2 * 2 * 16 * 5 * 32});
  EXPECT_EQ(plan.shape, "matmul a=2x16x32 b=2x32x5 c=2x16x5 half");
}

TEST(CudnnOverrideTest, PartsThatNoLongerFitAreUnknown) {
  const CudnnPlan plan =
      ParseWith("matmul_with_overrides", R"("overrides":[{"uid":1,"dim":[2,16,32]}])");
  EXPECT_TRUE(plan.readable);
  EXPECT_FALSE(plan.flops_known);
  EXPECT_EQ(plan.unknown_reason, "matmul: sizes that do not fit together");
}

// The relu's input follows from the others, but nobody says how large it is.
TEST(CudnnOverrideTest, AnIntermediateResultHasNoSizeAnyMore) {
  const char kSizes[] = R"("overrides":[{"uid":1,"dim":[4,64,32]}])";
  const CudnnPlan plan = ParseWith("matmul_relu", kSizes);
  EXPECT_FALSE(plan.flops_known);
  EXPECT_EQ(plan.unknown_reason, "matmul: a tensor without sizes");
}

TEST(CudnnOverrideTest, OnesOfAnotherFormMakeThePlanUnreadable) {
  for (const char* overrides : {"7", "[7]", "[{}]", R"([{"uid":99,"dim":[1]}])", R"([{"uid":1}])",
                                R"([{"uid":1,"dim":["x"]}])"}) {
    EXPECT_FALSE(
        ParseWith("matmul_with_overrides", std::string("\"overrides\":") + overrides).readable)
        << overrides;
  }
}

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
    R"({"operation":"CUDNN_BACKEND_OPERATION_SDPA_BWD_DESCRIPTOR","qDesc":"1","kDesc":"2","vDesc":"3"})";

TEST(CudnnPlanFormTest, AttentionBackwardIsFiveProductsOneOfThemRecomputed) {
  const CudnnPlan plan =
      ParseCudnnPlan(Graph(kAttentionBackward, "[2,4,16,8]", "[2,4,32,8]", "[2,4,32,10]"));
  EXPECT_TRUE(plan.flops_known);
  const uint64_t pairs = 2 * 4 * 16 * 32;
  EXPECT_EQ(plan.flops, FlopCount{2 * pairs * (3 * 8 + 2 * 10)});
  EXPECT_EQ(plan.recompute_flops, FlopCount{2 * pairs * 8});
}

TEST(CudnnPlanFormTest, TheEnginesNotesTellTf32FromFp32) {
  const auto type = [](const char* notes) {
    return ParseCudnnPlan(Graph(kForward, "[1,2,4,4]", "[3,2,1,1]", "[1,3,4,4]", notes))
        .compute_type;
  };
  EXPECT_EQ(type(",\"numericalNotes\":[0,4]"), "tf32");
  EXPECT_EQ(type(",\"numericalNotes\":[4]"), "fp32");
  EXPECT_EQ(type(",\"numericalNotes\":[0,1]"), "");  // to a type that nobody names
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

TEST(CudnnPlanFormTest, WeightsOfExpertsHaveAGradient) {
  const std::string node =
      R"({"operation":"CUDNN_BACKEND_OPERATION_MOE_GROUPED_MATMUL_BWD_DESCRIPTOR","token":"1","dOutput":"2","dWeight":"3"})";
  EXPECT_EQ(ParseCudnnPlan(Graph(node, "[1,50,6]", "[1,50,7]", "[3,6,7]")).flops,
            FlopCount{2 * 50 * 6 * 7});
}

TEST(CudnnPlanFormTest, AnUnknownOperationIsUnknownByName) {
  const CudnnPlan plan = ParseCudnnPlan(
      R"({"nodes":[{"operation":"CUDNN_BACKEND_OPERATION_QUANTUM_MATMUL_DESCRIPTOR"}]})");
  EXPECT_TRUE(plan.readable);
  EXPECT_FALSE(plan.flops_known);
  EXPECT_TRUE(plan.has_products);
  EXPECT_EQ(plan.description, "quantum_matmul");
  EXPECT_EQ(plan.unknown_reason, "quantum_matmul: no formula");
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
class CudnnBadSizesTest : public ::testing::TestWithParam<BadSizes> {};

TEST_P(CudnnBadSizesTest, AreUnknown) {
  const BadSizes& c = GetParam();
  const CudnnPlan plan = ParseCudnnPlan(Graph(kForward, c.x, c.w, c.y));
  EXPECT_TRUE(plan.readable);
  EXPECT_FALSE(plan.flops_known);
}

INSTANTIATE_TEST_SUITE_P(
    All, CudnnBadSizesTest,
    ::testing::Values(BadSizes{"negative", "[1,2,4,4]", "[3,2,1,1]", "[1,3,-4,-4]"},
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
