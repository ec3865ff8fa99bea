// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/performance_findings.h"

#include <gtest/gtest.h>

#include "collector/model/run_sums.h"
#include "sample_run.h"
#include "summary_lookup.h"

namespace flopsprof::model {
namespace {

// Of SampleRun: one measured step of each of two ranks, 1000 ns long, with 150 ns of GPU work of
// which 10 ns are exposed communication.

// The same with other times in the measured step of both ranks.
RunProfile WithStep(uint64_t busy_ns, uint64_t exposed_ns) {
  RunProfile run = SampleRun();
  for (int i = 0; i < 2; ++i) {
    v1::StepRow& step = *run.processes[i].mutable_steps(1);
    step.set_gpu_busy_ns(busy_ns);
    step.set_exposed_communication_ns(exposed_ns);
  }
  return run;
}

const Finding* FindingWith(const Summary& summary, const std::string& part) {
  for (const Finding& finding : summary.findings) {
    if (finding.text.find(part) != std::string::npos) return &finding;
  }
  return nullptr;
}

TEST(StepPartsTest, StepZeroAndDisturbedStepsAreInNone) {
  RunProfile run = WithStep(600, 200);
  Summary summary = Summarize(run);
  ASSERT_TRUE(summary.steps.parts.has_value());
  EXPECT_EQ(summary.steps.parts->rank_steps, 2u);
  EXPECT_EQ(summary.steps.parts->device_steps, 2u);
  EXPECT_EQ(summary.steps.parts->wall_ns, 2000u);
  EXPECT_EQ(summary.steps.parts->busy_ns, 1200u);
  EXPECT_EQ(summary.steps.parts->exposed_communication_ns, 400u);
  v1::StepLabelRow& label = *run.processes[0].add_step_labels();
  label.set_number(1);
  label.set_disturbed(true);
  summary = Summarize(run);
  ASSERT_TRUE(summary.steps.parts.has_value());
  EXPECT_EQ(summary.steps.parts->device_steps, 1u);
  EXPECT_EQ(summary.steps.parts->wall_ns, 1000u);
}

TEST(StepPartsTest, WithoutTimesOfTheDeviceThereAreNone) {
  RunProfile run = SampleRun();
  for (int i = 0; i < 2; ++i) run.processes[i].clear_device_times();
  const Summary summary = Summarize(run);
  EXPECT_FALSE(summary.steps.parts.has_value());
  EXPECT_FALSE(HasFinding(summary, "idle"));
  EXPECT_FALSE(HasFinding(summary, "exposed"));
}

TEST(StepPartsTest, KeptSumsHaveThem) {
  const auto sums = FromBytes(ToBytes(SumRun(WithStep(600, 200))));
  ASSERT_TRUE(sums.has_value() && sums->summary.steps.parts.has_value());
  EXPECT_EQ(sums->summary.steps.parts->busy_ns, 1200u);
  ASSERT_NE(FindingWith(sums->summary, "idle"), nullptr);
  EXPECT_NE(FindingWith(sums->summary, "idle")->gain, "");
}

TEST(IdleTest, SaysItsShareAndWhatItWouldGain) {
  const Summary summary = Summarize(SampleRun());
  const Finding* finding = FindingWith(summary, "idle");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->text, "the GPU waits: it is idle for 85.0 % of the step");
  EXPECT_EQ(finding->severity, "warning");
  EXPECT_EQ(finding->gain, "at most 0.85 us of each step (85.0 %)");
}

TEST(IdleTest, ShortKernelsAreToldFromAHostThatDoesOtherThings) {
  RunProfile run = SampleRun();
  EXPECT_NE(FindingWith(Summarize(run), "idle")->next.find("larger batch"), std::string::npos);
  for (int i = 0; i < 2; ++i) run.processes[i].mutable_kernels(0)->set_gpu_time_ns(40'000);
  EXPECT_NE(FindingWith(Summarize(run), "idle")->next.find("--stacks"), std::string::npos);
}

TEST(IdleTest, KernelsWithoutTimesAreNotShort) {
  RunProfile run = SampleRun();
  for (int i = 0; i < 2; ++i) {
    v1::KernelRow& kernel = *run.processes[i].mutable_kernels(0);
    kernel.set_gpu_time_ns(0);
    kernel.set_min_ns(0);
    kernel.set_max_ns(0);
  }
  const Summary summary = Summarize(run);
  EXPECT_EQ(FindingWith(summary, "idle")->evidence.find("a kernel takes"), std::string::npos);
}

TEST(IdleTest, BelowTwoPercentNothingIsSaid) {
  EXPECT_FALSE(HasFinding(Summarize(WithStep(981, 0)), "idle"));
  EXPECT_TRUE(HasFinding(Summarize(WithStep(979, 0)), "idle"));
}

TEST(IdleTest, OfASimulatedCardItIsANote) {
  RunProfile run = SampleRun();
  for (v1::ProcessProfile& process : run.processes) process.mutable_info()->set_simulated(true);
  EXPECT_EQ(FindingWith(Summarize(run), "idle")->severity, "note");
}

TEST(ExposedCommunicationTest, NamesTheCollectiveAndItsModule) {
  const Summary summary = Summarize(WithStep(1000, 100));
  const Finding* finding = FindingWith(summary, "exposed");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->text, "exposed communication takes 10.0 % of the step");
  EXPECT_EQ(finding->severity, "note");
  EXPECT_NE(finding->evidence.find("most: ncclAllReduce in (outside), backward"), std::string::npos)
      << finding->evidence;
  EXPECT_FALSE(HasFinding(Summarize(WithStep(1000, 19)), "exposed"));
}

// The measured step of rank 1 takes 240 ns without exposed communication, that of rank 0 140 ns.
RunProfile Uneven() {
  RunProfile run = SampleRun();
  run.processes[1].mutable_steps(1)->set_gpu_busy_ns(250);
  return run;
}

TEST(RanksTest, OneThatTakesLongerForEqualWorkIsSlow) {
  const Summary summary = Summarize(Uneven());
  const Finding* finding = FindingWith(summary, "rank 1");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->text, "rank 1 is slow: 1.71 times the other rank");
  EXPECT_EQ(finding->severity, "note");
  EXPECT_NE(finding->next.find("nvidia-smi"), std::string::npos);
  EXPECT_EQ(finding->gain, "at most 0.1 us of each step (10.0 %); others may wait for it so long");
}

