// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "collector/model/summary.h"
#include "collector/model/summary_json.h"
#include "sample_run.h"
#include "summary_lookup.h"

namespace flopsprof::model {
namespace {

// Steps, their times, and how far from the peak they are.

TEST(SummaryTest, UtilisationIsFlopsAtPeakOverStepTime) {
  const Summary summary = Summarize(SampleRun());
  ASSERT_EQ(summary.ranks.size(), 2u);
  // 3000 flops at 156e12 and 900 at 19.5e12, in two steps of 1000 ns.
  const double at_peak_s = 3000 / 156e12 + 900 / 19.5e12;
  EXPECT_DOUBLE_EQ(*summary.ranks[0].utilisation.mfu, at_peak_s / 2000e-9);
  EXPECT_DOUBLE_EQ(*summary.ranks[0].utilisation.hfu, at_peak_s / 2000e-9);
}

TEST(SummaryTest, RecomputationCountsInHfuOnly) {
  RunProfile run = SampleRun();
  v1::CallRow& again = *run.processes[0].add_calls();
  again = run.processes[0].calls(0);
  again.set_phase(v1::PHASE_RECOMPUTE);
  for (v1::StepRow& step : *run.processes[0].mutable_steps()) {
    step.mutable_flops(v1::PHASE_RECOMPUTE)->set_low(500);
  }
  const Summary summary = Summarize(run);
  const double model_s = 3000 / 156e12 + 900 / 19.5e12;
  EXPECT_DOUBLE_EQ(*summary.ranks[0].utilisation.mfu, model_s / 2000e-9);
  EXPECT_DOUBLE_EQ(*summary.ranks[0].utilisation.hfu, (model_s + 1000 / 156e12) / 2000e-9);
}

TEST(SummaryTest, RanksAndStepsHaveTheUtilisationOfTheirWallTime) {
  const Summary summary = Summarize(SampleRun());
  ASSERT_EQ(summary.ranks.size(), 2u);
  double at_peak_s = 0, available_s = 0;
  for (const RankSummary& rank : summary.ranks) {
    ASSERT_TRUE(rank.utilisation.mfu.has_value()) << rank.utilisation.why;
    at_peak_s += rank.utilisation.model_peak_s;
    available_s += rank.utilisation.available_s;
  }
  EXPECT_DOUBLE_EQ(*summary.totals.utilisation.mfu, at_peak_s / available_s);
  ASSERT_FALSE(summary.steps.utilisation.empty());
  // Each step does the same work in the same time.
  for (const StepUtilisation& step : summary.steps.utilisation) {
    EXPECT_NEAR(step.mfu.value_or(0), *summary.totals.utilisation.mfu, 1e-12) << step.step;
  }
}

TEST(SummaryTest, TuningInTheFirstStepIsInNoUtilisationAndIsSaid) {
  RunProfile run = SampleRun();
  const Summary before = Summarize(run);
  EXPECT_FALSE(HasFinding(before, "tuning"));
  EXPECT_DOUBLE_EQ(*before.steps.first_step_work_ratio, 1);
  // Step 0 runs everything three times.
  for (v1::ProcessProfile& process : run.processes) {
    (*process.mutable_notes())["tuning"] = "torch.backends.cudnn.benchmark";
    for (v1::StepRow& step : *process.mutable_steps()) {
      if (step.step() != 0) continue;
      for (v1::Count& count : *step.mutable_flops()) count.set_low(3 * count.low());
    }
  }
  const Summary after = Summarize(run);
  EXPECT_DOUBLE_EQ(*after.steps.first_step_work_ratio, 3);
  EXPECT_TRUE(HasFinding(after, "tuning runs are in the totals"));
  EXPECT_DOUBLE_EQ(*after.ranks[0].utilisation.mfu, *before.ranks[0].utilisation.mfu);
}

TEST(SummaryTest, UtilisationSaysOnHowMuchOfTheComputeTimeItStands) {
  RunProfile run = SampleRun();
  v1::ProcessProfile& rank_0 = run.processes[0];
  rank_0.clear_times();
  const auto add = [&rank_0](v1::TimeCategory category, uint64_t ns) {
    v1::TimeRow* row = rank_0.add_times();
    row->set_category(category);
    row->set_in_step(true);
    row->set_activities(1);
    row->set_gpu_time_ns(ns);
  };
  add(v1::TIME_CATEGORY_EXACT, 500);
  add(v1::TIME_CATEGORY_NO_PRODUCTS, 100);
  add(v1::TIME_CATEGORY_UNKNOWN, 200);
  add(v1::TIME_CATEGORY_COPY, 900);
  add(v1::TIME_CATEGORY_COMMUNICATION, 900);
  EXPECT_DOUBLE_EQ(*Summarize(run).ranks[0].utilisation.counted_share, 0.75);
}

TEST(SummaryTest, ATypeWithoutAPeakHasNoUtilisationUntilOneIsGiven) {
  RunProfile run = SampleRun();
  for (v1::CallRow& call : *run.processes[0].mutable_calls()) {
    if (call.compute_type() == "tf32") call.set_compute_type("fp32_or_tf32");
  }
  const Summary without = Summarize(run);
  EXPECT_FALSE(without.ranks[0].utilisation.mfu.has_value());
  EXPECT_NE(without.ranks[0].utilisation.why.find("--peak fp32_or_tf32="), std::string::npos);
  EXPECT_FALSE(without.totals.utilisation.mfu.has_value());
  EXPECT_TRUE(HasFinding(without, "no MFU"));
  SummaryOptions options;
  options.peaks = {{"fp32_or_tf32", 156e12}};
  EXPECT_DOUBLE_EQ(*Summarize(run, options).ranks[0].utilisation.mfu,
                   *Summarize(SampleRun()).ranks[0].utilisation.mfu);
}

TEST(SummaryTest, AnUnknownCardHasNoUtilisation) {
  RunProfile run = SampleRun();
  run.processes[0].mutable_devices(0)->set_name("Simulated GPU (no hardware)");
  const Summary summary = Summarize(run);
  EXPECT_FALSE(summary.ranks[0].utilisation.mfu.has_value());
  EXPECT_TRUE(summary.ranks[1].utilisation.mfu.has_value());
  EXPECT_TRUE(HasFinding(summary, "no MFU"));
}

TEST(SummaryTest, NoUtilisationWhereTheDevicesInUseAreNotKnown) {
  RunProfile run = SampleRun();
  v1::ProcessProfile& rank_0 = run.processes[0];
  rank_0.clear_times();
  rank_0.clear_device_times();
  v1::Device second = rank_0.devices(0);
  second.set_ordinal(7);
  second.set_uuid("GPU-7");
  *rank_0.add_devices() = second;
  const Summary summary = Summarize(run);
  EXPECT_FALSE(summary.ranks[0].utilisation.mfu.has_value());
  EXPECT_TRUE(summary.ranks[1].utilisation.mfu.has_value());
}

TEST(SummaryTest, TimeAfterCuptiWasGivenUpIsNotIdleTime) {
  RunProfile run = SampleRun();
  (*run.processes[1].mutable_loss())["cupti_yielded"] = 1;
  const Summary summary = Summarize(run);
  EXPECT_EQ(summary.totals.gpu_busy_ns, 600u);
  EXPECT_FALSE(summary.totals.idle_ns.has_value());
  EXPECT_FALSE(summary.totals.exposed_communication_ns.has_value());
}

TEST(SummaryTest, StepZeroIsLeftOutOfTheStepTimes) {
  const Summary summary = Summarize(SampleRun());
  EXPECT_EQ(summary.steps.profiled, 2u);
  EXPECT_EQ(summary.steps.first, 0u);
  EXPECT_EQ(summary.steps.last, 1u);
  EXPECT_EQ(summary.steps.median_ns, 1000u);
  EXPECT_EQ(summary.steps.left_out, 1u);
}

TEST(SummaryTest, PercentilesAreOfTheStepsOfAllRanks) {
  ProfileBuilder b(0);
  b.Gemm(0, v1::PHASE_OTHER, 2);
  b.Step(0, 0, 1000000);
  for (uint32_t step = 1; step <= 20; ++step) b.Step(step, 1, 1 + 10 * step);  // 10 ... 200
  b.Step(21, 1, 0);                                                            // cut off
  const Summary summary = Summarize(RunOf(b.profile()));
  EXPECT_EQ(summary.steps.profiled, 22u);
  EXPECT_EQ(summary.steps.median_ns, 105u);
  EXPECT_EQ(summary.steps.p95_ns, 190u);
  EXPECT_EQ(summary.steps.left_out, 2u);
}

TEST(SummaryTest, BusyIdleAndExposedTimeAddUpOverRanks) {
  const Summary summary = Summarize(SampleRun());
  EXPECT_EQ(summary.totals.gpu_busy_ns, 600u);
  EXPECT_EQ(summary.totals.idle_ns, 3400u);  // 2 ranks x (2000 - 300)
  EXPECT_EQ(summary.totals.exposed_communication_ns, 40u);
}

TEST(SummaryTest, AStepOfUnknownWorkOnlyHasNoUtilisation) {
  RunProfile run = SampleRun();
  for (v1::ProcessProfile& process : run.processes) {
    std::optional<v1::StepRow> counted;  // a step with flops stays: from it the rank has its peak
    for (v1::StepRow& step : *process.mutable_steps()) {
      if (step.step() != 1) continue;
      counted = step;
      for (v1::Count& count : *step.mutable_flops()) count.set_low(0);
      process.add_step_facts()->set_step(1);
    }
    if (!counted.has_value()) continue;
    counted->set_step(100);
    *process.add_steps() = *counted;
  }
  const auto mfu_of_step_1 = [](const Summary& summary) {
    for (const StepUtilisation& step : summary.steps.utilisation) {
      if (step.step == 1) return step.mfu;
    }
    return std::optional<double>(-1);
  };
  // Nothing that could hold a product: 0 is right. Otherwise it is not known.
  EXPECT_EQ(mfu_of_step_1(Summarize(run)), 0);
  for (v1::ProcessProfile& process : run.processes) {
    for (v1::StepFacts& facts : *process.mutable_step_facts()) facts.set_has_unknown(true);
  }
  EXPECT_EQ(mfu_of_step_1(Summarize(run)), std::nullopt);
  EXPECT_NE(ToJson(Summarize(run)).find("\"mfu\": null"), std::string::npos);
}

TEST(SummaryTest, AStepWithoutFlopsWhoseKernelsWereNotSeenHasNoUtilisation) {
  RunProfile run = SampleRun();
  for (v1::ProcessProfile& process : run.processes) {
    std::optional<v1::StepRow> empty;
    for (const v1::StepRow& step : process.steps()) {
      if (step.step() == 1) empty = step;
    }
    if (!empty.has_value()) continue;
    empty->set_step(100);
    for (v1::Count& count : *empty->mutable_flops()) count.set_low(0);
    *process.add_steps() = *empty;
  }
  const auto mfu_of_step_100 = [](const Summary& summary) {
    for (const StepUtilisation& step : summary.steps.utilisation) {
      if (step.step == 100) return step.mfu;
    }
    return std::optional<double>(-1);
  };
  EXPECT_EQ(mfu_of_step_100(Summarize(run)), 0);
  for (v1::ProcessProfile& process : run.processes) {
    (*process.mutable_loss())["cupti_yielded"] = 1;
  }
  EXPECT_EQ(mfu_of_step_100(Summarize(run)), std::nullopt);
}

TEST(SummaryTest, ExposedCommunicationOfGraphsTimedAsAWholeIsNotKnown) {
  RunProfile run = SampleRun();
  (*run.processes[1].mutable_loss())["communication_shared"] = 4;
  const Summary summary = Summarize(run);
  EXPECT_TRUE(summary.totals.idle_ns.has_value());
  EXPECT_FALSE(summary.totals.exposed_communication_ns.has_value());
}

TEST(SummaryTest, StepsOfTwoProcessesOfARankThatRunAtOnceCountTheirWallTimeOnce) {
  const Summary one = Summarize(SampleRun());
  RunProfile run = SampleRun();
  v1::ProcessProfile second = run.processes[0];
  second.mutable_key()->set_pid(second.key().pid() + 1);
  second.mutable_info()->set_parent_pid(run.processes[0].key().pid());
  second.clear_calls();
  for (v1::StepRow& step : *second.mutable_steps()) {
    for (v1::Count& count : *step.mutable_flops()) count.set_low(0);
  }
  run.processes.push_back(second);
  const Summary both = Summarize(run);
  ASSERT_EQ(both.ranks.size(), one.ranks.size());
  EXPECT_DOUBLE_EQ(*both.ranks[0].utilisation.mfu, *one.ranks[0].utilisation.mfu);
}

}  // namespace
}  // namespace flopsprof::model
