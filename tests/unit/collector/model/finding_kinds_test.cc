// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Every kind of finding is shown by a run that has it, and a run without any fault has none.
#include "collector/model/finding_kinds.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "sample_run.h"
#include "summary_lookup.h"

namespace flopsprof::model {
namespace {

// The two ranks of SampleRun, busy from begin to end, with all kernels known.
RunProfile Healthy() {
  RunProfile run = SampleRun();
  for (int i = 0; i < 2; ++i) {
    v1::ProcessProfile& process = run.processes[i];
    for (v1::StepRow& step : *process.mutable_steps()) {
      step.set_gpu_busy_ns(1000);
      step.set_exposed_communication_ns(0);
    }
    for (v1::TimeRow& time : *process.mutable_times()) {
      if (time.category() != v1::TIME_CATEGORY_UNKNOWN) continue;
      time.set_category(v1::TIME_CATEGORY_NO_PRODUCTS);
    }
    process.mutable_device_times(0)->set_busy_ns(2000);
    process.clear_kernels();
  }
  return run;
}

using Change = std::function<void(RunProfile*)>;

RunProfile Changed(const Change& change) {
  RunProfile run = Healthy();
  change(&run);
  return run;
}

Change Lost(const std::string& counter) {
  return [counter](RunProfile* run) { (*run->processes[0].mutable_loss())[counter] = 1; };
}

Change Noted(const std::string& key, const std::string& text) {
  return [key, text](RunProfile* run) { (*run->processes[0].mutable_notes())[key] = text; };
}

// What both ranks have in their measured step.
Change InStep(const std::function<void(v1::StepRow*)>& change) {
  return [change](RunProfile* run) {
    for (int i = 0; i < 2; ++i) change(run->processes[i].mutable_steps(1));
  };
}

// Idle for 850 of 1000 ns from step 1 on, with 50 kernels; the optimizer ends at `end_ns`.
Change IdleUntil(uint64_t end_ns) {
  return [end_ns](RunProfile* run) {
    *run = SampleRun();
    for (int i = 0; i < 2; ++i) {
      v1::StepLabelRow& label = *run->processes[i].add_step_labels();
      label.set_step(1);
      label.set_number(1);
      label.set_optimizer_steps(1);
      label.set_optimizer_end_mono_ns(end_ns);
      run->processes[i].mutable_steps(1)->set_activities(50);
    }
  };
}

Change MoreInStepZero(bool tuned) {
  return [tuned](RunProfile* run) {
    for (int i = 0; i < 2; ++i) {
      run->processes[i].mutable_steps(0)->mutable_flops(v1::PHASE_FORWARD)->set_low(5000);
    }
    if (tuned) Noted("tuning", "torch.backends.cudnn.benchmark")(run);
  };
}

// Rank 1 takes twice as long, with `flops` in the place of 650.
Change LongerRank(uint64_t flops) {
  return [flops](RunProfile* run) {
    run->processes[0].mutable_steps(1)->set_gpu_busy_ns(500);
    run->processes[1].mutable_steps(1)->mutable_flops(v1::PHASE_FORWARD)->set_low(flops);
  };
}

void MakeStages(RunProfile* run) {
  run->processes[0].mutable_steps(1)->set_gpu_busy_ns(500);
  run->processes[1].mutable_modules(4)->set_path("module.head");
  for (int i = 0; i < 2; ++i) {
    for (v1::CallRow& call : *run->processes[i].mutable_calls()) {
      if (call.kind() == v1::CALL_KIND_COLLECTIVE) call.set_api("ncclSend");
    }
  }
}

// One rank on an A100, busy for two steps of 10 ms, with a product that takes `time_ns`.
Change Product(const std::string& shape, const std::string& type, uint64_t flops,
               uint64_t time_ns) {
  return [=](RunProfile* run) {
    ProfileBuilder b(0);
    b.info().set_world_size(1);
    b.profile().add_devices()->set_name("NVIDIA A100-SXM4-80GB");
    v1::DeviceTime& time = *b.profile().add_device_times();
    time.set_busy_ns(20'000'000);
    time.set_not_communication_ns(20'000'000);
    for (uint32_t step = 0; step < 2; ++step) {
      b.Step(step, 1 + 10'000'000 * step, 1 + 10'000'000 * (step + 1)).set_gpu_busy_ns(10'000'000);
    }
    b.Time(0, v1::PHASE_FORWARD, v1::TIME_CATEGORY_EXACT, 20'000'000);
    v1::CallRow& row = b.Gemm(0, v1::PHASE_FORWARD, flops);
    row.set_shape(shape);
    row.set_compute_type(type);
    row.set_gpu_time_ns(time_ns);
    *run = RunOf(b.profile());
  };
}

void TakeAnUnknownKernel(RunProfile* run) {
  run->processes[0].mutable_times(0)->set_category(v1::TIME_CATEGORY_UNKNOWN);
}

// 500 of 4 us, of a run of 20 ms.
void TakeSmallKernels(RunProfile* run) {
  Product("m=8 n=8 k=8 batch=1 a=bf16 b=bf16 c=bf16", "bf16", 1024, 10'000)(run);
  v1::KernelRow& kernel = *run->processes[0].add_kernels();
  kernel.set_name("relu_kernel");
  kernel.set_kind("kernel");
  kernel.set_category(v1::TIME_CATEGORY_NO_PRODUCTS);
  kernel.set_phase(v1::PHASE_FORWARD);
  kernel.set_count(500);
  kernel.set_gpu_time_ns(2'000'000);
  kernel.set_min_ns(4'000);
  kernel.set_max_ns(4'000);
}

void ClaimTwice(RunProfile* run) {
  run->processes[1] = run->processes[0];
  run->processes[1].mutable_key()->set_node("node-b");
}

void WithoutGpu(RunProfile* run) {
  run->processes[1].clear_times();
  run->processes[1].clear_calls();
  run->processes[1].mutable_info()->set_used_gpu(false);
}

void EndAgent(RunProfile* run) {
  AgentState agent;
  agent.node = "node-a";
  agent.newest_sequence = 7;
  run->agents = {agent};
  run->finished = true;
}

void Kill(RunProfile* run) {
  run->processes[0].mutable_info()->set_state(v1::PROCESS_STATE_SIGNALLED);
  run->processes[0].mutable_info()->set_exit_signal(9);
}

void PutOnCpu(RunProfile* run) {
  for (int i = 0; i < 2; ++i) {
    v1::ProcessProfile& process = run->processes[i];
    v1::Module& module = *process.add_modules();
    module = process.modules(4);
    module.set_order(5);
    module.set_path("module.embedding");
    module.set_object(14);
    v1::ModuleWeights& weights = *process.add_module_weights();
    weights.set_root_scope(module.root_scope());
    weights.set_path(module.path());
    weights.set_weights("weight:8x8 on:cpu");
    v1::Scope& scope = *process.add_scopes();
    scope = process.scopes(3);
    scope.set_id(5);
    scope.set_name("embedding");
    scope.set_object(14);
    v1::ScopeCallRow& calls = *process.add_scope_calls();
    calls = process.scope_calls(3);
    calls.set_scope(5);
  }
}

void RecordOtherSteps(RunProfile* run) {
  for (int i = 0; i < 2; ++i) {
    v1::WindowRow& row = *run->processes[i].add_windows();
    row.set_number(1);
    row.set_end_mono_ns(1000);
    row.set_first_step(i);
    row.set_end_step(i + 1);
  }
}

void ExceedBudget(RunProfile* run) {
  v1::CostRow& cost = *run->processes[0].add_costs();
  cost.set_budget_ppm(10'000);
  cost.set_wall_ns(1'000'000'000);
  cost.set_cost_ns(100'000'000);
}

void AskForMoreSteps(RunProfile* run) {
  run->run.set_first_step(0);
  run->run.set_end_step(10);
}

void TakeNoSteps(RunProfile* run) {
  for (v1::ProcessProfile& process : run->processes) {
    process.clear_steps();
    (*process.mutable_notes())["steps"] = "train_step";
  }
}

void TellNoRanks(RunProfile* run) {
  for (int i = 0; i < 2; ++i) {
    run->processes[i].mutable_info()->set_rank(-1);
    v1::CollectiveRow& row = *run->processes[i].add_collectives();
    row.set_group(77);
    row.set_rank_count(2);
  }
}

void RunAnotherProgram(RunProfile* run) {
  ProfileBuilder b(-1, 300);
  b.ModuleScope(1, 0, "", "Other", 10).Listed(1, 0, "", "Other", 10, 62);
  b.Entered(1, v1::PHASE_FORWARD, 3);
  b.Gemm(1, v1::PHASE_FORWARD, 300, 3);
  b.Time(1, v1::PHASE_FORWARD, v1::TIME_CATEGORY_EXACT, 5);
  run->processes[2] = b.profile();
}

void Repeat(RunProfile* run) {
  v1::TimeRow& time = *run->processes[0].add_times();
  time = run->processes[0].times(0);
  time.set_phase(v1::PHASE_RECOMPUTE);
}

constexpr char kSquare[] = "m=4096 n=4096 k=4096 batch=1 a=bf16 b=bf16 c=bf16";
constexpr char kFloats[] = "m=4096 n=4096 k=4096 batch=1 a=f32 b=f32 c=f32";
constexpr char kOdd[] = "m=4095 n=4096 k=4096 batch=1 a=bf16 b=bf16 c=bf16";
constexpr uint64_t kSquareFlops = 137'438'953'472;

const std::map<FindingKind, Change>& Makers() {
  static const std::map<FindingKind, Change> makers = {
      {FindingKind::kRankClaimedTwice, ClaimTwice},
      {FindingKind::kRanksMissing,
       [](RunProfile* run) { run->processes[0].mutable_info()->set_world_size(4); }},
      {FindingKind::kRanksWithoutGpu, WithoutGpu},
      {FindingKind::kProfileIncomplete, [](RunProfile* run) { run->problems = {"a problem"}; }},
      {FindingKind::kAgentEnded, EndAgent},
      {FindingKind::kProcessEnded, Kill},
      {FindingKind::kNothingRecorded, [](RunProfile* run) { run->processes.clear(); }},
      {FindingKind::kNoGpuTimes, Lost("cupti_taken")},
      {FindingKind::kCuptiStays, Lost("cupti_stays")},
      {FindingKind::kRecordsLost, Lost("ring_full")},
      {FindingKind::kTimesMissing,
       [](RunProfile* run) { run->processes[0].mutable_info()->set_launches_without_activity(1); }},
      {FindingKind::kModulesOnCpu, PutOnCpu},
      {FindingKind::kCalledByForward, Noted("called_by_forward", "fc (Linear) of Net")},
      {FindingKind::kGraphTiming, Noted("graphs", "per node: CUPTI does not time graphs")},
      {FindingKind::kGraphsNotCounted, Lost("graph_replay")},
      {FindingKind::kEnvironment, Noted("environment", "not understood: A=b (used: c)")},
      {FindingKind::kBackwardNotAttributed, Noted("backward", "not attributed: a reason")},
      {FindingKind::kNoModuleNames, Lost("module_hook_refused")},
      {FindingKind::kModulesSeenLate, Noted("modules_installed", "late: a reason")},
      {FindingKind::kCompiledRows, Noted("compiled", "some calls: a reason")},
      {FindingKind::kUnknownKernels, TakeAnUnknownKernel},
      {FindingKind::kCallsNotSeen, Lost("caller_unseen")},
      {FindingKind::kNoSteps, TakeNoSteps},
      {FindingKind::kFirstStep, MoreInStepZero(false)},
      {FindingKind::kTuningRuns, MoreInStepZero(true)},
      {FindingKind::kWindowsDiffer, RecordOtherSteps},
      {FindingKind::kBudgetNotKept, ExceedBudget},
      {FindingKind::kStepsMissing, AskForMoreSteps},
      {FindingKind::kRanksNumbered, TellNoRanks},
      {FindingKind::kPrograms, RunAnotherProgram},
      {FindingKind::kNoMfu,
       [](RunProfile* run) { run->processes[0].mutable_devices(0)->set_name("a card"); }},
      {FindingKind::kIdle, IdleUntil(2500)},
      {FindingKind::kLaunchBound, IdleUntil(2950)},
      {FindingKind::kInputBound, IdleUntil(2100)},
      {FindingKind::kExposedCommunication,
       InStep([](v1::StepRow* step) { step->set_exposed_communication_ns(100); })},
      {FindingKind::kSlowRank, LongerRank(650)},
      {FindingKind::kUnevenRanks, LongerRank(1300)},
      {FindingKind::kUnevenStages, MakeStages},
      {FindingKind::kRecompute, Repeat},
      {FindingKind::kSmallKernels, TakeSmallKernels},
      // At the peaks of an A100 440.5 us, and 7.05 ms in fp32.
      {FindingKind::kSlowProducts, Product(kSquare, "bf16", kSquareFlops, 1'200'000)},
      {FindingKind::kMisalignedProducts, Product(kOdd, "bf16", kSquareFlops, 1'200'000)},
      {FindingKind::kPlainFp32, Product(kFloats, "fp32", kSquareFlops, 7'500'000)},
  };
  return makers;
}

std::vector<FindingKind> KindsOf(const RunProfile& run) {
  std::vector<FindingKind> kinds;
  for (const Finding& finding : Summarize(run).findings) kinds.push_back(finding.kind);
  return kinds;
}

std::string NamesOf(const std::vector<FindingKind>& kinds) {
  std::string names;
  for (const FindingKind kind : kinds) names += std::string(NameOf(kind)) + " ";
  return names;
}

TEST(FindingKindsTest, ARunWithoutAFaultHasNone) { EXPECT_EQ(NamesOf(KindsOf(Healthy())), ""); }

class EachKindTest : public ::testing::TestWithParam<FindingKind> {};

TEST_P(EachKindTest, IsShownByARunThatHasIt) {
  const auto maker = Makers().find(GetParam());
  ASSERT_NE(maker, Makers().end()) << "add a run that has " << NameOf(GetParam());
  const std::vector<FindingKind> kinds = KindsOf(Changed(maker->second));
  EXPECT_EQ(std::count(kinds.begin(), kinds.end(), GetParam()), 1) << NamesOf(kinds);
}

INSTANTIATE_TEST_SUITE_P(All, EachKindTest, ::testing::ValuesIn(AllFindingKinds()),
                         [](const auto& info) { return std::string(NameOf(info.param)); });

}  // namespace
}  // namespace flopsprof::model
