// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/flops/flops.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "collector/model/flops/compute_type.h"
#include "proto/shm/api_ids.h"

namespace flopsprof::model {
namespace {

using shm::ApiId;

struct Sizes {
  int64_t m, n, k, batch;
};

shm::GemmCall GemmOf(ApiId api, Sizes sizes, int type = 0) {
  shm::GemmCall call = {};
  call.api = static_cast<uint16_t>(api);
  call.m = sizes.m;
  call.n = sizes.n;
  call.k = sizes.k;
  call.batch = sizes.batch;
  call.type_a = call.type_b = call.type_c = static_cast<uint8_t>(type);
  return call;
}

// cudaDataType numbers of library_types.h.
constexpr int kF32 = 0, kF64 = 1, kF16 = 2, kI8 = 3, kC32 = 4, kBf16 = 14, kE4m3 = 28, kE5m2 = 29;

TEST(GemmFlopsTest, IsTwiceTheProductOfTheSizes) {
  // Linear(400, 120) of the CIFAR network at batch 8: 2 * 8 * 400 * 120.
  EXPECT_EQ(GemmFlops(GemmOf(ApiId::cublasSgemm_v2, {120, 8, 400, 1})), FlopCount{768'000});
}

TEST(GemmFlopsTest, CountsEveryMemberOfABatch) {
  EXPECT_EQ(GemmFlops(GemmOf(ApiId::cublasGemmStridedBatchedEx, {64, 64, 32, 96}, kBf16)),
            FlopCount{25'165'824});  // 2 * 64 * 64 * 32 * 96
}

TEST(GemmFlopsTest, IsZeroForBatchZero) {
  EXPECT_EQ(GemmFlops(GemmOf(ApiId::cublasSgemmBatched, {16, 16, 16, 0})), FlopCount{0});
}

TEST(GemmFlopsTest, ComplexProductsAreFourTimesTheRealOnes) {
  EXPECT_EQ(GemmFlops(GemmOf(ApiId::cublasCgemm_v2, {3, 4, 5, 1})), FlopCount{480});  // 8 * 60
  EXPECT_EQ(GemmFlops(GemmOf(ApiId::cublasGemmEx, {3, 4, 5, 2}, kC32)), FlopCount{960});
}

TEST(GemmFlopsTest, TheNameOfTheFunctionDecidesBeforeTheTypeField) {
  EXPECT_EQ(GemmFlops(GemmOf(ApiId::cublasZgemm_v2, {1, 1, 1, 1}, kF32)), FlopCount{8});
}

TEST(GemmFlopsTest, IsExactBeyond64Bits) {
  const int64_t size = int64_t{1} << 22;
  EXPECT_EQ(GemmFlops(GemmOf(ApiId::cublasDgemm_v2, {size, size, size, 1})), FlopCount{1} << 67);
}

TEST(GemmFlopsTest, NegativeSizesAreUnknown) {
  EXPECT_EQ(GemmFlops(GemmOf(ApiId::cublasSgemm_v2, {-1, 8, 8, 1})), std::nullopt);
  EXPECT_EQ(GemmFlops(GemmOf(ApiId::cublasSgemm_v2, {0, 8, -8, 1})), std::nullopt);
}

TEST(GemmFlopsTest, AbsurdSizesAreUnknown) {
  const int64_t most = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(GemmFlops(GemmOf(ApiId::cublasSgemm_v2, {most, most, most, most})), std::nullopt);
}

TEST(GemmFlopsTest, AFlagOrAnUnknownTypeMakesItUnknown) {
  shm::GemmCall on_device = GemmOf(ApiId::cublasLtMatmul, {8, 8, 8, 1});
  on_device.header.flags = shm::kFlagSizesUnknown;
  EXPECT_EQ(GemmFlops(on_device), std::nullopt);
  EXPECT_EQ(GemmFlops(GemmOf(ApiId::cublasLtMatmul, {8, 8, 8, 1}, 200)), std::nullopt);
}

TEST(GemmShapeTest, NamesTypesAndSizes) {
  shm::GemmCall call = GemmOf(ApiId::cublasSgemm_v2, {120, 8, 400, 1});
  EXPECT_EQ(GemmShape(call), "m=120 n=8 k=400 batch=1 a=f32 b=f32 c=f32");
  call.math_mode = 3;
  EXPECT_EQ(GemmShape(call), "m=120 n=8 k=400 batch=1 a=f32 b=f32 c=f32 math=3");
}

TEST(GemmShapeTest, DoesNotPrintSizesThatAreNotKnown) {
  const auto on_device = static_cast<int64_t>(shm::UnknownReason::kSizesOnDevice);
  shm::GemmCall call = GemmOf(ApiId::cublasLtMatmul, {on_device, 7, 7, 7}, kE4m3);
  call.header.flags = shm::kFlagSizesUnknown;
  EXPECT_EQ(GemmShape(call), "sizes unknown (sizes are in GPU memory) a=e4m3 b=e4m3 c=e4m3");
  call.m = 0;
  EXPECT_EQ(GemmShape(call), "sizes unknown a=e4m3 b=e4m3 c=e4m3");
}

struct TypeCase {
  const char* name;
  ApiId api;
  int type_a, type_b;
  int compute_type;  // cublasComputeType_t
  int math_mode;     // cublasMath_t
  const char* peak;
};

class GemmComputeTypeTest : public ::testing::TestWithParam<TypeCase> {};

TEST_P(GemmComputeTypeTest, ChoosesThePeak) {
  const TypeCase& c = GetParam();
  shm::GemmCall call = GemmOf(c.api, {1, 1, 1, 1}, c.type_a);
  call.type_b = static_cast<uint8_t>(c.type_b);
  call.compute_type = static_cast<uint8_t>(c.compute_type);
  call.math_mode = static_cast<uint8_t>(c.math_mode);
  EXPECT_EQ(GemmComputeType(call), c.peak);
}

INSTANTIATE_TEST_SUITE_P(
    All, GemmComputeTypeTest,
    ::testing::Values(
        TypeCase{"sgemm", ApiId::cublasSgemm_v2, kF32, kF32, 0, 0, "fp32"},
        TypeCase{"sgemm_tf32_math", ApiId::cublasSgemm_v2, kF32, kF32, 0, 3, "tf32"},
        TypeCase{"tf32_math_with_flag", ApiId::cublasSgemm_v2, kF32, kF32, 0, 3 | 16, "tf32"},
        TypeCase{"pedantic_math", ApiId::cublasSgemm_v2, kF32, kF32, 0, 2, "fp32"},
        TypeCase{"tensor_op_math", ApiId::cublasSgemm_v2, kF32, kF32, 0, 1, "fp16"},
        TypeCase{"emulated_math", ApiId::cublasSgemm_v2, kF32, kF32, 0, 4, "fp32_emulated"},
        TypeCase{"lt_tf32_compute", ApiId::cublasLtMatmul, kF32, kF32, 77, 0, "tf32"},
        TypeCase{"lt_fp32_compute", ApiId::cublasLtMatmul, kF32, kF32, 68, 0, "fp32"},
        TypeCase{"ex_fp32_under_tf32_math", ApiId::cublasGemmEx, kF32, kF32, 68, 3, "tf32"},
        TypeCase{"ex_pedantic_under_tf32_math", ApiId::cublasGemmEx, kF32, kF32, 69, 3, "fp32"},
        TypeCase{"ex_fast_bf16", ApiId::cublasGemmEx, kF32, kF32, 75, 0, "bf16"},
        TypeCase{"ex_fast_fp16", ApiId::cublasGemmEx, kF32, kF32, 74, 0, "fp16"},
        TypeCase{"ex_unknown_compute", ApiId::cublasGemmEx, kF32, kF32, 200, 0, ""},
        TypeCase{"half", ApiId::cublasGemmEx, kF16, kF16, 68, 0, "fp16"},
        TypeCase{"hgemm", ApiId::cublasHgemm, kF32, kF32, 0, 0, "fp16"},
        TypeCase{"bfloat16", ApiId::cublasGemmEx, kBf16, kBf16, 68, 0, "bf16"},
        TypeCase{"fp8_of_both_kinds", ApiId::cublasLtMatmul, kE4m3, kE5m2, 68, 0, "fp8"},
        TypeCase{"int8", ApiId::cublasLtMatmul, kI8, kI8, 72, 0, "int8"},
        TypeCase{"dgemm_under_tf32_math", ApiId::cublasDgemm_v2, kF32, kF32, 0, 3, "fp64"},
        TypeCase{"dgemm_emulated", ApiId::cublasDgemm_v2, kF64, kF64, 0, 8, "fp64_emulated"},
        TypeCase{"cgemm_tf32", ApiId::cublasCgemm_v2, kF32, kF32, 0, 3, "tf32"},
        TypeCase{"sgemv_has_no_tensor_cores", ApiId::cublasSgemv_v2, kF32, kF32, 0, 3, "fp32"},
        TypeCase{"mixed_operands", ApiId::cublasLtMatmul, kF16, kI8, 68, 0, ""},
        TypeCase{"unknown_type", ApiId::cublasLtMatmul, 250, 250, 68, 0, ""}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace flopsprof::model
