// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/product_sums.h"

#include <gtest/gtest.h>

#include <string>

#include "profile_builder.h"
#include "summary_lookup.h"

namespace flopsprof::model {
namespace {

// An A100 as in the table: fp32 19.5 T, tf32 156 T, bf16 312 T flops and 1555 G bytes a second.
// One rank that is busy all along: two steps of 10 ms, of which step 1 is measured.
class ProductsTest : public ::testing::Test {
 protected:
  ProductsTest() {
    v1::Device& device = *b_.profile().add_devices();
    device.set_name("NVIDIA A100-SXM4-80GB");
    device.set_uuid("GPU-0");
    v1::DeviceTime& time = *b_.profile().add_device_times();
    time.set_busy_ns(20'000'000);
    time.set_not_communication_ns(20'000'000);
    for (uint32_t step = 0; step < 2; ++step) {
      v1::StepRow& row = b_.Step(step, 1 + 10'000'000 * step, 1 + 10'000'000 * (step + 1));
      row.set_gpu_busy_ns(10'000'000);
    }
    b_.info().set_world_size(1);
    b_.Time(0, v1::PHASE_FORWARD, v1::TIME_CATEGORY_EXACT, 20'000'000);
  }

  v1::CallRow& Add(const std::string& shape, const std::string& type, uint64_t flops,
                   uint64_t time_ns, uint64_t calls = 1) {
    v1::CallRow& row = b_.Gemm(0, v1::PHASE_FORWARD, flops * calls, calls);
    row.set_api("cublasGemmEx");
    row.set_shape(shape);
    row.set_compute_type(type);
    row.set_gpu_time_ns(time_ns * calls);
    return row;
  }

  Summary Make(const SummaryOptions& options = {}) {
    RunProfile run;
    run.processes.push_back(b_.profile());
    return Summarize(run, options);
  }

  const Finding* Find(FindingKind kind) {
    made_ = Make();
    for (const Finding& finding : made_.findings) {
      if (finding.kind == kind) return &finding;
    }
    return nullptr;
  }

