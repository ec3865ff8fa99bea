// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/optimizer_summary.h"

#include <gtest/gtest.h>

#include "collector/model/summary.h"
#include "tests/unit/collector/model/profile_builder.h"

namespace flopsprof::model {
namespace {

// Module 1; the optimizer 2 outside of it, 4 in a range of the program's, a range in 4.
v1::ProcessProfile Trained(int rank) {
  ProfileBuilder b(rank, 100 + rank);
  b.ModuleScope(1, 0, "", "Net", 0x10).Range(3, 0, "update").Range(5, 4, "inner");
  const auto optimizer = [&b](uint32_t id, uint32_t parent, const std::string& name) {
    b.Range(id, parent, name);
    b.profile().mutable_scopes(b.profile().scopes_size() - 1)->set_kind(v1::SCOPE_KIND_OPTIMIZER);
  };
  optimizer(2, 0, "AdamW");
  optimizer(4, 3, "SGD #2");
  b.Entered(1, v1::PHASE_FORWARD, 3).Entered(2, v1::PHASE_OPTIMIZER, 3);
  b.Entered(4, v1::PHASE_OPTIMIZER, 2);
  b.Time(2, v1::PHASE_OPTIMIZER, v1::TIME_CATEGORY_NO_PRODUCTS, 70);
  b.Time(4, v1::PHASE_OPTIMIZER, v1::TIME_CATEGORY_NO_PRODUCTS, 20);
  b.Time(5, v1::PHASE_OPTIMIZER, v1::TIME_CATEGORY_EXACT, 5);
  b.Gemm(5, v1::PHASE_OPTIMIZER, 1000);
  b.Time(2, v1::PHASE_BACKWARD, v1::TIME_CATEGORY_NO_PRODUCTS, 9);  // of a closure
  return b.profile();
}

RunProfile TwoRanks() {
  RunProfile run;
  run.processes = {Trained(0), Trained(1)};
  return run;
}

TEST(OptimizerSummaryTest, EachOptimizerHasItsWork) {
  const Summary summary = Summarize(TwoRanks());
  ASSERT_EQ(summary.optimizers.size(), 2u);
  EXPECT_EQ(summary.optimizers[0].name, "AdamW");
  EXPECT_EQ(summary.optimizers[0].steps, 6u);
  EXPECT_EQ(summary.optimizers[0].gpu_time_ns, 140u);
  EXPECT_TRUE(summary.optimizers[0].flops == 0);
  EXPECT_EQ(summary.optimizers[1].name, "SGD #2");
  EXPECT_EQ(summary.optimizers[1].steps, 4u);
  EXPECT_EQ(summary.optimizers[1].gpu_time_ns, 50u);
  EXPECT_TRUE(summary.optimizers[1].flops == 2000);
}

TEST(OptimizerSummaryTest, TheyAreNoLinesOfTheModuleTree) {
  const Summary summary = Summarize(TwoRanks());
  ASSERT_EQ(summary.modules.size(), 2u);
  EXPECT_EQ(summary.modules[1].path, "(outside)");
  EXPECT_EQ(summary.modules[1].self.gpu_time_ns[v1::PHASE_OPTIMIZER], 190u);
}

TEST(OptimizerSummaryTest, WithoutModulesTheyAreStillNoLines) {
  ProfileBuilder b(0);
  b.Range(1, 0, "SGD").Time(1, v1::PHASE_OPTIMIZER, v1::TIME_CATEGORY_NO_PRODUCTS, 7);
  b.profile().mutable_scopes(0)->set_kind(v1::SCOPE_KIND_OPTIMIZER);
  RunProfile run;
  run.processes = {b.profile()};
  const Summary summary = Summarize(run);
  ASSERT_EQ(summary.modules.size(), 1u);
  EXPECT_EQ(summary.modules[0].path, "(outside)");
}

TEST(OptimizerSummaryTest, WithoutTimesTheirTimeIsNotKnown) {
  RunProfile run = TwoRanks();
  for (v1::ProcessProfile& process : run.processes) process.clear_times();
  const Summary summary = Summarize(run);
  EXPECT_FALSE(summary.optimizers[0].gpu_time_ns.has_value());
}

}  // namespace
}  // namespace flopsprof::model
