// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "collector/model/summary.h"
#include "collector/model/summary_json.h"
#include "sample_run.h"
#include "summary_lookup.h"

namespace flopsprof::model {
namespace {

// What never came is unknown, not 0.

// Killed before the times of its kernels came: those of copies before did.
RunProfile Killed() {
  ProfileBuilder b(-1);
  b.ModuleScope(1, 0, "", "Net", 10).Listed(1, 0, "", "Net", 10, 62);
  b.Entered(1, v1::PHASE_FORWARD, 3);
  b.Gemm(1, v1::PHASE_FORWARD, 300, 3).set_kernels(0);
  b.Gemm(1, v1::PHASE_BACKWARD, 600, 3).set_kernels(0);
  b.Time(0, v1::PHASE_OTHER, v1::TIME_CATEGORY_COPY, 5, /*in_step=*/false);
  b.info().set_state(v1::PROCESS_STATE_SIGNALLED);
  b.info().set_exit_signal(9);
  b.info().set_launches(30);
  b.info().set_launches_without_activity(27);
  return RunOf(b.profile());
}

TEST(MissingTest, TimesThatNeverCameAreNotZero) {
  const Summary summary = Summarize(Killed());
  const Work& work = summary.totals.work;
  EXPECT_EQ(work.flops[v1::PHASE_FORWARD], FlopCount{300});
  EXPECT_EQ(work.flops[v1::PHASE_BACKWARD], FlopCount{600});
  EXPECT_FALSE(work.gpu_time_ns[v1::PHASE_FORWARD].has_value());
  EXPECT_FALSE(work.gpu_time_ns[v1::PHASE_BACKWARD].has_value());
  EXPECT_FALSE(work.gpu_time_ns[v1::PHASE_OPTIMIZER].has_value());
  EXPECT_EQ(work.gpu_time_ns[v1::PHASE_OTHER], 5u);
  EXPECT_TRUE(work.time_incomplete[v1::PHASE_FORWARD]);
  EXPECT_TRUE(work.time_incomplete[v1::PHASE_OTHER]);
  EXPECT_FALSE(summary.modules[0].inclusive.gpu_time_ns[v1::PHASE_FORWARD].has_value());
}

// A process of which steps 0 to 5 are known, of which nothing was recorded.
RunProfile WithoutWork(uint32_t first, uint32_t end) {
  ProfileBuilder b(-1);
  for (uint32_t step = 0; step < 6; ++step) {
    v1::StepLabelRow& label = *b.profile().add_step_labels();
    label.set_step(step);
    label.set_number(step);
  }
  RunProfile run = RunOf(b.profile());
  run.run.set_first_step(first);
  run.run.set_end_step(end);
  return run;
}

TEST(MissingTest, AWindowThatTheJobDidNotReachHasNothingToReport) {
  const Summary summary = Summarize(WithoutWork(50, 60));
  EXPECT_TRUE(summary.empty);
  ASSERT_EQ(summary.coverage.reasons.size(), 1u);
  EXPECT_EQ(summary.coverage.reasons[0],
            "no step of --steps 50:60 was recorded: the job ended in step 5 (they count from 0)");
}

TEST(MissingTest, WorkOfAReachedWindowThatNeverCameIsUnknown) {
  const Summary summary = Summarize(WithoutWork(5, 60));
  EXPECT_FALSE(summary.empty);
  ASSERT_EQ(summary.ranks.size(), 1u);
  EXPECT_FALSE(summary.totals.work.gpu_time_ns[v1::PHASE_OTHER].has_value());
}

TEST(MissingTest, WhatAKilledProcessDidNotTellOfItselfIsNull) {
  const std::string json = ToJson(Summarize(Killed()));
  for (const char* key : {"hook_calls", "own_cpu_s", "cupti_overhead_s", "estimated_s"}) {
    EXPECT_NE(json.find("\"" + std::string(key) + "\": null"), std::string::npos) << key;
  }
}

TEST(MissingTest, KernelsOfAnOptimizerOfWhichSomeWereSeenAreKnown) {
  RunProfile run = Killed();
  v1::Scope& optimizer = *run.processes[0].add_scopes();
  optimizer.set_id(9);
  optimizer.set_kind(v1::SCOPE_KIND_OPTIMIZER);
  v1::ScopeCallRow& steps = *run.processes[0].add_scope_calls();
  steps.set_scope(9);
  steps.set_phase(v1::PHASE_OPTIMIZER);
  steps.set_calls(3);
  EXPECT_FALSE(Summarize(run).totals.work.flops[v1::PHASE_OPTIMIZER].has_value());
  v1::TimeRow& time = *run.processes[0].add_times();
  time.set_scope(9);
  time.set_phase(v1::PHASE_OPTIMIZER);
  time.set_category(v1::TIME_CATEGORY_NO_PRODUCTS);
  time.set_in_step(true);
  time.set_activities(1);
  time.set_gpu_time_ns(7);
  const Work work = Summarize(run).totals.work;
  EXPECT_EQ(work.flops[v1::PHASE_OPTIMIZER], FlopCount{0});
  EXPECT_EQ(work.gpu_time_ns[v1::PHASE_OPTIMIZER], 7u);
  EXPECT_TRUE(work.time_incomplete[v1::PHASE_OPTIMIZER]);
}

TEST(MissingTest, ThereIsNoRateOverOtherWorksTime) {
  const Summary summary = Summarize(Killed());
  EXPECT_FALSE(summary.totals.work.flop_per_s.has_value());
  EXPECT_FALSE(summary.ranks[0].work.flop_per_s.has_value());
}

TEST(MissingTest, ItIsSaidHowManyLaunchesHaveNoTimes) {
  const Summary summary = Summarize(Killed());
  ASSERT_TRUE(HasFinding(summary, "GPU times of some launches never came"));
  for (const Finding& finding : summary.findings) {
    if (finding.text.find("never came") == std::string::npos) continue;
    EXPECT_EQ(finding.evidence, "launches without GPU times: 27 of 30; rank 0: signal 9");
  }
}

TEST(MissingTest, APartOfTheTimesIsALowerBound) {
  RunProfile run = SampleRun();
  run.processes[0].mutable_info()->set_launches_without_activity(1);
  const Summary summary = Summarize(run);
  EXPECT_TRUE(summary.totals.work.time_incomplete[v1::PHASE_FORWARD]);
  EXPECT_TRUE(summary.totals.work.gpu_time_ns[v1::PHASE_FORWARD].has_value());
  EXPECT_FALSE(summary.totals.idle_ns.has_value());
  // No product is in an optimizer whose kernels were seen: one more of them changes nothing.
  EXPECT_EQ(summary.totals.work.flops[v1::PHASE_OPTIMIZER], FlopCount{0});
  EXPECT_NE(ToJson(summary).find("\"gpu_time_incomplete\""), std::string::npos);
}

TEST(MissingTest, WithAllTimesNothingIsMarked) {
  const Summary summary = Summarize(SampleRun());
  for (const bool incomplete : summary.totals.work.time_incomplete) EXPECT_FALSE(incomplete);
  EXPECT_FALSE(HasFinding(summary, "never came"));
}

}  // namespace
}  // namespace flopsprof::model
