// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include "collector/model/programs.h"
#include "collector/model/rank_claims.h"
#include "collector/model/rank_groups.h"
#include "collector/model/summary.h"
#include "collector/model/summary_json.h"
#include "profile_builder.h"
#include "sample_run.h"
#include "summary_lookup.h"
#include "tests/support/cpu_growth.h"

namespace flopsprof::model {
namespace {

struct Start {
  int rank = -1;
  int pid = 100;
  int parent = 1;
  std::string command = "python a.py";
};

// A process that called a model of one class: `flops` forward and twice as many backward.
v1::ProcessProfile Trained(const Start& start, const std::string& class_name, uint64_t flops) {
  ProfileBuilder b(start.rank, start.pid);
  b.info().set_parent_pid(start.parent);
  b.info().set_command(start.command);
  // Of each some microseconds: none lived together.
  b.info().set_start_utc_ns(start.pid * int64_t{1'000'000'000});
  b.info().set_restart(-1);
  b.ModuleScope(1, 0, "", class_name, 10).ModuleScope(2, 1, "a", "Linear", 11);
  b.Listed(1, 0, "", class_name, 10, flops).Listed(1, 1, "a", "Linear", 11, flops);
  b.Entered(1, v1::PHASE_FORWARD, 1).Entered(2, v1::PHASE_FORWARD, 1);
  b.Gemm(2, v1::PHASE_FORWARD, flops);
  b.Gemm(2, v1::PHASE_BACKWARD, 2 * flops);
  b.Time(2, v1::PHASE_FORWARD, v1::TIME_CATEGORY_EXACT, 10);
  b.Time(2, v1::PHASE_BACKWARD, v1::TIME_CATEGORY_EXACT, 20);
  b.Time(0, v1::PHASE_OTHER, v1::TIME_CATEGORY_COPY, 5);
  v1::StepRow& step = b.Step(0, 1000, 2000);
  step.mutable_flops(v1::PHASE_FORWARD)->set_low(flops);
  step.mutable_flops(v1::PHASE_BACKWARD)->set_low(2 * flops);
  return b.profile();
}

RunProfile RunOfProcesses(std::vector<v1::ProcessProfile> processes) {
  RunProfile run;
  run.run.set_command("bash job.sh");
  for (v1::ProcessProfile& process : processes) run.processes.push_back(std::move(process));
  return run;
}

// Of a run whose only process is not below the launcher.
std::string CommandBeside(const std::string& launched) {
  RunProfile run = RunOfProcesses({Trained({-1, 101, 1, "python train.py"}, "Net", 100)});
  run.processes[0].add_process_lives()->set_ancestor_pid(-1);
  run.run.set_command(launched);
  return Summarize(run, {}).job.command;
}

// Its launcher ended before it, or it is a daemon: it is of the job all the same.
TEST(ProgramsTest, AJobWhoseProcessesAreOrphansKeepsItsCommand) {
  EXPECT_EQ(CommandBeside("bash job.sh"), "bash job.sh");
  EXPECT_EQ(CommandBeside("sleeper 5"), "sleeper 5");
  EXPECT_EQ(CommandBeside("sleep infinity"), "python train.py");
  EXPECT_EQ(CommandBeside("/usr/bin/sleep 3600"), "python train.py");
}

const ModuleSummary* Find(const Summary& summary, const std::string& path) {
  for (const ModuleSummary& module : summary.modules) {
    if (module.path == path) return &module;
  }
  return nullptr;
}

TEST(ProgramsTest, TrainingsOfAScriptHaveTreesOfTheirOwn) {
  const Summary summary =
      Summarize(RunOfProcesses({Trained({-1, 101, 1, "python train.py"}, "Net", 100),
                                Trained({-1, 102, 1, "python other.py"}, "Net", 30)}));
  ASSERT_EQ(summary.programs.size(), 2u);
  EXPECT_EQ(summary.programs[0].command, "python train.py");
  EXPECT_EQ(summary.programs[1].command, "python other.py");
  EXPECT_EQ(Find(summary, "a")->inclusive.flops[v1::PHASE_FORWARD], FlopCount{100});
  EXPECT_EQ(Find(summary, "(program 1).a")->inclusive.flops[v1::PHASE_FORWARD], FlopCount{30});
  EXPECT_EQ(Find(summary, "(program 1).a")->program, 1);
  EXPECT_EQ(Find(summary, "(program 1).a")->program_path, "a");
  EXPECT_EQ(Find(summary, "(program 1)")->class_name, "Net");
  EXPECT_EQ(summary.modules.back().path, "(outside)");
}

TEST(ProgramsTest, PathsAreUniqueAndSelfSumsAreTheTotals) {
  const Summary summary =
      Summarize(RunOfProcesses({Trained({-1, 101}, "Net", 100), Trained({-1, 102}, "Net", 30),
                                Trained({-1, 103}, "Other", 7)}));
  std::set<std::string> paths;
  FlopCount backward = 0;
  uint64_t other_ns = 0;
  for (const ModuleSummary& module : summary.modules) {
    EXPECT_TRUE(paths.insert(module.path).second) << module.path;
    backward += module.self.flops[v1::PHASE_BACKWARD].value_or(0);
    other_ns += module.self.gpu_time_ns[v1::PHASE_OTHER].value_or(0);
  }
  EXPECT_EQ(backward, FlopCount{2 * 137});
  EXPECT_EQ(summary.totals.work.flops[v1::PHASE_BACKWARD], FlopCount{2 * 137});
  EXPECT_EQ(other_ns, 15u);
}

TEST(ProgramsTest, TheMainOneIsWhatTrainedAndNothingInternalIsSaid) {
  RunProfile run =
      RunOfProcesses({Trained({-1, 101}, "Small", 10), Trained({-1, 102}, "Large", 900)});
  run.processes[1].mutable_info()->set_exit_code(3);
  const Summary summary = Summarize(run);
  EXPECT_EQ(summary.ranks[0].program, 0);
  EXPECT_EQ(summary.ranks[0].pid, 102);
  EXPECT_EQ(summary.ranks[0].restart, 0);
  EXPECT_TRUE(HasFinding(summary, "program 0 exited with code 3"));
  EXPECT_TRUE(HasFinding(summary, "the job ran 2 programs"));
  EXPECT_FALSE(HasFinding(summary, "numbered"));
  for (const Finding& finding : summary.findings) {
    EXPECT_EQ((finding.text + finding.evidence).find("restart"), std::string::npos);
  }
}

TEST(ProgramsTest, StepsOfUnrelatedProgramsHaveNoCommonTime) {
  RunProfile run = RunOfProcesses({Trained({-1, 101}, "Net", 100), Trained({-1, 102}, "Net", 30)});
  for (v1::ProcessProfile& process : run.processes) {
    v1::StepRow& step = *process.add_steps();
    step.set_step(1);
    step.set_begin_mono_ns(2000);
    step.set_end_mono_ns(3000);
    step.set_complete(true);
  }
  const Summary summary = Summarize(run);
  EXPECT_EQ(summary.steps.profiled, 4u);
  EXPECT_FALSE(summary.steps.median_ns.has_value());
  EXPECT_FALSE(summary.steps.first.has_value());
  EXPECT_EQ(summary.programs[0].own.steps.profiled, 2u);
  EXPECT_EQ(summary.programs[0].own.steps.median_ns, 1000u);
}

TEST(ProgramsTest, RanksOfOneLaunchAreOneProgram) {
  EXPECT_TRUE(Summarize(SampleRun()).programs.empty());
  // Stages of a pipeline load different models.
  const Summary summary = Summarize(
      RunOfProcesses({Trained({0, 101, 50}, "First", 100), Trained({1, 102, 50}, "Second", 30)}));
  EXPECT_TRUE(summary.programs.empty());
  EXPECT_EQ(summary.ranks[1].label, "rank 1");
}

TEST(ProgramsTest, TwoLaunchesOneAfterTheOtherAreTwo) {
  const Summary summary = Summarize(
      RunOfProcesses({Trained({0, 101, 50}, "Net", 100), Trained({1, 102, 50}, "Net", 100),
                      Trained({0, 201, 60}, "Net", 7), Trained({1, 202, 60}, "Net", 7),
                      Trained({-1, 301, 1}, "Eval", 900)}));
  ASSERT_EQ(summary.programs.size(), 3u);
  ASSERT_EQ(summary.ranks.size(), 5u);
  EXPECT_EQ(summary.ranks[1].label, "rank 1 of program 0");
  EXPECT_EQ(summary.ranks[3].label, "rank 1 of program 1");
  EXPECT_EQ(summary.ranks[4].label, "program 2");
  EXPECT_EQ(Find(summary, "a")->inclusive.flops[v1::PHASE_FORWARD], FlopCount{200});
  EXPECT_EQ(Find(summary, "(program 1).a")->inclusive.flops[v1::PHASE_FORWARD], FlopCount{14});
}

TEST(ProgramsTest, AChildWithoutAModelWorksForItsParent) {
  ProfileBuilder child(-1, 102);
  child.info().set_parent_pid(101);
  child.Time(0, v1::PHASE_OTHER, v1::TIME_CATEGORY_COPY, 3);
  const Summary summary =
      Summarize(RunOfProcesses({Trained({-1, 101}, "Net", 100), child.profile()}));
  EXPECT_TRUE(summary.programs.empty());
  ASSERT_EQ(summary.ranks.size(), 1u);
  EXPECT_EQ(summary.modules.back().inclusive.gpu_time_ns[v1::PHASE_OTHER], 8u);
}

TEST(ProgramsTest, AChildWithAModelOfItsOwnIsAProgram) {
  EXPECT_EQ(
      Summarize(RunOfProcesses({Trained({-1, 101}, "Net", 100), Trained({-1, 102, 101}, "Net", 9)}))
          .programs.size(),
      2u);
  EXPECT_EQ(Summarize(RunOfProcesses(
                          {Trained({0, 101, 50}, "Net", 100), Trained({0, 102, 101}, "Eval", 9)}))
                .programs.size(),
            2u);
}

TEST(ProgramsTest, ProcessesThatCommunicateAreRanksOfOne) {
  RunProfile run = RunOfProcesses({Trained({-1, 101}, "Net", 100), Trained({-1, 102}, "Net", 100)});
  for (v1::ProcessProfile& process : run.processes) {
    v1::CollectiveRow& row = *process.add_collectives();
    row.set_group(77);
    row.set_rank_count(2);
  }
  const Summary summary = Summarize(run);
  EXPECT_TRUE(summary.programs.empty());
  EXPECT_TRUE(HasFinding(summary, "numbered"));
  EXPECT_EQ(summary.ranks[1].rank, 1);
}

TEST(ProgramsTest, SpawnedWorkersWithEqualModelsAreRanksOfOne) {
  const std::string spawn = "python -c from multiprocessing.spawn import spawn_main";
  const auto programs = [&](const char* second) {
    return Summarize(
               RunOfProcesses({Trained({-1, 101, 50, spawn + "(pipe_handle=7)"}, "Net", 100),
                               Trained({-1, 102, 50, spawn + "(pipe_handle=9)"}, second, 100)}))
        .programs.size();
  };
  EXPECT_EQ(programs("Net"), 0u);
  EXPECT_EQ(programs("Other"), 2u);
}

// `count` processes that say rank 0, each with 5,000 steps.
RunProfile LongRunsOfOneRank(uint32_t count) {
  std::vector<v1::ProcessProfile> processes;
  for (uint32_t i = 0; i < count; ++i) {
    const int32_t k = static_cast<int32_t>(i);
    processes.push_back(Trained({.rank = 0, .pid = 100 + 10 * k, .parent = 2000 + k}, "Net", 7));
    for (uint32_t step = 1; step < 5'000; ++step) {
      v1::StepRow& row = *processes.back().add_steps();
      row.set_step(step);
      row.set_begin_mono_ns(1000 + step);
      row.set_end_mono_ns(1001 + step);
    }
  }
  return RunOfProcesses(std::move(processes));
}

size_t CountPrograms(const RunProfile& run) {
  std::vector<const v1::ProcessProfile*> all;
  for (const v1::ProcessProfile& process : run.processes) all.push_back(&process);
  return FindPrograms(all, all, RankClaims(run)).size();
}

TEST(ProgramsTest, LongRunsOfOneRankOneAfterTheOtherAreToldApart) {
  EXPECT_EQ(CountPrograms(LongRunsOfOneRank(100)), 100u);
}

TEST(ProgramsTest, CostOfRunsIsLinear) {
  // 100 x 5,000 rows are looked at, not 100 x 100 x 5,000.
  EXPECT_LT(test::CpuTimesOfSixteenTimesTheSize(24, LongRunsOfOneRank, CountPrograms), 100);
}

TEST(ProgramsTest, TheOrderOfProcessesDoesNotMatter) {
  RunProfile run = RunOfProcesses({Trained({-1, 101}, "Net", 100), Trained({-1, 102}, "Net", 100),
                                   Trained({0, 103, 7}, "Net", 1)});
  const std::string before = ToJson(Summarize(run));
  std::reverse(run.processes.begin(), run.processes.end());
  EXPECT_EQ(ToJson(Summarize(run)), before);
}

}  // namespace
}  // namespace flopsprof::model
