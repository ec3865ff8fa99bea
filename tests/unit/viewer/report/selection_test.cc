// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/report/selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collector/model/summary.h"

namespace flopsprof::viewer {
namespace {

using ::testing::HasSubstr;

model::RunProfile ThreeRanks() {
  model::RunProfile run;
  for (int rank = 0; rank < 3; ++rank) {
    v1::ProcessProfile process;
    process.mutable_key()->set_node("node-a");
    process.mutable_key()->set_pid(100 + rank);
    process.mutable_info()->set_rank(rank);
    process.mutable_info()->set_world_size(3);
    process.mutable_info()->set_used_gpu(true);
    process.mutable_info()->set_state(v1::PROCESS_STATE_EXITED);
    for (uint32_t step = 0; step < 4; ++step) {
      v1::StepRow& row = *process.add_steps();
      row.set_step(step);
      row.set_begin_mono_ns(1 + step * 1000);
      row.set_end_mono_ns(1 + step * 1000 + 100 * (step + 1));
      row.set_complete(true);
    }
    run.processes.push_back(process);
  }
  return run;
}

TEST(SelectRanksTest, OnlyTheseAreSummedAndKeepTheirNumbers) {
  model::RunProfile run = ThreeRanks();
  const Selected selected = SelectRanks({{1, 2}}, &run);
  EXPECT_EQ(selected.error, "");
  EXPECT_EQ(selected.ranks, 2u);
  EXPECT_EQ(selected.of, 3u);
  const model::Summary summary = model::Summarize(run);
  ASSERT_EQ(summary.ranks.size(), 2u);
  EXPECT_EQ(summary.ranks[0].rank, 1);
  EXPECT_EQ(summary.ranks[1].rank, 2);
  // That rank 0 is not among them is no finding.
  for (const model::Finding& finding : summary.findings) {
    EXPECT_EQ(finding.text.find("rank 0"), std::string::npos) << finding.text;
  }
}

TEST(SelectRanksTest, ARankThatIsNotThereIsSaid) {
  model::RunProfile run = ThreeRanks();
  EXPECT_THAT(SelectRanks({{7, 7}}, &run).error,
              HasSubstr("the run has no rank 7: its ranks are 0 to 2"));
  EXPECT_EQ(run.processes.size(), 3u);
}

// Steps 1 and 2 took 200 and 300 ns on each rank; step 3, which took 400, is taken away.
TEST(SelectStepsTest, MedianAndP95AreOfTheseSteps) {
  model::RunProfile run = ThreeRanks();
  EXPECT_EQ(SelectSteps(1, 3, &run), "");
  const model::Summary summary = model::Summarize(run);
  EXPECT_EQ(summary.steps.profiled, 2u);
  EXPECT_EQ(summary.steps.median_ns, 250u);
  EXPECT_EQ(summary.steps.p95_ns, 300u);
}

TEST(SelectStepsTest, StepsThatAreNotThereAreSaid) {
  model::RunProfile run = ThreeRanks();
  EXPECT_THAT(SelectSteps(9, 12, &run), HasSubstr("the run has steps 0 to 3"));
  run.processes.clear();
  EXPECT_EQ(SelectSteps(0, 1, &run), "the run has no steps");
}

}  // namespace
}  // namespace flopsprof::viewer