TEST(RanksTest, OfSeveralDevicesARankLosesNoMoreThanEachOfThem) {
  RunProfile run = Uneven();
  for (int i = 0; i < 2; ++i) {
    v1::DeviceTime& second = *run.processes[i].add_device_times();
    second.set_device(1);
    second.set_busy_ns(300);
  }
  const Summary summary = Summarize(run);
  const Finding* finding = FindingWith(summary, "rank 1 is slow");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->gain, "at most 0.05 us of each step (5.0 %); others may wait for it so long");
}

TEST(RanksTest, OneThatHasMoreToDoIsNotCalledSlow) {
  RunProfile run = Uneven();
  run.processes[1].mutable_steps(1)->mutable_flops(v1::PHASE_FORWARD)->set_low(1300);
  EXPECT_TRUE(HasFinding(Summarize(run), "rank 1 has more to do: 1.71 times the other rank"));
}

TEST(RanksTest, NorOneWhoseWorkIsNotKnownOrIsOther) {
  RunProfile run = Uneven();
  v1::StepFacts& facts = *run.processes[1].add_step_facts();
  facts.set_step(1);
  facts.set_has_unknown(true);
  EXPECT_TRUE(HasFinding(Summarize(run), "rank 1 takes longer"));
  EXPECT_FALSE(HasFinding(Summarize(run), "is slow"));
  run = Uneven();
  run.processes[0].mutable_steps(1)->set_activities(10);
  run.processes[1].mutable_steps(1)->set_activities(30);
  EXPECT_TRUE(HasFinding(Summarize(run), "rank 1 takes longer"));
  run = Uneven();  // no flops at all are no equal flops
  for (int i = 0; i < 2; ++i) run.processes[i].mutable_steps(1)->clear_flops();
  EXPECT_FALSE(HasFinding(Summarize(run), "is slow"));
}

TEST(RanksTest, RanksThatMeasuredOtherStepsAreNotCompared) {
  RunProfile run = Uneven();
  run.processes[1].mutable_steps(1)->set_step(2);
  EXPECT_FALSE(Summarize(run).steps.uneven.has_value());
  EXPECT_FALSE(HasFinding(Summarize(run), "rank 1"));
}

TEST(RanksTest, WorkOutsideOfMeasuredStepsIsNoReason) {
  RunProfile run = SampleRun();
  run.processes[1].mutable_steps(0)->set_gpu_busy_ns(900);  // step 0: tuning
  EXPECT_FALSE(HasFinding(Summarize(run), "rank 1"));
}

TEST(RanksTest, OfThreeTheMedianIsTheMiddleOne) {
  RunProfile run = Uneven();
  run.processes[2] = SampleRank(2, 100);
  run.processes[2].mutable_steps(1)->set_gpu_busy_ns(210);
  const Summary summary = Summarize(run);
  ASSERT_TRUE(summary.steps.uneven.has_value());
  EXPECT_EQ(summary.steps.uneven->most, 1u);
  EXPECT_EQ(summary.steps.uneven->median_ns, 200u);
  EXPECT_TRUE(HasFinding(summary, "rank 1 is slow: 1.20 times the median rank"));
}

TEST(DevicesTest, OneThatWasOnlyTouchedIsNotInUse) {
  RunProfile run = SampleRun();  // busy for 300 ns
  for (int i = 0; i < 2; ++i) {
    v1::DeviceTime& stray = *run.processes[i].add_device_times();
    stray.set_device(1);
    stray.set_busy_ns(2);
  }
  EXPECT_EQ(Summarize(run).steps.parts->device_steps, 2u);
  for (int i = 0; i < 2; ++i) run.processes[i].mutable_device_times(1)->set_busy_ns(30);
  Summary summary = Summarize(run);
  EXPECT_EQ(summary.steps.parts->rank_steps, 2u);
  EXPECT_EQ(summary.steps.parts->device_steps, 4u);
  EXPECT_EQ(summary.steps.parts->wall_ns, 4000u);
}

