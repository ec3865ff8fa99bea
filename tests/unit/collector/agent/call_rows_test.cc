// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/call_rows.h"

#include <gtest/gtest.h>

#include "tests/support/fake_injector.h"

namespace flopsprof::agent {
namespace {

TEST(CallRowsTest, CountsPlansThatAreTooMany) {
  CallRows rows;
  constexpr uint32_t kKept = 1 << 14;
  for (uint32_t id = 1; id <= kKept; id++) rows.DefinePlan(id, "{}");
  rows.DefinePlan(1, "{}");  // known
  EXPECT_EQ(rows.plans_refused_count(), 0u);
  rows.DefinePlan(kKept + 1, "{}");
  rows.DefinePlan(kKept + 2, "{}");
  EXPECT_EQ(rows.plans_refused_count(), 2u);
  EXPECT_FALSE(rows.HasPlan(kKept + 1));
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
