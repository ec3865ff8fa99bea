// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/calls/call_rows.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/support/fake_injector.h"

namespace flopsprof::agent {
namespace {

std::string Product(int64_t m, int64_t n) {
  return absl::StrCat(
      R"({"operationGraph":{"tensors":[{"name":"1","dataType":"CUDNN_DATA_HALF","dim":[)", m,
      R"(,8]},{"name":"2","dataType":"CUDNN_DATA_HALF","dim":[8,)", n,
      R"(]},{"name":"3","dataType":"CUDNN_DATA_HALF","dim":[)", m, ",", n,
      R"(]}],"nodes":[{"operation":"CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR",)"
      R"("matA":"1","matB":"2","matC":"3"}]}})");
}

CallWork Execute(CallRows* rows, uint32_t plan) {
  shm::CudnnCall call{};
  call.header.type = static_cast<uint16_t>(shm::RecordType::kCudnnCall);
  call.plan = plan;
  return rows->AddCudnn(call);
}

model::FlopCount FlopsOf(CallRows* rows, uint32_t plan) { return Execute(rows, plan).flops; }

TEST(CallRowsTest, CountsPlansThatAreTooMany) {
  CallRows rows(nullptr, /*max_plans=*/100);
  for (uint32_t id = 1; id <= 100; id++) rows.DefinePlan(id, "{}");
  rows.DefinePlan(1, "{}");  // known
  EXPECT_EQ(rows.plans_refused_count(), 0u);
  rows.DefinePlan(101, "{}");
  rows.DefinePlan(102, "{}");
  EXPECT_EQ(rows.plans_refused_count(), 2u);
  EXPECT_FALSE(rows.HasPlan(101));
}

TEST(CallRowsTest, TwentyThousandPlansEachHaveTheirOwnWork) {
  CallRows rows;
  for (uint32_t id = 1; id <= 20000; id++) rows.DefinePlan(id, Product(1 + id % 200, 1 + id / 200));
  for (uint32_t id = 1; id <= 20000; id++) {
    ASSERT_EQ(FlopsOf(&rows, id), 2u * 8 * (1 + id % 200) * (1 + id / 200)) << id;
  }
  EXPECT_EQ(rows.plans_refused_count(), 0u);
}

TEST(CallRowsTest, APlanWhoseTextIsTooMuchKeepsItsWork) {
  CallRows rows(nullptr, /*max_plans=*/100, /*max_plan_text_bytes=*/1);
  rows.DefinePlan(1, Product(3, 5));
  rows.DefinePlan(2, Product(7, 11));
  rows.DefinePlan(3, Product(7, 13));
  EXPECT_EQ(FlopsOf(&rows, 1), 2u * 8 * 3 * 5);
  EXPECT_EQ(FlopsOf(&rows, 2), 2u * 8 * 7 * 11);
  const CallWork last = Execute(&rows, 3);
  EXPECT_EQ(last.flops, 2u * 8 * 7 * 13);
  EXPECT_EQ(rows.Describe(last.row).shape(), "a further plan");
}

TEST(CallRowsTest, ACallWithoutARowCountsAsRefusedAtEachReplay) {
  CallRows rows;
  constexpr int64_t kKept = 1 << 18;
  for (int64_t m = 1; m <= kKept; m++) rows.AddGemm(testing::Gemm(1, 5, m, 1, 1));
  EXPECT_EQ(rows.refused_count(), 0u);
  rows.AddGemm(testing::Gemm(1, 5, kKept + 1, 1, 1));
  EXPECT_EQ(rows.refused_count(), 1u);
  std::vector<RowChange> replay;
  rows.DescribeTo(&replay);
  rows.AddGemm(testing::Gemm(1, 5, kKept + 2, 1, 1));
  rows.DescribeTo(nullptr);
  EXPECT_EQ(rows.refused_count(), 1u);  // described, not made
  ASSERT_EQ(replay.size(), 1u);
  rows.Apply(replay[0], 5);
  EXPECT_EQ(rows.refused_count(), 6u);
}

struct Sent {
  uint64_t calls = 0;
  model::FlopCount flops = 0;
  friend bool operator==(const Sent&, const Sent&) = default;
};

// By shape, what was added since the last time.
std::map<std::string, Sent> Emitted(CallRows* rows) {
  v1::ProcessProfile profile;
  rows->Emit(1000, &profile);
  std::map<std::string, Sent> sent;
  for (const v1::CallRow& row : profile.calls()) {
    sent[row.shape()] = {row.calls(), model::ToFlopCount(row.flops())};
  }
  return sent;
}

// Calls that come in the same order as before are counted and added up only when rows are sent.
TEST(CallRowsTest, CallsInTheOrderOfTheLastStepAreInTheirRowsWhenRowsAreSent) {
  CallRows rows;
  const std::string a = "m=3 n=5 k=7 batch=1 a=f32 b=f32 c=f32";
  const std::string b = "m=4 n=5 k=7 batch=1 a=f32 b=f32 c=f32";
  constexpr model::FlopCount kA = 2 * 3 * 5 * 7, kB = 2 * 4 * 5 * 7;
  for (uint32_t step = 0; step < 10; step++) {
    EXPECT_EQ(rows.AddGemm(testing::Gemm(1, 5, 3, 5, 7, shm::Phase::kForward, step)).flops, kA);
    EXPECT_EQ(rows.AddGemm(testing::Gemm(2, 5, 4, 5, 7, shm::Phase::kForward, step)).flops, kB);
  }
  EXPECT_EQ(rows.call_count(), 20u);
  EXPECT_EQ(Emitted(&rows), (std::map<std::string, Sent>{{a, {10, 10 * kA}}, {b, {10, 10 * kB}}}));
  EXPECT_TRUE(Emitted(&rows).empty());
  rows.AddGemm(testing::Gemm(1, 5, 3, 5, 7));
  EXPECT_EQ(Emitted(&rows), (std::map<std::string, Sent>{{a, {1, kA}}}));
}

TEST(CallRowsTest, WhatIsDescribedIsNotAddedThoughTheSameCallCameBefore) {
  CallRows rows;
  for (int i = 0; i < 3; i++) rows.AddGemm(testing::Gemm(1, 5, 3, 5, 7));
  std::vector<RowChange> replay;
  rows.DescribeTo(&replay);
  rows.AddGemm(testing::Gemm(1, 5, 3, 5, 7));
  rows.DescribeTo(nullptr);
  ASSERT_EQ(replay.size(), 1u);
  EXPECT_EQ(Emitted(&rows).begin()->second, (Sent{3, 3 * 210}));
  rows.Apply(replay[0], 4);
  rows.AddGemm(testing::Gemm(1, 5, 3, 5, 7));
  EXPECT_EQ(Emitted(&rows).begin()->second, (Sent{5, 5 * 210}));
}

// A guess is right only where all is the same that makes a row.
class NextCallTest : public ::testing::Test {
 protected:
  NextCallTest() {
    call_.api = static_cast<uint16_t>(shm::ApiId::cublasGemmEx);
    for (int i = 0; i < 3; i++) row_ = rows_.AddGemm(call_).row;
  }
  uint32_t RowOf(const shm::GemmCall& call) {
    // Twice: then this one is what is expected next.
    EXPECT_EQ(rows_.AddGemm(call_).row, row_);
    EXPECT_EQ(rows_.AddGemm(call_).row, row_);
    return rows_.AddGemm(call).row;
  }