TEST(StepPartsTest, WorkThatRunsOnAfterTheStepIsNoMoreThanTheStep) {
  const Summary summary = Summarize(WithStep(1500, 1200));
  EXPECT_EQ(summary.steps.parts->busy_ns, 2000u);
  EXPECT_EQ(summary.steps.parts->exposed_communication_ns, 2000u);
}

TEST(ExposedCommunicationTest, WaitingOfAllOfItChangesTheAdvice) {
  RunProfile run = WithStep(1000, 100);
  const auto advice = [&run](uint64_t matched_ns, uint64_t wait_ns) {
    for (int i = 0; i < 2; ++i) {
      for (v1::CallRow& call : *run.processes[i].mutable_calls()) {
        if (call.kind() != v1::CALL_KIND_COLLECTIVE) continue;
        run.processes[i].clear_collectives();
        v1::CollectiveRow& row = *run.processes[i].add_collectives();
        row.set_scope(call.scope());
        row.set_phase(call.phase());
        row.set_api(call.api());
        row.set_shape(call.shape());
        row.set_in_step(call.in_step());
        row.set_matched_calls(1);
        row.set_matched_time_ns(matched_ns);
        row.set_wait_ns(wait_ns);
      }
    }
    const Summary summary = Summarize(run);
    const Finding* finding = FindingWith(summary, "exposed");
    return finding == nullptr ? std::string() : finding->evidence + " | " + finding->next;
  };
  // Of 40 ns in each rank.
  EXPECT_NE(advice(40, 30).find("; 75.0 % of communication is waiting"), std::string::npos)
      << advice(40, 30);
  EXPECT_NE(advice(40, 30).find("| ranks arrive at different times"), std::string::npos);
  EXPECT_NE(advice(10, 10).find("; at least 25.0 % of communication"), std::string::npos);
  EXPECT_NE(advice(10, 10).find("| overlap it"), std::string::npos);
}

TEST(RecomputeTest, SaysItsShareOfGpuTime) {
  RunProfile run = SampleRun();
  EXPECT_FALSE(HasFinding(Summarize(run), "recomputing"));
  // 465 + 665 ns are there.
  v1::TimeRow& time = *run.processes[0].add_times();
  time = run.processes[0].times(0);
  time.set_phase(v1::PHASE_RECOMPUTE);
  time.set_gpu_time_ns(1130);
  EXPECT_TRUE(HasFinding(Summarize(run), "recomputing forwards takes 50.0 % of GPU time"));
}

TEST(PlainFp32Test, OnACardWithTf32ItSaysWhatTheTensorCoresWouldGain) {
  // Of each rank 3000 flops are tf32, 900 fp32; an A100 does 19.5 T and 156 T of them a second.
  const Summary summary = Summarize(SampleRun());
  const Finding* finding = FindingWith(summary, "plain fp32");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->text, "23.1 % of flops are plain fp32: not on the tensor cores");
  EXPECT_EQ(finding->gain,
            "at most 8.08e-05 us of GPU time, all ranks together, if all ran at peak");
  RunProfile run = SampleRun();
  for (int i = 0; i < 2; ++i) {
    for (v1::CallRow& call : *run.processes[i].mutable_calls()) call.set_compute_type("tf32");
  }
  EXPECT_FALSE(HasFinding(Summarize(run), "plain fp32"));
}

TEST(OrderTest, WhatIsSlowComesLastOfWhatIsAsGrave) {
  RunProfile run = SampleRun();
  for (int i = 0; i < 2; ++i) (*run.processes[i].mutable_loss())["caller_unseen"] = 1;
  const Summary summary = Summarize(run);
  size_t wrong = 0, slow = 0;
  for (size_t i = 0; i < summary.findings.size(); ++i) {
    if (summary.findings[i].evidence == "caller_unseen: 2") wrong = i + 1;
    if (summary.findings[i].text.find("idle") != std::string::npos) slow = i + 1;
  }
  ASSERT_TRUE(wrong > 0 && slow > 0);
  EXPECT_EQ(summary.findings[wrong - 1].severity, summary.findings[slow - 1].severity);
  EXPECT_LT(wrong, slow);
}

TEST(OrderTest, TheGraverComesFirst) {
  RunProfile run = SampleRun();
  run.processes[0].mutable_info()->set_state(v1::PROCESS_STATE_SIGNALLED);
  run.processes[0].mutable_info()->set_exit_signal(9);
  const Summary summary = Summarize(run);
  EXPECT_EQ(summary.findings.front().severity, "error");
  int gravity = 2;
  for (const Finding& finding : summary.findings) {
    const int its = finding.severity == "error" ? 2 : finding.severity == "warning" ? 1 : 0;
    EXPECT_LE(its, gravity);
    gravity = its;
  }
}

}  // namespace
}  // namespace flopsprof::model
