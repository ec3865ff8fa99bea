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
  EXPECT_EQ(finding->text, "the GPU waits: it is idle for 85.0% of the step");
  EXPECT_EQ(finding->severity, "warning");
  EXPECT_EQ(finding->gain, "at most 0.85 us of each step (85.0%)");
}

TEST(IdleTest, ShortKernelsAreToldFromAHostThatDoesOtherThings) {
  RunProfile run = SampleRun();
  EXPECT_NE(FindingWith(Summarize(run), "idle")->next.find("larger batch"), std::string::npos);
  for (int i = 0; i < 2; ++i) run.processes[i].mutable_kernels(0)->set_gpu_time_ns(40'000);
  EXPECT_NE(FindingWith(Summarize(run), "idle")->next.find("--stacks"), std::string::npos);
}

TEST(IdleTest, OneStepHasNoMean) {
  Summary summary = Summarize(SampleRun());
  summary.steps.parts->device_steps = 1;
  std::vector<Finding> findings;
  AddPerformanceFindings(summary, &findings);
  EXPECT_NE(findings.front().evidence.find(": of 1 step, each"), std::string::npos)
      << findings.front().evidence;
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
  EXPECT_EQ(finding->text, "exposed communication takes 10.0% of the step");
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
  EXPECT_EQ(finding->gain, "at most 0.1 us of each step (10.0%); others may wait for it so long");
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
  EXPECT_EQ(finding->gain, "at most 0.05 us of each step (5.0%); others may wait for it so long");
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
  // 1200 of 1500 ns of each rank's work, of a step of 1000 ns.
  EXPECT_EQ(summary.steps.parts->exposed_communication_ns, 1600u);
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
  EXPECT_NE(advice(40, 30).find("; 75.0% of communication is waiting"), std::string::npos)
      << advice(40, 30);
  EXPECT_NE(advice(40, 30).find("| ranks arrive at different times"), std::string::npos);
  EXPECT_NE(advice(10, 10).find("; at least 25.0% of communication"), std::string::npos);
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
  EXPECT_TRUE(HasFinding(Summarize(run), "recomputing forwards takes 50.0% of GPU time"));
}

TEST(PlainFp32Test, BelowTwoPercentOfTheStepItIsNoBottleneck) {
  // Of each rank 900 of 3900 flops are fp32: 8e-5 us of the 1.13 us of GPU time at their peak.
  EXPECT_FALSE(HasFinding(Summarize(SampleRun()), "plain fp32"));
}

// Why the GPU is idle. Of SampleRun it is so for 850 of the 1000 ns of the measured step, which
// begins at 2000.
RunProfile WithOptimizerEnd(uint64_t end_ns, uint64_t activities = 50) {
  RunProfile run = SampleRun();
  for (int i = 0; i < 2; ++i) {
    v1::StepLabelRow& label = *run.processes[i].add_step_labels();
    label.set_step(1);
    label.set_number(1);
    label.set_optimizer_steps(1);
    label.set_optimizer_end_mono_ns(end_ns);
    run.processes[i].mutable_steps(1)->set_activities(activities);
  }
  return run;
}

FindingKind KindOfFirst(const Summary& summary) {
  const Finding* finding = FindingWith(summary, "the GPU waits");
  return finding == nullptr ? FindingKind::kNothingRecorded : finding->kind;
}

// Stacks are of launches outside of modules; a host that launches nothing is in none of them.
TEST(IdleKindTest, NoMoreIsSaidOfStacksThanTheyShow) {
  RunProfile longer = SampleRun();
  for (int i = 0; i < 2; ++i) longer.processes[i].mutable_kernels(0)->set_gpu_time_ns(40'000);
  for (const RunProfile& run : {SampleRun(), longer, WithOptimizerEnd(2100)}) {
    const Summary summary = Summarize(run);
    const std::string& next = FindingWith(summary, "the GPU waits")->next;
    EXPECT_NE(
        next.find("--stacks shows launches outside of modules; for the rest use a profiler of "
                  "Python, such as py-spy"),
        std::string::npos)
        << next;
  }
}

TEST(IdleKindTest, MostOfItBetweenStepsIsInput) {
  // 900 ns between, of which work takes at most 150: idle for at least 750 of 850.
  const Summary summary = Summarize(WithOptimizerEnd(2100));
  EXPECT_EQ(KindOfFirst(summary), FindingKind::kInputBound);
  EXPECT_EQ(summary.steps.parts->between_ns, 1800u);
  EXPECT_EQ(summary.steps.parts->between_idle_ns, 1500u);
  EXPECT_EQ(summary.steps.bound_by, "input_bound");
  const std::string& evidence = FindingWith(summary, "the GPU waits")->evidence;
  EXPECT_NE(evidence.find("next forward: 0.9 us, idle for at least 0.75 us"), std::string::npos)
      << evidence;
}

TEST(IdleKindTest, ShortKernelsWithinStepsAreLaunches) {
  EXPECT_EQ(KindOfFirst(Summarize(WithOptimizerEnd(2950))), FindingKind::kLaunchBound);
  EXPECT_EQ(Summarize(WithOptimizerEnd(2950)).steps.bound_by, "launch_bound");
}

TEST(IdleKindTest, WhatTheTimesDoNotProveIsIdle) {
  // 500 ns between, of which at least 350 are idle: neither those nor the 350 within are half.
  EXPECT_EQ(KindOfFirst(Summarize(WithOptimizerEnd(2500))), FindingKind::kIdle);
  EXPECT_EQ(KindOfFirst(Summarize(SampleRun())), FindingKind::kIdle);
  EXPECT_EQ(Summarize(SampleRun()).steps.bound_by, "idle");
  RunProfile longer = WithOptimizerEnd(2950);  // kernels of 20 us: the host does other things
  for (int i = 0; i < 2; ++i) longer.processes[i].mutable_kernels(0)->set_gpu_time_ns(40'000);
  EXPECT_EQ(KindOfFirst(Summarize(longer)), FindingKind::kIdle);
  RunProfile graphs = WithOptimizerEnd(2950);  // a replay launches many kernels at once
  graphs.processes[0].add_graphs()->set_state("counted");
  EXPECT_EQ(KindOfFirst(Summarize(graphs)), FindingKind::kIdle);
}

TEST(IdleKindTest, EvidenceIsOfTheKind) {
  const auto evidence = [](uint64_t activities) {
    RunProfile run = WithOptimizerEnd(1'002'000, activities);
    for (int i = 0; i < 2; ++i) run.processes[i].mutable_steps(1)->set_end_mono_ns(1'002'000);
    const Summary summary = Summarize(run);
    return FindingWith(summary, "the GPU waits")->evidence;
  };
  // Of 1,000,000 ns 150 are work.
  EXPECT_NE(evidence(5).find(": 200 us idle for each kernel"), std::string::npos) << evidence(5);
  EXPECT_EQ(evidence(5).find("10 us to launch"), std::string::npos);
  EXPECT_NE(evidence(50).find(": PyTorch needs about 10 us to launch one"), std::string::npos);
  EXPECT_EQ(evidence(50).find("of it"), std::string::npos) << evidence(50);
}

TEST(IdleKindTest, NoLaunchTakesAHundredMicroseconds) {
  const auto kind = [](uint64_t activities) {
    RunProfile run = WithOptimizerEnd(1'002'000, activities);
    for (int i = 0; i < 2; ++i) run.processes[i].mutable_steps(1)->set_end_mono_ns(1'002'000);
    return KindOfFirst(Summarize(run));
  };
  EXPECT_EQ(kind(5), FindingKind::kIdle);  // 200 us each
  EXPECT_EQ(kind(50), FindingKind::kLaunchBound);
}

// Ranks 0 and 1 work for 240 and 140 ns in the measured step; 2 and 3, which have another module,
// for 340.
RunProfile FourRanks(bool with_messages) {
  RunProfile run;
  for (int rank = 0; rank < 4; ++rank) {
    v1::ProcessProfile process = SampleRank(rank, 100);
    process.mutable_info()->set_world_size(4);
    process.mutable_steps(1)->set_gpu_busy_ns(rank == 0 ? 250 : rank == 1 ? 150 : 350);
    if (rank >= 2) process.mutable_modules(4)->set_path("module.head");
    if (with_messages) {
      for (v1::CallRow& call : *process.mutable_calls()) {
        if (call.kind() == v1::CALL_KIND_COLLECTIVE) call.set_api("ncclSend");
      }
    }
    run.processes.push_back(process);
  }
  return run;
}

TEST(StagesTest, ARankIsComparedWithThoseOfItsStage) {
  const Summary summary = Summarize(FourRanks(true));
  ASSERT_TRUE(summary.steps.uneven.has_value() && summary.steps.uneven_stages.has_value());
  EXPECT_TRUE(HasFinding(summary, "rank 0 is slow: 1.71 times the other rank of its stage"));
  // The stages take 140 and 340 ns: the lower one of two ranks, and a mean of 240.
  const Finding* finding = FindingWith(summary, "stages");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->kind, FindingKind::kUnevenStages);
  EXPECT_EQ(finding->text, "pipeline stages are uneven: that of rank 2 takes 1.42 times the mean");
  EXPECT_EQ(finding->gain,
            "at most 0.1 us of each step (10.0%); the other stages wait for it so long");
}

TEST(StagesTest, WithoutMessagesOtherModulesMakeNoStage) {
  const Summary summary = Summarize(FourRanks(false));
  EXPECT_FALSE(summary.steps.uneven_stages.has_value());
  EXPECT_TRUE(HasFinding(summary, "rank 2 is slow: 1.42 times the median rank"));
}

TEST(GainsTest, TogetherAreNoMoreThanTheStep) {
  // Rank 0 computes for 1000 ns of 1000, rank 1 for 100 and communicates for 900, which is 45 % of
  // all time: 0.9 for the longer rank, and what is left.
  RunProfile run = WithStep(1000, 0);
  run.processes[1].mutable_steps(1)->set_exposed_communication_ns(900);
  const Summary summary = Summarize(run);
  EXPECT_NEAR(*FindingWith(summary, "rank 0")->gain_ratio, 0.9, 1e-9);
  const Finding* exposed = FindingWith(summary, "exposed");
  EXPECT_EQ(exposed->text, "exposed communication takes 45.0% of the step");
  EXPECT_NEAR(*exposed->gain_ratio, 0.1, 1e-9);
  EXPECT_NE(exposed->gain.find("the rest is in the gains before this one"), std::string::npos);
}

TEST(BoundByTest, IsThePartThatTakesMostOfTheSteps) {
  EXPECT_EQ(Summarize(WithStep(980, 300)).steps.bound_by, "gpu_work");
  EXPECT_EQ(Summarize(WithStep(980, 600)).steps.bound_by, "exposed_communication");
  RunProfile run = SampleRun();
  for (int i = 0; i < 2; ++i) run.processes[i].clear_device_times();
  EXPECT_EQ(Summarize(run).steps.bound_by, "");
}

TEST(OrderTest, ALossComesBeforeWhatIsSlow) {
  RunProfile run = SampleRun();                       // idle for 85 %: a warning
  v1::TimeRow& time = *run.processes[0].add_times();  // and 100 of 1230 ns of unknown kernels
  time = run.processes[0].times(0);
  time.set_category(v1::TIME_CATEGORY_UNKNOWN);
  time.set_gpu_time_ns(100);
  const Summary summary = Summarize(run);
  size_t loss = 0, slow = 0;
  for (size_t i = 0; i < summary.findings.size(); ++i) {
    if (summary.findings[i].kind == FindingKind::kUnknownKernels) loss = i + 1;
    if (IsAboutSpeed(summary.findings[i].kind) && slow == 0) slow = i + 1;
  }
  ASSERT_TRUE(loss > 0 && slow > 0);
  EXPECT_LT(loss, slow);
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
    if (IsAboutSpeed(finding.kind)) break;
    const int its = finding.severity == "error" ? 2 : finding.severity == "warning" ? 1 : 0;
    EXPECT_LE(its, gravity);
    gravity = its;
  }
}

}  // namespace
}  // namespace flopsprof::model