  CallRows rows_;
  shm::GemmCall call_ = testing::Gemm(1, 5, 3, 5, 7);
  uint32_t row_ = kNoRow;
};

TEST_F(NextCallTest, OfAnotherPlaceIsAnotherRow) {
  shm::GemmCall next = call_;
  next.header.phase = static_cast<uint8_t>(shm::Phase::kBackward);
  EXPECT_NE(RowOf(next), row_);
  next = call_;
  next.header.step = shm::kNoStep;
  EXPECT_NE(RowOf(next), row_);
  next = call_;
  next.header.flags = shm::kFlagCaptured;
  EXPECT_NE(RowOf(next), row_);
  next = call_;
  next.scope = 6;
  EXPECT_NE(RowOf(next), row_);
}

TEST_F(NextCallTest, OfOtherWorkIsAnotherRow) {
  shm::GemmCall next = call_;
  next.m = 4;
  EXPECT_NE(RowOf(next), row_);
  next = call_;
  next.n = 4;
  EXPECT_NE(RowOf(next), row_);
  next = call_;
  next.k = 4;
  EXPECT_NE(RowOf(next), row_);
  next = call_;
  next.batch = 2;
  EXPECT_NE(RowOf(next), row_);
  next = call_;
  next.type_a = next.type_b = 2;
  EXPECT_NE(RowOf(next), row_);
  next = call_;
  next.header.flags = shm::kFlagSizesUnknown;
  EXPECT_NE(RowOf(next), row_);
}

TEST_F(NextCallTest, WithAnotherNumberTimeOrStepIsTheSameRow) {
  shm::GemmCall next = call_;
  next.call = 99;
  next.mono_ns = 1234;
  next.header.step = 77;
  EXPECT_EQ(RowOf(next), row_);
}

}  // namespace
}  // namespace flopsprof::agent