  ProfileBuilder b_{0};
  Summary made_;
};

TEST(ProductShapeTest, BytesAreThoseOfOperandsAndResult) {
  const auto shape = ReadProductShape("m=8 n=16 k=32 batch=2 a=bf16 b=bf16 c=f32 math=tf32");
  ASSERT_TRUE(shape.has_value());
  EXPECT_EQ(shape->bytes, 2 * (8 * 32 * 2 + 32 * 16 * 2 + 8 * 16 * 4));
  EXPECT_TRUE(shape->is_aligned);
  EXPECT_FALSE(ReadProductShape("sizes unknown a=f32 b=f32 c=f32").has_value());
  EXPECT_FALSE(ReadProductShape("m=8 n=16 k=32 batch=1 a=i4 b=i4 c=i32").has_value());
}

TEST(ProductShapeTest, SixteenBytesAreEightHalvesOrFourFloats) {
  EXPECT_FALSE(ReadProductShape("m=12 n=8 k=8 batch=1 a=f16 b=f16 c=f16")->is_aligned);
  EXPECT_TRUE(ReadProductShape("m=12 n=8 k=8 batch=1 a=f32 b=f32 c=f32")->is_aligned);
  EXPECT_FALSE(ReadProductShape("m=8 n=8 k=24 batch=1 a=e4m3 b=e4m3 c=f16")->is_aligned);
}

// 2 * 4096^3 flops take 440.5 us at 312 T; three matrices of 4096^2 bf16 take 64.7 us.
constexpr uint64_t kSquare = 137'438'953'472;
constexpr char kSquareShape[] = "m=4096 n=4096 k=4096 batch=1 a=bf16 b=bf16 c=bf16";

TEST_F(ProductsTest, BelowHalfOfTheRooflineIsSlow) {
  Add(kSquareShape, "bf16", kSquare, 1'200'000);
  const Finding* finding = Find(FindingKind::kSlowProducts);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->text, "products reach 36.7% of what the card can do at their shapes");
  // 1200 - 440.5 us of 20 ms, of a step of 10 ms in which the GPU is always busy.
  EXPECT_NEAR(*finding->gain_ratio, 0.0379745, 1e-6);
  EXPECT_EQ(finding->gain, "at most 380 us of each step (3.8%)");
  EXPECT_NE(finding->evidence.find("115 TFLOPS of 312 TFLOPS"), std::string::npos)
      << finding->evidence;
}

TEST_F(ProductsTest, FromHalfOfTheRooflineOnNothingIsSaid) {
  Add(kSquareShape, "bf16", kSquare, 881'000);  // 50.0%
  EXPECT_EQ(Find(FindingKind::kSlowProducts), nullptr);
}

TEST_F(ProductsTest, BelowTwoPercentOfTheStepNothingIsSaid) {
  Add(kSquareShape, "bf16", kSquare, 900'000);  // loses 459.5 us of 20 ms: 2.3%
  EXPECT_NE(Find(FindingKind::kSlowProducts), nullptr);
  b_.profile().mutable_times(0)->set_gpu_time_ns(24'000'000);  // of 24 ms: 1.9 %
  EXPECT_EQ(Find(FindingKind::kSlowProducts), nullptr);
}

// A matrix of 16384^2 times a vector: 0.17 % of 312 T, and 345.3 us of the memory's time.
TEST_F(ProductsTest, WhatTheMemoryBoundsIsNotBlamedForFewFlops) {
  Add("m=16384 n=1 k=16384 batch=1 a=bf16 b=bf16 c=bf16", "bf16", 536'870'912, 600'000, 10);
  EXPECT_EQ(Find(FindingKind::kSlowProducts), nullptr);
  EXPECT_EQ(Find(FindingKind::kMisalignedProducts), nullptr);
  EXPECT_EQ(made_.products.memory_bound_ns, 6'000'000u);
}

// 2 * 50257 * 4096 * 1024 flops take 1351.2 us.
TEST_F(ProductsTest, OddSizesAreSaidApart) {
  Add("m=50257 n=4096 k=1024 batch=1 a=bf16 b=bf16 c=bf16", "bf16", 421'587'419'136, 4'000'000);
  const Finding* finding = Find(FindingKind::kMisalignedProducts);
  ASSERT_NE(finding, nullptr);
  EXPECT_NE(finding->text.find("no multiple of 16 bytes reach 33.8%"), std::string::npos)
      << finding->text;
  EXPECT_NEAR(*finding->gain_ratio, (4000 - 1351.2) / 20000, 1e-5);
  EXPECT_EQ(Find(FindingKind::kSlowProducts), nullptr);
}

TEST_F(ProductsTest, ShortOnesAreSmallKernels) {
  // 2 * 256^3 flops take 0.11 us, three matrices of 256^2 bf16 0.25 us; 200 calls of 5 us.
  Add("m=256 n=256 k=256 batch=1 a=bf16 b=bf16 c=bf16", "bf16", 33'554'432, 5'000, 200);
  const Finding* finding = Find(FindingKind::kSmallKernels);
  ASSERT_NE(finding, nullptr);
  EXPECT_NEAR(*finding->gain_ratio, 200 * (5 - 0.25287) / 20000, 1e-5);
  EXPECT_EQ(Find(FindingKind::kSlowProducts), nullptr);
}

// 2 * 1024^3 flops: 110.1 us as fp32, 13.77 us as tf32; three matrices of fp32: 8.1 us.
TEST_F(ProductsTest, PlainFp32IsComparedWithTf32) {
  Add("m=1024 n=1024 k=1024 batch=1 a=f32 b=f32 c=f32", "fp32", 2'147'483'648, 150'000, 20);
  const Finding* finding = Find(FindingKind::kPlainFp32);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->text, "100.0% of flops are plain fp32: not on the tensor cores");
  EXPECT_NEAR(*finding->gain_ratio, 20 * (150 - 13.766) / 20000, 1e-5);
  EXPECT_EQ(Find(FindingKind::kSlowProducts), nullptr);
}

TEST_F(ProductsTest, WithoutTheBandwidthNoProductIsJudged) {
  Add(kSquareShape, "bf16", kSquare, 1'200'000);
  b_.profile().mutable_devices(0)->set_name("Some card");
  SummaryOptions options;
  options.peaks = {{"bf16", 312e12}};
  EXPECT_EQ(Make(options).products.compared_ns, 0u);
  options.peaks["memory"] = 1555e9;
  EXPECT_EQ(Make(options).products.compared_ns, 1'200'000u);
}

TEST_F(ProductsTest, RepeatedForwardsAreInNone) {
  Add(kSquareShape, "bf16", kSquare, 1'200'000).set_phase(v1::PHASE_RECOMPUTE);
  EXPECT_EQ(Find(FindingKind::kSlowProducts), nullptr);
}

TEST_F(ProductsTest, ShortKernelsWithoutProductsAreSmall) {
  v1::KernelRow& kernel = *b_.profile().add_kernels();
  kernel.set_name("relu_kernel");
  kernel.set_kind("kernel");
  kernel.set_category(v1::TIME_CATEGORY_NO_PRODUCTS);
  kernel.set_phase(v1::PHASE_FORWARD);
  kernel.set_count(500);
  kernel.set_gpu_time_ns(2'000'000);  // 4 us each, 10 % of the GPU time
  kernel.set_min_ns(4'000);
  kernel.set_max_ns(4'000);
  const Finding* finding = Find(FindingKind::kSmallKernels);
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->text, "small kernels take 10.0% of GPU time");
  EXPECT_EQ(finding->gain, "at most 1 ms of each step (10.0%)");
  b_.profile().mutable_kernels(0)->set_count(200);  // 10 us each
  EXPECT_EQ(Find(FindingKind::kSmallKernels), nullptr);
}

}  // namespace
}  // namespace flopsprof::model
