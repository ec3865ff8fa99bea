// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "collector/model/summary.h"
#include "collector/model/summary_json.h"
#include "sample_run.h"
#include "summary_lookup.h"

namespace flopsprof::model {
namespace {

// A finding says what its evidence proves, and no more.

// Step 0 of both ranks did `times` the work of the later one in `phase`.
RunProfile MoreInStepZero(v1::Phase phase, uint64_t flops) {
  RunProfile run = SampleRun();
  for (int i = 0; i < 2; ++i) {
    for (v1::StepRow& step : *run.processes[i].mutable_steps()) {
      while (step.flops_size() < 9) step.add_flops();
      if (step.step() == 0) {
        v1::Count& count = *step.mutable_flops(phase);
        count.set_low(count.low() + flops);
      }
    }
  }
  return run;
}

TEST(FirstStepTest, WithoutASignOfTuningNobodySaysTuning) {
  const Summary summary = Summarize(MoreInStepZero(v1::PHASE_FORWARD, 5000));
  EXPECT_TRUE(HasFinding(summary, "no sign of tuning was seen"));
  EXPECT_FALSE(HasFinding(summary, "tuning runs are in the totals"));
  EXPECT_EQ(summary.steps.first_step_phase, "forward");
  EXPECT_EQ(summary.steps.tuning_sign, "");
}

TEST(FirstStepTest, EvaluationInItIsSaidAsThat) {
  const Summary summary = Summarize(MoreInStepZero(v1::PHASE_EVALUATION, 5000));
  EXPECT_TRUE(HasFinding(summary, "evaluation ran in it"));
  EXPECT_FALSE(HasFinding(summary, "tuning"));
}

TEST(FirstStepTest, AModeThatTunesIsASign) {
  RunProfile run = MoreInStepZero(v1::PHASE_FORWARD, 5000);
  (*run.processes[0].mutable_notes())["tuning"] = "torch.backends.cudnn.benchmark";
  const Summary summary = Summarize(run);
  EXPECT_TRUE(HasFinding(summary, "tuning runs are in the totals"));
  EXPECT_EQ(summary.steps.tuning_sign, "torch.backends.cudnn.benchmark is on");
}

TEST(FirstStepTest, ATuningRangeWithCallsIsASign) {
  RunProfile run = MoreInStepZero(v1::PHASE_FORWARD, 5000);
  v1::Scope& range = *run.processes[0].add_scopes();
  range.set_id(90);
  range.set_kind(v1::SCOPE_KIND_RANGE);
  range.set_name("(autotuning)");
  EXPECT_FALSE(HasFinding(Summarize(run), "tuning runs are"));
  v1::CallRow& call = *run.processes[0].add_calls();
  call = run.processes[0].calls(0);
  call.set_scope(90);
  EXPECT_TRUE(HasFinding(Summarize(run), "tuning runs are"));
}

TEST(FirstStepTest, ShapesRunMoreOftenThanTheirModuleWasCalledAreASign) {
  RunProfile run = MoreInStepZero(v1::PHASE_FORWARD, 1500);
  // Two calls of the module, three more of its product: 500 flops each.
  for (int i = 0; i < 2; ++i) {
    v1::CallRow& call = *run.processes[i].mutable_calls(0);
    call.set_calls(5);
    call.mutable_flops()->set_low(5 * 500);
  }
  EXPECT_FALSE(HasFinding(Summarize(run), "tuning runs are"));  // one of 500 is no half of 1500
  for (int i = 0; i < 2; ++i) {
    v1::ProcessProfile& process = run.processes[i];
    process.mutable_scope_calls(2)->set_calls(4);  // of scope 3
    process.mutable_calls(0)->set_calls(7);
    process.mutable_calls(0)->mutable_flops()->set_low(7 * 500);
  }
  EXPECT_TRUE(HasFinding(Summarize(run), "tuning runs are"));
}

TEST(FindingsTest, TimesThatOneRankLacksAreNotThoseOfAll) {
  RunProfile run = SampleRun();
  (*run.processes[1].mutable_loss())["cupti_taken"] = 1;
  EXPECT_TRUE(HasFinding(Summarize(run), "no GPU times of 1 of 2 ranks"));
  (*run.processes[0].mutable_loss())["cupti_taken"] = 1;
  EXPECT_TRUE(HasFinding(Summarize(run), "no GPU times: another tool"));
}

const Finding& FindingOf(const Summary& summary, const std::string& evidence) {
  static const Finding kNone;
  for (const Finding& finding : summary.findings) {
    if (finding.evidence == evidence) return finding;
  }
  return kNone;
}

TEST(FindingsTest, EachReasonOfMissingTimesIsThatOfItsRanksWithWhatToDo) {
  RunProfile run = SampleRun();
  for (v1::ProcessProfile& process : run.processes) (*process.mutable_loss())["cupti_unusable"] = 1;
  (*run.processes[0].mutable_notes())["GPU times"] = "not recorded: refused (f: 35); to mend: ask";
  (*run.processes[1].mutable_notes())["GPU times"] = "not complete: a fault; to mend: look";
  Summary summary = Summarize(run);
  const Finding& none = FindingOf(summary, "not recorded: refused (f: 35)");
  EXPECT_EQ(none.text, "no GPU times of 1 of 2 ranks: CUPTI is missing, too old or refused a call");
  EXPECT_EQ(none.next, "ask");
  const Finding& some = FindingOf(summary, "not complete: a fault");
  EXPECT_EQ(some.text, "GPU times of 1 of 2 ranks are not complete: CUPTI failed");
  EXPECT_EQ(some.next, "look");
  for (v1::ProcessProfile& process : run.processes) {
    process.mutable_notes()->erase("GPU times");
    process.mutable_loss()->erase("cupti_unusable");
    (*process.mutable_notes())["graphs"] = "per node: CUPTI does not time launches of graphs";
  }
  summary = Summarize(run);
  EXPECT_FALSE(HasFinding(summary, "GPU times"));
  EXPECT_TRUE(HasFinding(summary, "CUDA graphs are timed by node"));
}

TEST(FindingsTest, WhatTheEnvironmentAsksForIsNoFaultOfTheMachine) {
  RunProfile run = SampleRun();
  auto& notes = *run.processes[0].mutable_notes();
  (*run.processes[0].mutable_loss())["module_hook_refused"] = 1;
  notes["modules"] = "none: FLOPSPROF_MODULE_HOOK=none";
  notes["backward"] = "not attributed: FLOPSPROF_BACKWARD=none";
  notes["environment"] = "not understood: A=b (used: c)";
  notes["modules_installed"] = "late: a reason";
  const Summary summary = Summarize(run);
  EXPECT_EQ(FindingOf(summary, notes["modules"]).next,
            "it was asked for: run without that variable");
  EXPECT_EQ(FindingOf(summary, notes["backward"]).next,
            "totals are right; without that variable module rows have that part");
  EXPECT_EQ(FindingOf(summary, notes["environment"]).severity, "warning");
  EXPECT_EQ(FindingOf(summary, notes["modules_installed"]).severity, "note");
}

TEST(FindingsTest, CaptureWithoutAReplayLosesNoWork) {
  RunProfile run = SampleRun();
  (*run.processes[0].mutable_loss())["captured_call"] = 2;
  EXPECT_FALSE(HasFinding(Summarize(run), "is not counted, or only in part"));
  EXPECT_TRUE(HasFinding(Summarize(run), "no replay was seen"));
}

TEST(FindingsTest, UnseenProductsHaveNoSingleCauseWhereAnotherIsKnown) {
  RunProfile run = SampleRun();
  v1::KernelRow& kernel = *run.processes[0].add_kernels();
  kernel = run.processes[0].kernels(0);
  kernel.set_name("ampere_sgemm_128x64_tn");
  EXPECT_TRUE(HasFinding(Summarize(run), "kernels of cuBLAS ran outside"));
  (*run.processes[0].mutable_loss())["graph_replay"] = 1;
  EXPECT_FALSE(HasFinding(Summarize(run), "kernels of cuBLAS ran outside"));
}

TEST(SimulatedCardTest, HasNoMfuBecauseItIsSimulated) {
  RunProfile run = SampleRun();
  for (v1::ProcessProfile& process : run.processes) {
    process.mutable_info()->set_simulated(true);
    for (v1::Device& device : *process.mutable_devices())
      device.set_name("NVIDIA H999 (simulated)");
  }
  const Summary summary = Summarize(run);
  EXPECT_EQ(summary.ranks[0].utilisation.why, "the card is simulated");
  EXPECT_EQ(summary.totals.utilisation.why, "rank 0: the card is simulated");
  EXPECT_TRUE(HasFinding(summary, "no MFU: the card is simulated"));
  EXPECT_EQ(ToJson(summary).find("--peak"), std::string::npos);
}

// 2 x 1000 flops of the model in fp32 and 70,000 of the optimizer in bf16, in one step of 1000 ns
// beside the first. An A100's fp32 peak is 19.5e12, its bf16 peak 312e12.
TEST(OptimizerProductsTest, AreFlopsAndInHfuButNotInMfu) {
  ProfileBuilder b(-1);
  b.Gemm(0, v1::PHASE_FORWARD, 2 * 400);
  b.Gemm(0, v1::PHASE_BACKWARD, 2 * 600);
  b.Gemm(0, v1::PHASE_OPTIMIZER, 2 * 70000).set_compute_type("bf16");
  for (const int phase : {1, 2, 4}) {
    b.Time(0, static_cast<v1::Phase>(phase), v1::TIME_CATEGORY_EXACT, 100);
  }
  v1::Device& device = *b.profile().add_devices();
  device.set_name("NVIDIA A100-SXM4-80GB");
  v1::DeviceTime& busy = *b.profile().add_device_times();
  busy.set_busy_ns(300);
  for (uint32_t number = 0; number < 2; ++number) {
    v1::StepRow& step = b.Step(number, 1000 + 1000 * number, 2000 + 1000 * number);
    step.mutable_flops(v1::PHASE_FORWARD)->set_low(400);
    step.mutable_flops(v1::PHASE_BACKWARD)->set_low(600);
    step.mutable_flops(v1::PHASE_OPTIMIZER)->set_low(70000);
  }
  const Summary summary = Summarize(RunOf(b.profile()));
  EXPECT_EQ(summary.totals.work.flops[v1::PHASE_OPTIMIZER], FlopCount{140000});
  EXPECT_NEAR(*summary.totals.utilisation.mfu, 1000 / 19.5e12 / 1000e-9, 1e-12);
  EXPECT_NEAR(*summary.steps.utilisation[1].mfu, 1000 / 19.5e12 / 1000e-9, 1e-12);
  const double executed_s = 1000 / 19.5e12 + 70000 / 312e12;
  EXPECT_NEAR(*summary.totals.utilisation.hfu, executed_s / 1000e-9, 1e-12);
}

}  // namespace
}  // namespace flopsprof::model
