// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/calls/call_rows.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace flopsprof::agent
