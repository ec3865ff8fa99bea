// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/deepspeed/run_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "tests/unit/viewer/report/sample_run.h"

namespace flopsprof::viewer::deepspeed {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// Two ranks of three steps: a mean is a sixth.
model::RunSums SampleSums() {
  model::RunSums sums;
  sums.summary = SampleSummary();
  sums.report.rank_steps = 6;
  sums.report.in_steps = {sums.summary.totals.work.flops, sums.summary.totals.work.gpu_time_ns};
  // 11 ms, then twice 5 ms on both ranks: 7 ms in the mean.
  for (uint32_t step = 0; step < 3; ++step) {
    model::StepSums line;
    line.step = step;
    line.ranks = line.complete = 2;
    line.wall_ns = step == 0 ? 22000000 : 10000000;
    sums.report.steps.push_back(line);
  }
  sums.summary.totals.work.communication_ns = 10000;  // of the backward
  return sums;
}

std::string PageOfSums(const model::RunSums& sums, const GivenFacts& given = {}) {
  return RunPage(sums, {}, given);
}

model::ModuleSummary& ModuleAt(model::RunSums* sums, const std::string& path) {
  for (model::ModuleSummary& module : sums->summary.modules) {
    if (module.path == path) return module;
  }
  ADD_FAILURE() << path;
  return sums->summary.modules.front();
}

// What stands behind the label.
std::string ValueOf(const std::string& page, const std::string& label) {
  const size_t begin = page.find("\n" + label);
  if (begin == std::string::npos) return "no such line";
  const size_t end = page.find('\n', begin + 1);
  const std::string value = page.substr(begin + 1 + label.size(), end - begin - 1 - label.size());
  const size_t first = value.find_first_not_of(' ');
  return value.substr(first, value.find_last_not_of(' ') + 1 - first);
}

TEST(DeepSpeedRunPageTest, FiguresAreOfAStepOfARank) {
  const std::string page = PageOfSums(SampleSums());
  EXPECT_THAT(page, HasSubstr("\nProfile Summary at step 3:\n"));
  EXPECT_EQ(ValueOf(page, "fwd MACs per GPU:"), "4 KMACs");
  EXPECT_EQ(ValueOf(page, "fwd flops per GPU:"), "8 K");
  EXPECT_EQ(ValueOf(page, "fwd latency:"), "4 us");
  EXPECT_EQ(ValueOf(page, "bwd latency:"), "8 us");
  EXPECT_EQ(ValueOf(page, "iter latency:"), "12 us");
  EXPECT_THAT(page, HasSubstr("\nNet(\n  1.01 K = 100% Params, 4 KMACs = 100% MACs, 4 us = 100% "
                              "latency, 2 GFLOPS\n  (layers): ModuleList(\n"));
  EXPECT_THAT(page,
              HasSubstr("\n    (3): Block(\n      250 = 24.75% Params, 1 KMACs = 25% MACs, 1 "
                        "us = 25% latency, 2 GFLOPS\n      (fc): Linear(250 = 24.75% Params, "
                        "1 KMACs = 25% MACs, 1 us = 25% latency, 2 GFLOPS)\n    )\n  )\n)\n"));
  EXPECT_THAT(page, HasSubstr("- mean over 3 steps (0 to 2) on each of 2 ranks\n"));
  EXPECT_THAT(page, HasSubstr("- GPU is simulated"));
}

TEST(DeepSpeedRunPageTest, TheMeasuredBackwardStandsBesideTheFormula) {
  model::RunSums sums = SampleSums();
  SetPhase(v1::PHASE_BACKWARD, 72000, 48000, &sums.summary.modules[0].inclusive);
  SetPhase(v1::PHASE_RECOMPUTE, 6000, 0, &sums.summary.modules[0].inclusive);
  const std::string page = PageOfSums(sums);
  EXPECT_EQ(ValueOf(page, "measured bwd flops per GPU:"), "12 K");
  EXPECT_EQ(ValueOf(page, "measured recompute flops per GPU:"), "1 K");
  EXPECT_EQ(ValueOf(page, "their formula = 2 * fwd flops per GPU:"), "16 K");
  EXPECT_EQ(ValueOf(page, "bwd FLOPS per GPU = 2 * fwd flops per GPU / bwd latency:"), "2 GFLOPS");
  // 13000 in 8 us; with the forward 21000 in 12 us, and in the 7 ms of a step.
  EXPECT_EQ(ValueOf(page, "measured bwd FLOPS = bwd and recompute flops / bwd latency:"),
            "1.62 GFLOPS");
  EXPECT_EQ(ValueOf(page, "measured FLOPS = fwd, bwd and recompute flops / iter latency:"),
            "1.75 GFLOPS");
  EXPECT_EQ(ValueOf(page, "measured FLOPS = fwd, bwd and recompute flops / this mean:"),
            "3 MFLOPS");
  EXPECT_THAT(page, HasSubstr("\n| Net(\n|   13 K = 1.62 * fwd flops, 8 us, 1.62 GFLOPS\n"));
  EXPECT_THAT(page, HasSubstr("(fc): Linear(4 K = 2 * fwd flops, 2 us, 2 GFLOPS)"));
}

// Programs search for the beginning of a line.
TEST(DeepSpeedRunPageTest, NoLineBehindTheLayoutBeginsAsOneOfIt) {
  const std::string page = PageOfSums(SampleSums());
  const size_t rule = page.find("\n" + std::string(78, '-') + "\n");
  ASSERT_NE(rule, std::string::npos);
  std::set<std::string> beginnings;
  std::istringstream layout(page.substr(0, rule));
  for (std::string line; std::getline(layout, line);) {
    line = line.substr(0, line.find_first_of(":="));
    if (line.find_first_not_of(" )-") != std::string::npos) beginnings.insert(line);
  }
  EXPECT_THAT(beginnings, ::testing::Contains("FLOPS per GPU "));
  EXPECT_THAT(beginnings, ::testing::Contains("      (fc)"));
  std::istringstream behind(page.substr(rule + 80));
  for (std::string line; std::getline(behind, line);) {
    for (const std::string& beginning : beginnings) EXPECT_NE(line.rfind(beginning, 0), 0) << line;
  }
}

TEST(DeepSpeedRunPageTest, WhatARunDoesNotRecordIsUnknown) {
  const std::string page = PageOfSums(SampleSums());
  EXPECT_EQ(ValueOf(page, "world size:"), "2");
  for (const char* label :
       {"data parallel size:", "model parallel size:", "batch size per GPU:",
        "params of model = params per GPU * mp_size:",
        "fwd flops of model = fwd flops per GPU * mp_size:", "samples/second:"}) {
    EXPECT_EQ(ValueOf(page, label), "unknown") << label;
  }
  EXPECT_THAT(page, HasSubstr("- model parallel size: not recorded; say it with --mp-size N\n"));
}

TEST(DeepSpeedRunPageTest, AModelParallelSizeMayBeGiven) {
  const std::string page = PageOfSums(SampleSums(), {.mp_size = 2});
  EXPECT_EQ(ValueOf(page, "model parallel size:"), "2");
  EXPECT_EQ(ValueOf(page, "data parallel size:"), "1");
  EXPECT_EQ(ValueOf(page, "params of model = params per GPU * mp_size:"), "2.02 K");
  EXPECT_EQ(ValueOf(page, "fwd flops of model = fwd flops per GPU * mp_size:"), "16 K");
  EXPECT_EQ(ValueOf(PageOfSums(SampleSums(), {.mp_size = 4}), "data parallel size:"), "unknown");
}

TEST(DeepSpeedRunPageTest, OneRankIsTheWholeModel) {
  model::RunSums sums = SampleSums();
  sums.summary.job.world_size = 1;
  const std::string page = PageOfSums(sums);
  EXPECT_EQ(ValueOf(page, "data parallel size:"), "1");
  EXPECT_EQ(ValueOf(page, "params of model = params per GPU * mp_size:"), "1.01 K");
}

TEST(DeepSpeedRunPageTest, AnUnknownCountIsNoZero) {
  model::RunSums sums = SampleSums();
  model::ModuleSummary& module = ModuleAt(&sums, "layers.3.fc");
  module.params.reset();
  module.inclusive.flops[v1::PHASE_FORWARD].reset();
  module.inclusive.flops[v1::PHASE_BACKWARD].reset();
  const std::string page = RunPage(sums, {.module_depth = 4, .top_modules = 2}, {});
  EXPECT_THAT(page, HasSubstr("(fc): Linear(unknown = unknown Params, unknown = unknown MACs, 1 us "
                              "= 25% latency, unknown)"));
  EXPECT_THAT(page, HasSubstr("(fc): Linear(unknown = unknown * fwd flops, 2 us, unknown)"));
  // Three of its four instances are known, which is no sum of the class.
  EXPECT_THAT(page,
              HasSubstr("depth 3:\n    params      - {'Linear': 'unknown'}\n    MACs        - "
                        "{'Linear': 'unknown'}\n    fwd latency - {'Linear': '4 us'}\n"));
}

TEST(DeepSpeedRunPageTest, ATimeThatIsNotWholeIsUnknown) {
  model::RunSums sums = SampleSums();
  sums.summary.totals.work.time_incomplete[v1::PHASE_BACKWARD] = true;
  ModuleAt(&sums, "layers.3.fc").inclusive.time_incomplete[v1::PHASE_FORWARD] = true;
  const std::string page = PageOfSums(sums);
  EXPECT_EQ(ValueOf(page, "fwd latency:"), "4 us");
  for (const char* label :
       {"bwd latency:", "iter latency:", "bwd FLOPS per GPU = 2 * fwd flops per GPU / bwd latency:",
        "FLOPS per GPU = 3 * fwd flops per GPU / iter latency:"}) {
    EXPECT_EQ(ValueOf(page, label), "unknown") << label;
  }
  EXPECT_THAT(page, HasSubstr("1 KMACs = 25% MACs, unknown = unknown latency, unknown)"));
}

TEST(DeepSpeedRunPageTest, WorkOfTheCpuIsUnknown) {
  model::RunSums sums = SampleSums();
  ModuleAt(&sums, "layers.3.fc").on_cpu = model::OnCpu::kAll;
  const std::string page = PageOfSums(sums);
  EXPECT_THAT(page, HasSubstr("(fc): Linear(250 = 24.75% Params, unknown = unknown MACs, unknown = "
                              "unknown latency, unknown)"));
  EXPECT_THAT(page, HasSubstr("- modules that worked on the CPU, where nothing is counted: 1\n"));
}

// Step 1 of both ranks did what every step did, in half of the mean's time.
StepPart SamplePart() {
  StepPart part;
  part.rank_steps = part.whole_steps = part.ranks = 2;
  part.wall_ns = 10000000;
  part.first = part.last = 1;
  for (auto& flops : part.work.flops) flops = 0;
  for (auto& ns : part.work.gpu_time_ns) ns = 0;
  part.work.flops[v1::PHASE_FORWARD] = 16000;
  part.work.gpu_time_ns[v1::PHASE_FORWARD] = 4000;
  part.work.flops[v1::PHASE_BACKWARD] = 32000;
  part.work.gpu_time_ns[v1::PHASE_BACKWARD] = 8000;
  return part;
}

TEST(DeepSpeedRunPageTest, APageOfAStepHasItsTotals) {
  const StepParts parts = {SamplePart(), {}};
  const std::string page = RunPage(SampleSums(), {}, {}, &parts);
  EXPECT_THAT(page, HasSubstr("\nProfile Summary at step 2:\n"));
  EXPECT_EQ(ValueOf(page, "fwd flops per GPU:"), "8 K");
  EXPECT_EQ(ValueOf(page, "fwd latency:"), "2 us");
  EXPECT_EQ(ValueOf(page, "bwd latency:"), "4 us");
  EXPECT_EQ(ValueOf(page, "measured wall clock of a step, mean:"), "5 ms");
  // Modules: flops of the step, the mean time of all.
  EXPECT_THAT(page, HasSubstr("\n  1.01 K = 100% Params, 4 KMACs = 100% MACs, 4 us = 100% "));
  EXPECT_THAT(page, HasSubstr("- mean over 1 step (1) on each of 2 ranks\n"));
  EXPECT_THAT(page, HasSubstr("over all 6 recorded steps of all ranks, and as each of these did "
                              "equally many flops, flops are those of this step; flopsprof-run "
                              "--steps 1:2 records it alone\n"));
}

TEST(DeepSpeedRunPageTest, FlopsOfModulesAreUnknownWhereStepsDiffer) {
  StepParts parts = {SamplePart(), {}};
  parts.run.same_forward = false;
  parts.run.work.flops[v1::PHASE_FORWARD] = 12000;
  const std::string page = RunPage(SampleSums(), {}, {}, &parts);
  EXPECT_EQ(ValueOf(page, "fwd flops per GPU:"), "6 K");
  EXPECT_THAT(page, HasSubstr("1.01 K = 100% Params, unknown = unknown MACs, 4 us = 100% "));
  EXPECT_THAT(page, HasSubstr("flops of this step are unknown; flopsprof-run --steps 1:2"));
  EXPECT_THAT(page, Not(HasSubstr("- work of fwd or bwd is in no step")));
}

v1::ProcessProfile ProcessWithSteps(int pid, const std::vector<uint64_t>& forward_flops) {
  v1::ProcessProfile process;
  process.mutable_key()->set_pid(pid);
  uint32_t number = 0;
  for (const uint64_t flops : forward_flops) {
    v1::StepRow* row = process.add_steps();
    row->set_begin_mono_ns(1000 * (number + 1));
    row->set_end_mono_ns(1000 * (number + 1) + 500);
    row->set_complete(true);
    row->set_step(number++);
    row->add_flops();  // other
    row->add_flops()->set_low(flops);
    row->add_gpu_time_ns(0);
    row->add_gpu_time_ns(7);
  }
  return process;
}

TEST(PartsOfStepsTest, AddsUpTheStepsOfTheRange) {
  model::RunProfile run;
  run.processes = {ProcessWithSteps(1, {10, 10, 10}), ProcessWithSteps(2, {10, 10, 10})};
  const StepPart part = PartsOfSteps(run, {}, {1, 3}).run;
  EXPECT_EQ(part.rank_steps, 4u);
  EXPECT_EQ(part.whole_steps, 4u);
  EXPECT_EQ(part.ranks, 2u);
  EXPECT_EQ(part.wall_ns, 2000u);
  EXPECT_EQ(part.first, 1u);
  EXPECT_EQ(part.last, 2u);
  EXPECT_EQ(part.work.flops[v1::PHASE_FORWARD], model::FlopCount{40});
  EXPECT_EQ(part.work.gpu_time_ns[v1::PHASE_FORWARD], 28u);
  EXPECT_TRUE(part.same_forward);
  EXPECT_EQ(PartsOfSteps(run, {}, {3, 9}).run.rank_steps, 0u);
}

TEST(PartsOfStepsTest, AStepOutsideOfTheRangeMayDiffer) {
  model::RunProfile run;
  run.processes = {ProcessWithSteps(1, {10, 10}), ProcessWithSteps(2, {10, 11})};
  EXPECT_FALSE(PartsOfSteps(run, {}, {0, 1}).run.same_forward);
  EXPECT_TRUE(PartsOfSteps(run, {}, {0, 1}).run.same_backward);
}

TEST(PartsOfStepsTest, EachProgramHasItsOwn) {
  model::RunProfile run;
  run.processes = {ProcessWithSteps(1, {10}), ProcessWithSteps(2, {30})};
  model::Summary summary;
  summary.programs.resize(2);
  summary.programs[0].processes = {{"", 2, 0, 0}};
  summary.programs[1].processes = {{"", 1, 0, 0}};
  const StepParts parts = PartsOfSteps(run, summary, {0, 1});
  ASSERT_EQ(parts.programs.size(), 2u);
  EXPECT_EQ(parts.programs[0].work.flops[v1::PHASE_FORWARD], model::FlopCount{30});
  EXPECT_EQ(parts.programs[1].work.flops[v1::PHASE_FORWARD], model::FlopCount{10});
  EXPECT_TRUE(parts.programs[0].same_forward);
}

TEST(DeepSpeedRunPageTest, WithoutStepsFiguresAreOfAForward) {
  model::RunSums sums = SampleSums();
  sums.report = {};
  sums.summary.steps = {};
  for (model::ModuleSummary& module : sums.summary.modules) {
    SetPhase(v1::PHASE_FORWARD, 0, 0, &module.inclusive);
    SetPhase(v1::PHASE_BACKWARD, 0, 0, &module.inclusive);
  }
  SetPhase(v1::PHASE_EVALUATION, 30000, 12000, &sums.summary.modules[0].inclusive);
  sums.summary.totals.work = sums.summary.modules[0].inclusive;
  const std::string page = PageOfSums(sums);
  EXPECT_THAT(page, HasSubstr("\nProfile Summary at step unknown:\n"));
  EXPECT_EQ(ValueOf(page, "fwd flops per GPU:"), "5 K");
  EXPECT_EQ(ValueOf(page, "fwd latency:"), "2 us");
  EXPECT_EQ(ValueOf(page, "bwd latency:"), "no such line");
  EXPECT_THAT(page, HasSubstr("- mean over 6 forwards of the model\n"));
}

// Nobody knows how often the model ran: the run is not one forward.
void ExpectNoMean(const model::RunSums& sums) {
  const std::string page = PageOfSums(sums);
  for (const char* label : {"fwd MACs per GPU:", "fwd flops per GPU:", "fwd latency:"}) {
    EXPECT_EQ(ValueOf(page, label), "unknown") << label;
  }
  EXPECT_EQ(ValueOf(page, "params per GPU:"), "1.01 K");
  EXPECT_THAT(page, HasSubstr("\n- a mean of forwards, as there are no steps; how many is not "
                              "known: "));
}

model::RunSums SumsWithoutSteps() {
  model::RunSums sums = SampleSums();
  sums.report = {};
  sums.summary.steps = {};
  return sums;
}

TEST(DeepSpeedRunPageTest, WithoutKnownCallsNoFigureIsOfAForward) {
  model::RunSums sums = SumsWithoutSteps();
  for (model::ModuleSummary& module : sums.summary.modules) module.calls.reset();
  ExpectNoMean(sums);
  ModuleAt(&sums, "layers").calls = 6;  // the model itself was not called
  ExpectNoMean(sums);
}

TEST(DeepSpeedRunPageTest, ModelsThatAreCalledDifferentlyHaveNoCommonForward) {
  model::RunSums sums = SumsWithoutSteps();
  const model::Work none = MakeWork(0, 0, 0, 0);
  sums.summary.modules.push_back(MakeModule("(program 1)", "Judge", 0, 6, none, none));
  EXPECT_EQ(ValueOf(PageOfSums(sums), "fwd flops per GPU:"), "8 K");
  ModuleAt(&sums, "(program 1)").calls = 3;
  ExpectNoMean(sums);
}

TEST(DeepSpeedRunPageTest, CallsInTrainingAndEvaluationAreNoMean) {
  model::RunSums sums = SumsWithoutSteps();
  SetPhase(v1::PHASE_EVALUATION, 48000, 24000, &sums.summary.totals.work);
  ExpectNoMean(sums);
}

TEST(DeepSpeedRunPageTest, CommunicationInTheLatenciesIsSaid) {
  model::RunSums sums = SampleSums();
  const std::string latencies =
      "- latencies: GPU time of all kernels that were launched there, not the wall clock";
  // 10 us of the backward by six.
  EXPECT_THAT(
      PageOfSums(sums),
      HasSubstr(latencies + "; communication and its waiting is 0 s of fwd, 1.67 us of bwd, "
                            "0 s of step\n- FLOPS: flops over these latencies, as in "
                            "DeepSpeed, so that communication lowers them\n"));
  // Of 2 us nobody told the phase.
  sums.summary.totals.work.communication_ns = 12000;
  EXPECT_THAT(PageOfSums(sums), HasSubstr("its waiting is unknown of fwd, unknown of bwd, unknown "
                                          "of step\n"));
  sums.summary.totals.work.communication_ns = 0;
  sums.summary.collectives.clear();
  EXPECT_THAT(PageOfSums(sums), HasSubstr(latencies + "\n"));
}

TEST(DeepSpeedRunPageTest, RatesOverTheWallClockAreOfTheSameSteps) {
  model::RunSums sums = SampleSums();
  std::string page = PageOfSums(sums);
  // 8000 forward and 16000 backward flops.
  EXPECT_EQ(ValueOf(page, "measured wall clock of a step, mean:"), "7 ms");
  EXPECT_EQ(ValueOf(page, "measured FLOPS = fwd, bwd and recompute flops / this mean:"),
            "3.43 MFLOPS");
  EXPECT_EQ(ValueOf(page, "measured wall clock of a step, median of those in the notes:"), "5 ms");
  EXPECT_THAT(page, HasSubstr("- wall clock: the mean is over the same steps; the median is over 4 "
                              "of these 6, without step 0 and those in which something was "
                              "compiled or tuned\n"));
  sums.report.steps[2].complete = 1;
  sums.report.steps[2].wall_ns = 5000000;
  page = PageOfSums(sums);
  EXPECT_EQ(ValueOf(page, "measured wall clock of a step, mean:"), "unknown");
  EXPECT_EQ(ValueOf(page, "measured FLOPS = fwd, bwd and recompute flops / this mean:"), "unknown");
  EXPECT_THAT(page,
              HasSubstr("- wall clock: the mean is not known, for 1 of these 6 are not whole; "
                        "the median is over 4 "));
}

TEST(DeepSpeedRunPageTest, StepsThatNotAllRanksHaveAreSaidTogether) {
  model::RunSums sums = SampleSums();
  sums.report.rank_steps = 5;
  EXPECT_THAT(PageOfSums(sums), HasSubstr("- mean over 5 steps (0 to 2) of 2 ranks\n"));
}

// Sums of modules are over the run: a figure of a step is known only if all of it is in steps.
TEST(DeepSpeedRunPageTest, FlopsAndTimesAreOfTheSameSteps) {
  model::RunSums sums = SampleSums();
  sums.report.in_steps.flops[v1::PHASE_FORWARD] = 42000;
  sums.report.in_steps.gpu_time_ns[v1::PHASE_FORWARD] = 21000;
  std::string page = PageOfSums(sums);
  // 42000 flops and 21 us by six.
  EXPECT_EQ(ValueOf(page, "fwd flops per GPU:"), "7 K");
  EXPECT_EQ(ValueOf(page, "fwd MACs per GPU:"), "3.5 KMACs");
  EXPECT_EQ(ValueOf(page, "fwd latency:"), "3.5 us");
  EXPECT_EQ(ValueOf(page, "fwd FLOPS per GPU = fwd flops per GPU / fwd latency:"), "2 GFLOPS");
  EXPECT_THAT(page, HasSubstr("\nNet(\n  1.01 K = 100% Params, unknown = unknown MACs, unknown = "
                              "unknown latency, unknown\n"));
  EXPECT_THAT(page, HasSubstr("\n| Net(\n|   16 K = unknown * fwd flops, 8 us, 2 GFLOPS\n"));
  EXPECT_THAT(page, HasSubstr("- fwd flops in no step, in the whole run: 6 K\n- work of fwd or bwd "
                              "is in no step: what modules did of it is not known, so "));
  // Part of the flops in steps may be outside of modules, or the CPU's.
  ModuleAt(&sums, "(outside)").inclusive.flops[v1::PHASE_FORWARD] = 600;
  page = PageOfSums(sums);
  EXPECT_EQ(ValueOf(page, "fwd flops per GPU:"), "unknown");
  EXPECT_EQ(ValueOf(page, "fwd latency:"), "3.5 us");
  ModuleAt(&sums, "(outside)").inclusive.flops[v1::PHASE_FORWARD] = 0;
  ModuleAt(&sums, "").on_cpu = model::OnCpu::kAll;
  EXPECT_EQ(ValueOf(PageOfSums(sums), "fwd flops per GPU:"), "unknown");
}

TEST(DeepSpeedRunPageTest, WhatIsInNoModuleIsSaid) {
  model::RunSums sums = SampleSums();
  ModuleAt(&sums, "(outside)").inclusive.flops[v1::PHASE_FORWARD] = 600;
  sums.summary.totals.work.unknown_gpu_time_ns = 6000;
  const std::string page = PageOfSums(sums);
  EXPECT_THAT(page, Not(HasSubstr("in no step")));
  EXPECT_THAT(page, HasSubstr("- fwd flops outside of modules, in no line above: 100 \n"));
  EXPECT_THAT(page,
              HasSubstr("- GPU time in kernels whose flops are not known, in the whole run: 6 "
                        "us; counts are lower bounds\n"));
}

TEST(DeepSpeedRunPageTest, ASizeThatDoesNotDivideTheRanksIsWrong) {
  model::RunSums sums = SampleSums();
  EXPECT_EQ(ErrorInSizes(sums, {}), "");
  EXPECT_EQ(ErrorInSizes(sums, {.mp_size = 2}), "");
  EXPECT_EQ(ErrorInSizes(sums, {.mp_size = 3}),
            "--mp-size 3 does not divide the 2 ranks of this run");
  model::ProgramSummary program;
  program.number = 1;
  program.own = SampleSummary();
  program.own.job.world_size = 1;
  sums.summary.programs = {program};
  EXPECT_EQ(ErrorInSizes(sums, {.mp_size = 2}),
            "--mp-size 2 does not divide the 1 rank of program 1");
  // The launcher did not say how many there are.
  sums.summary.programs.clear();
  sums.summary.job.world_size.reset();
  EXPECT_EQ(ErrorInSizes(sums, {.mp_size = 3}), "");
}

TEST(DeepSpeedRunPageTest, WhatContradictsTheLayoutIsSaid) {
  model::RunSums sums = SampleSums();
  std::string page = PageOfSums(sums);
  EXPECT_THAT(page, HasSubstr("\n- DeepSpeed's note 3 is not so here: "));
  EXPECT_THAT(page, Not(HasSubstr("models: params")));
  const model::Work none = MakeWork(0, 0, 0, 0);
  sums.summary.modules.push_back(MakeModule("(program 1)", "Stage", 90, 6, none, none));
  page = PageOfSums(sums);
  EXPECT_EQ(ValueOf(page, "params per GPU:"), "1.1 K");
  EXPECT_THAT(page, HasSubstr("\n- 2 models: params are the sum of all of them, also where a rank "
                              "has one alone, as a stage of a pipeline; "));
}

TEST(DeepSpeedRunPageTest, ADepthBeyondTheModelIsSaid) {
  const std::string page = RunPage(SampleSums(), {.module_depth = 9}, {});
  EXPECT_THAT(page, HasSubstr("\ndepth 3:\n"));
  EXPECT_THAT(page, Not(HasSubstr("\ndepth 4:\n")));
  EXPECT_THAT(page, HasSubstr("- the model has 4 depths: all of them are shown\n"));
}

TEST(DeepSpeedRunPageTest, NamesControlNoTerminal) {
  model::RunSums sums = SampleSums();
  ModuleAt(&sums, "layers.3.fc").class_name = "Lin\x1b[31mear";
  EXPECT_THAT(PageOfSums(sums), Not(HasSubstr("\x1b")));
}

TEST(DeepSpeedRunPageTest, EachProgramHasAPage) {
  model::RunSums sums = SampleSums();
  for (const int number : {0, 1}) {
    model::ProgramSummary program;
    program.number = number;
    program.command = "python train" + std::to_string(number) + ".py";
    program.own = SampleSummary();
    sums.summary.programs.push_back(program);
    sums.report.programs.push_back(SampleSums().report);
  }
  const std::string page = PageOfSums(sums);
  // All pages, then what no line of a layout is in.
  const size_t first = page.find("Profile Summary at step 3:");
  const size_t second = page.find("Profile Summary at step 3:", first + 1);
  ASSERT_NE(second, std::string::npos);
  const size_t behind = page.find("Measured by flopsprof");
  EXPECT_GT(behind, second);
  EXPECT_GT(page.find("- page 1 is of program 0: python train0.py\n"), behind);
  EXPECT_THAT(page, HasSubstr("- page 2 is of program 1: python train1.py\n"));
}

TEST(DeepSpeedRunPageTest, WithoutModulesThereIsNone) {
  model::RunSums sums = SampleSums();
  sums.summary.modules.clear();
  EXPECT_EQ(PageOfSums(sums), "");
}

}  // namespace
}  // namespace flopsprof::viewer::deepspeed
