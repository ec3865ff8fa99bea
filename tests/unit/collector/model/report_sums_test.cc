// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/report_sums.h"

#include <gtest/gtest.h>

#include "profile_builder.h"

namespace flopsprof::model {
namespace {

void AddStep(uint32_t step, uint64_t duration_ns, v1::ProcessProfile* process) {
  v1::StepRow& row = *process->add_steps();
  row.set_step(step);
  row.set_begin_mono_ns(1000);
  row.set_end_mono_ns(1000 + duration_ns);
  row.set_complete(true);
  row.set_gpu_busy_ns(1);
}

RunProfile FourRanks(std::initializer_list<uint64_t> durations_ns) {
  RunProfile run;
  int rank = 0;
  for (const uint64_t ns : durations_ns) {
    ProfileBuilder b(rank, 100 + rank);
    ++rank;
    b.Time(0, v1::PHASE_FORWARD, v1::TIME_CATEGORY_EXACT, 10);
    b.Time(0, v1::PHASE_OTHER, v1::TIME_CATEGORY_COPY, 3, /*in_step=*/false);
    AddStep(1, ns, &b.profile());
    run.processes.push_back(b.profile());
  }
  return run;
}

TEST(ReportSumsTest, AStepHasItsSlowestAndItsMiddleTwoRanks) {
  const RunProfile run = FourRanks({70, 10, 40, 20});
  const ReportSums sums = SumForReport(run, Summarize(run));
  ASSERT_EQ(sums.steps.size(), 1u);
  const StepSums& step = sums.steps[0];
  EXPECT_EQ(step.step, 1u);
  EXPECT_EQ(step.ranks, 4u);
  EXPECT_EQ(step.complete, 4u);
  EXPECT_EQ(step.wall_ns, 140u);
  EXPECT_EQ(step.slowest_ns, 70u);
  EXPECT_EQ(step.middle_two_ns, 60u);  // 20 + 40
  EXPECT_EQ(step.busy_ns, 4u);
  EXPECT_EQ(sums.rank_steps, 4u);
  EXPECT_EQ(sums.time_in_no_step_ns, 12u);
}

// A process that runs another program has the same number and start; its work stays its own.
TEST(ReportSumsTest, TwoImagesOfOneProcessAreToldApart) {
  RunProfile run = FourRanks({70, 10});
  Summary summary = Summarize(run);
  summary.programs.resize(2);
  for (size_t i = 0; i < 2; ++i) {
    v1::ProcessKey& key = *run.processes[i].mutable_key();
    key.set_pid(100);
    key.set_start_ticks(7);
    key.set_image(1 + i);
    summary.programs[i].processes = {{key.node(), key.pid(), key.start_ticks(), key.image()}};
  }
  const ReportSums sums = SumForReport(run, summary);
  ASSERT_EQ(sums.programs.size(), 2u);
  EXPECT_EQ(sums.programs[0].steps.at(0).slowest_ns, 70u);
  EXPECT_EQ(sums.programs[1].steps.at(0).slowest_ns, 10u);
}

TEST(ReportSumsTest, TimesAreByPhaseAndCategoryInStepsAlone) {
  const RunProfile run = FourRanks({70, 10, 40, 20});
  const CategoryTimes times = SumForReport(run, Summarize(run)).category_times;
  EXPECT_EQ(times[v1::PHASE_FORWARD][v1::TIME_CATEGORY_EXACT], 40u);
  EXPECT_EQ(times[v1::PHASE_OTHER][v1::TIME_CATEGORY_COPY], 0u);  // in no step
}

// Of steps whose slowest ranks took 70, 90 and 50 the one of 70.
TEST(ReportSumsTest, TheTypicalStepIsTheMedianByItsSlowestRank) {
  RunProfile run = FourRanks({70, 10});
  AddStep(2, 90, &run.processes[0]);
  AddStep(2, 20, &run.processes[1]);
  AddStep(3, 30, &run.processes[0]);
  AddStep(3, 50, &run.processes[1]);
  AddStep(4, 60, &run.processes[0]);  // not of all ranks
  run.processes[0].mutable_steps(0)->set_exposed_communication_ns(0);
  for (v1::ProcessProfile& process : run.processes) {
    process.mutable_steps(0)->add_gpu_time_ns(0);
    process.mutable_steps(0)->add_gpu_time_ns(7);
  }
  const StepPicture picture = SumForReport(run, Summarize(run)).picture;
  EXPECT_EQ(picture.step, 1u);
  EXPECT_TRUE(picture.measured);
  ASSERT_EQ(picture.ranks.size(), 2u);
  EXPECT_EQ(picture.ranks[0].wall_ns, 70u);
  EXPECT_EQ(picture.ranks[1].rank, 1);
  EXPECT_EQ(picture.ranks[1].wall_ns, 10u);
  EXPECT_EQ(picture.ranks[1].gpu_time_ns[1], 7u);
}

TEST(ReportSumsTest, OfAnOddNumberTheMiddleRankCountsTwice) {
  const RunProfile run = FourRanks({70, 10, 40});
  EXPECT_EQ(SumForReport(run, Summarize(run)).steps.at(0).middle_two_ns, 80u);
}

}  // namespace
}  // namespace flopsprof::model
