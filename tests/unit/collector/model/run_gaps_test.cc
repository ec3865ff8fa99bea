// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/run_gaps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "collector/model/summary.h"
#include "collector/model/summary_json.h"
#include "sample_run.h"
#include "summary_lookup.h"

namespace flopsprof::model {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr int64_t kSecond = 1'000'000'000;
constexpr int64_t kStart = 1'700'000'000 * kSecond;

// Rank 0 of `world`, on `node`, with a card of its own, from second `begin` to second `end`.
v1::ProcessProfile RankZero(const std::string& node, int64_t begin_s, int64_t end_s,
                            int pid = 100) {
  v1::ProcessProfile process = SampleRank(0, 100);
  process.mutable_key()->set_node(node);
  process.mutable_key()->set_pid(pid);
  process.mutable_key()->set_start_ticks(static_cast<uint64_t>(100 + begin_s));
  process.mutable_info()->set_world_size(1);
  process.mutable_info()->set_start_utc_ns(kStart + begin_s * kSecond);
  process.add_process_lives()->set_until_utc_ns(kStart + end_s * kSecond);
  process.mutable_devices(0)->set_uuid("GPU-" + node + std::to_string(pid));
  return process;
}

RunProfile RunOfAll(const std::vector<v1::ProcessProfile>& processes) {
  RunProfile run;
  run.processes = processes;
  return run;
}

std::vector<std::string> Errors(const Summary& summary) {
  std::vector<std::string> errors;
  for (const Finding& finding : summary.findings) {
    if (finding.severity == "error") errors.push_back(finding.text);
  }
  return errors;
}

// By hand, as in UtilisationIsFlopsAtPeakOverStepTime: two steps of 1000 ns on one card.
constexpr double kMfu = (3000 / 156e12 + 900 / 19.5e12) / 2000e-9;

TEST(RankConflictTest, OneRankOfTwoNodesIsTwoLinesAndAnError) {
  const Summary summary = Summarize(RunOfAll({RankZero("a", 0, 60), RankZero("b", 1, 60)}));
  ASSERT_THAT(summary.ranks, SizeIs(2));
  for (const RankSummary& rank : summary.ranks) {
    EXPECT_EQ(rank.rank, 0);
    EXPECT_TRUE(rank.claimed_twice);
    EXPECT_THAT(rank.devices, SizeIs(1));
    EXPECT_DOUBLE_EQ(*rank.utilisation.mfu, kMfu);
    EXPECT_EQ(rank.work.flops[v1::PHASE_FORWARD], FlopCount(1300));
  }
  EXPECT_EQ(summary.ranks[0].node, "a");
  EXPECT_EQ(summary.ranks[1].node, "b");
  EXPECT_DOUBLE_EQ(*summary.totals.utilisation.mfu, kMfu);
  EXPECT_THAT(Errors(summary), Contains(HasSubstr("rank 0 is claimed by several nodes")));
  EXPECT_THAT(summary.findings[0].evidence, HasSubstr("node a, pid 100"));
  EXPECT_THAT(summary.findings[0].evidence, HasSubstr("node b, pid 100"));
  EXPECT_THAT(summary.coverage.reasons, Contains(HasSubstr("rank 0 is claimed")));
  // The spread is over two, not over one with twice the time.
  EXPECT_EQ(summary.modules[0].ranks.max_ns, summary.modules[0].ranks.min_ns);
}

TEST(RankConflictTest, TwoNodesOfWhoseLivesNothingIsKnownAreAConflict) {
  v1::ProcessProfile a = SampleRank(0, 100);
  v1::ProcessProfile b = SampleRank(0, 100);
  b.mutable_key()->set_node("node-b");
  const Summary summary = Summarize(RunOfAll({a, b}));
  EXPECT_THAT(summary.ranks, SizeIs(2));
  EXPECT_THAT(Errors(summary), Contains(HasSubstr("rank 0 is claimed by several nodes")));
}

TEST(RankConflictTest, TwoLiveProcessesOfOneNodeAreAConflict) {
  const Summary summary =
      Summarize(RunOfAll({RankZero("a", 0, 60, 100), RankZero("a", 1, 60, 200)}));
  ASSERT_THAT(summary.ranks, SizeIs(2));
  EXPECT_DOUBLE_EQ(*summary.totals.utilisation.mfu, kMfu);
  EXPECT_THAT(Errors(summary), Contains(HasSubstr("rank 0 is claimed by several processes")));
}

// The same as RankZero, with what an agent says of its epochs. The node's clock says `utc_s` when
// the process begins, `begin_s` seconds after the node's.
v1::ProcessProfile RankZeroOfBoot(uint64_t boot, int64_t begin_s, int64_t end_s, int pid,
                                  int64_t utc_s) {
  v1::ProcessProfile process = RankZero("a", utc_s, utc_s + end_s - begin_s, pid);
  v1::EpochRow& epoch = *process.add_epochs();
  epoch.set_epoch(static_cast<uint64_t>(pid));
  epoch.set_session(1);
  epoch.set_boot(boot);
  epoch.set_begin_mono_ns(static_cast<uint64_t>(begin_s * kSecond));
  epoch.set_until_mono_ns(static_cast<uint64_t>(end_s * kSecond));
  epoch.set_begin_utc_ns(kStart + utc_s * kSecond);
  return process;
}

constexpr int64_t kHours = 3 * 3600;

TEST(RankConflictTest, AClockThatIsSetForwardHidesNoConflict) {
  const Summary summary = Summarize(
      RunOfAll({RankZeroOfBoot(7, 10, 70, 100, 0), RankZeroOfBoot(7, 15, 70, 200, kHours)}));
  EXPECT_THAT(summary.ranks, SizeIs(2));
  EXPECT_THAT(Errors(summary), Contains(HasSubstr("rank 0 is claimed by several processes")));
}

TEST(RankConflictTest, AClockThatIsSetBackMakesNone) {
  // One after the other; by UTC the second began while the first lived.
  const Summary summary =
      Summarize(RunOfAll({RankZeroOfBoot(7, 10, 10 + kHours, 100, 0),
                          RankZeroOfBoot(7, 20 + kHours, 20 + 2 * kHours, 200, 60)}));
  EXPECT_THAT(summary.ranks, SizeIs(1));
  EXPECT_THAT(Errors(summary), IsEmpty());
}

TEST(RankConflictTest, ClocksOfTwoBootsAreNotCompared) {
  const Summary summary = Summarize(
      RunOfAll({RankZeroOfBoot(7, 10, 70, 100, 0), RankZeroOfBoot(8, 10, 70, 200, kHours)}));
  EXPECT_THAT(summary.ranks, SizeIs(1));
  EXPECT_THAT(Errors(summary), IsEmpty());
}

TEST(RankConflictTest, AClockThatJumpsBetweenTwoSessionsMakesNoLifeLonger) {
  v1::ProcessProfile first = RankZeroOfBoot(7, 10, 70, 100, 0);
  first.mutable_info()->set_start_utc_ns(kStart + kHours * kSecond);  // as its second agent says
  first.mutable_process_lives(0)->set_until_utc_ns(kStart + (kHours + 60) * kSecond);
  v1::EpochRow& second = *first.add_epochs();
  second = first.epochs(0);
  second.set_epoch(101);
  second.set_session(2);
  second.set_begin_utc_ns(kStart + kHours * kSecond);
  v1::ProcessProfile other = RankZero("b", kHours, kHours + 60);
  const Summary summary = Summarize(RunOfAll({first, other}));
  EXPECT_THAT(Errors(summary), IsEmpty());
}

TEST(RankConflictTest, AChildIsOfItsParentsRank) {
  v1::ProcessProfile child = RankZero("a", 1, 50, 200);
  child.mutable_info()->set_parent_pid(100);
  const Summary summary = Summarize(RunOfAll({RankZero("a", 0, 60, 100), child}));
  EXPECT_THAT(summary.ranks, SizeIs(1));
  EXPECT_THAT(Errors(summary), IsEmpty());
  // Each on a card of its own, both with number 0.
  EXPECT_THAT(summary.ranks[0].devices, SizeIs(2));
}

TEST(RankConflictTest, SoIsAGrandchildBehindAShell) {
  v1::ProcessProfile child = RankZero("a", 1, 50, 200);
  child.mutable_info()->set_parent_pid(150);  // a shell, which nobody profiles
  child.mutable_process_lives(0)->set_ancestor_pid(100);
  const Summary summary = Summarize(RunOfAll({RankZero("a", 0, 60, 100), child}));
  EXPECT_THAT(summary.ranks, SizeIs(1));
  EXPECT_THAT(Errors(summary), IsEmpty());
}

TEST(RankConflictTest, WorkersOfAMainProcessWithoutGpuWorkAreOneRank) {
  v1::ProcessProfile main = RankZero("a", 0, 60, 100);
  main.clear_times();
  main.clear_calls();
  main.mutable_info()->set_used_gpu(false);
  std::vector<v1::ProcessProfile> all = {main};
  for (const int pid : {200, 300}) {
    all.push_back(RankZero("a", 1, 50, pid));
    all.back().mutable_info()->set_parent_pid(100);
  }
  const Summary summary = Summarize(RunOfAll(all));
  EXPECT_THAT(summary.ranks, SizeIs(1));
  EXPECT_THAT(Errors(summary), IsEmpty());
}

TEST(RankConflictTest, ALauncherIsNoFamily) {
  v1::ProcessProfile launcher = RankZero("a", 0, 60, 100);
  launcher.mutable_info()->set_rank(-1);
  launcher.mutable_info()->set_used_gpu(false);
  std::vector<v1::ProcessProfile> all = {launcher};
  for (const int pid : {200, 300}) {
    all.push_back(RankZero("a", 1, 50, pid));
    all.back().mutable_info()->set_parent_pid(100);
  }
  EXPECT_THAT(Errors(Summarize(RunOfAll(all))), Contains(HasSubstr("rank 0 is claimed")));
}

TEST(RankConflictTest, ARestartIsNone) {
  v1::ProcessProfile again = RankZero("a", 31, 60, 200);
  again.mutable_info()->set_restart(1);
  const Summary summary = Summarize(RunOfAll({RankZero("a", 0, 30, 100), again}));
  ASSERT_THAT(summary.ranks, SizeIs(2));
  EXPECT_EQ(summary.ranks[1].restart, 1);
  EXPECT_FALSE(summary.ranks[1].claimed_twice);
  EXPECT_THAT(Errors(summary), IsEmpty());
}

TEST(RankConflictTest, RestartsOfWhoseLivesNothingIsKnownAreNone) {
  v1::ProcessProfile again = SampleRank(0, 100);
  again.mutable_info()->set_restart(1);
  again.mutable_key()->set_pid(200);
  EXPECT_THAT(Errors(Summarize(RunOfAll({SampleRank(0, 100), again}))), IsEmpty());
}

TEST(RankConflictTest, ARestartOnAnotherNodeIsNone) {
  for (const int restart : {0, 1}) {
    v1::ProcessProfile again = RankZero("b", 31, 60);
    again.mutable_info()->set_restart(restart);
    const Summary summary = Summarize(RunOfAll({RankZero("a", 0, 30), again}));
    EXPECT_THAT(summary.ranks, SizeIs(2));
    EXPECT_THAT(Errors(summary), IsEmpty()) << restart;
  }
}

TEST(RankConflictTest, ClocksOfTwoNodesMayDifferByASecond) {
  EXPECT_THAT(Errors(Summarize(RunOfAll({RankZero("a", 0, 30), RankZero("b", 29, 60)}))),
              IsEmpty());
  EXPECT_THAT(Errors(Summarize(RunOfAll({RankZero("a", 0, 30), RankZero("b", 27, 60)}))),
              SizeIs(1));
}

TEST(RankConflictTest, ProgramsOneAfterTheOtherStayOneRank) {
  const Summary summary =
      Summarize(RunOfAll({RankZero("a", 0, 30, 100), RankZero("a", 31, 60, 200)}));
  EXPECT_THAT(summary.ranks, SizeIs(1));
  EXPECT_THAT(Errors(summary), IsEmpty());
}

TEST(RankConflictTest, TheOrderOfArrivalDoesNotMatter) {
  const std::vector<v1::ProcessProfile> one = {RankZero("a", 0, 60), RankZero("b", 1, 60),
                                               RankZero("b", 2, 60, 300)};
  const std::vector<v1::ProcessProfile> other = {one[2], one[0], one[1]};
  EXPECT_EQ(ToJson(Summarize(RunOfAll(one))), ToJson(Summarize(RunOfAll(other))));
}

TEST(MissingRanksTest, AreNamed) {
  RunProfile run = RunOfAll({RankZero("a", 0, 60)});
  run.processes[0].mutable_info()->set_world_size(16);
  const Summary summary = Summarize(run);
  EXPECT_TRUE(HasFinding(summary, "ranks 1-15 of 16 are missing"));
  EXPECT_THAT(summary.coverage.reasons, Contains(HasSubstr("ranks 1-15 of 16 are missing")));
  EXPECT_EQ(summary.job.world_size, 16);
}

TEST(MissingRanksTest, WithGapsAndASingleOne) {
  RunProfile run = SampleRun();
  for (v1::ProcessProfile& process : run.processes) {
    if (process.info().rank() < 0) continue;
    process.mutable_info()->set_world_size(6);
    process.mutable_info()->set_rank(process.info().rank() == 0 ? 1 : 3);
  }
  EXPECT_TRUE(HasFinding(Summarize(run), "ranks 0, 2, 4-5 of 6 are missing"));
  for (v1::ProcessProfile& process : run.processes) process.mutable_info()->set_world_size(4);
  run.processes[0].mutable_info()->set_rank(0);
  EXPECT_TRUE(HasFinding(Summarize(run), "ranks 1-2 of 4 are missing"));
}

TEST(MissingRanksTest, NothingIsSaidWhereAllHaveCome) {
  const Summary summary = Summarize(SampleRun());
  EXPECT_FALSE(HasFinding(summary, "missing"));
  EXPECT_THAT(summary.gaps, IsEmpty());
}

TEST(MissingRanksTest, ARankWithoutGpuWorkIsNotMissing) {
  RunProfile run = SampleRun();
  run.processes[1].clear_times();
  run.processes[1].clear_calls();
  run.processes[1].mutable_info()->set_used_gpu(false);
  const Summary summary = Summarize(run);
  EXPECT_FALSE(HasFinding(summary, "missing"));
  EXPECT_TRUE(HasFinding(summary, "rank 1 of 2 recorded no GPU work"));
}

AgentState Agent(const std::string& node, bool finished) {
  AgentState agent;
  agent.node = node;
  agent.finished = finished;
  agent.newest_sequence = 7;
  agent.newest_utc_ns = kStart;
  return agent;
}

TEST(AgentsTest, NothingIsSaidWhereAllHaveFinished) {
  RunProfile run = SampleRun();
  run.agents = {Agent("a", true), Agent("b", true)};
  run.finished = true;
  EXPECT_THAT(Summarize(run).gaps, IsEmpty());
}

TEST(AgentsTest, OneThatNeverFinishedIsAnErrorWithWhatIsMissing) {
  RunProfile run = SampleRun();
  run.agents = {Agent("a", true), Agent("b", false)};
  run.finished = true;
  const Summary summary = Summarize(run);
  ASSERT_THAT(Errors(summary), SizeIs(1));
  EXPECT_THAT(Errors(summary)[0], HasSubstr("the end of what node b recorded is missing"));
  EXPECT_THAT(summary.findings[0].evidence,
              HasSubstr("node b: newest update 7 at 2023-11-14 22:13:20 UTC"));
  EXPECT_THAT(summary.coverage.reasons[0], HasSubstr("node b"));
}

TEST(AgentsTest, ANodeThatLostManyIsNamedOnce) {
  RunProfile run = SampleRun();
  run.agents = std::vector<AgentState>(100, Agent("a", false));
  run.finished = true;
  EXPECT_THAT(Errors(Summarize(run))[0], HasSubstr("the end of what node a recorded is missing"));
}

TEST(AgentsTest, OneWhoseProcessesAnotherHeardOutIsNotMissing) {
  RunProfile run = SampleRun();
  run.agents = {Agent("a", false), Agent("a", true), Agent("b", true)};
  run.finished = true;
  v1::ProcessProfile& process = run.processes[0];
  process.mutable_key()->set_node("a");
  v1::EpochRow& epoch = *process.add_epochs();
  epoch.set_session(2);
  epoch.set_final(true);
  const Summary summary = Summarize(run);
  EXPECT_THAT(Errors(summary), IsEmpty());
  ASSERT_THAT(summary.gaps, SizeIs(1));
  EXPECT_EQ(summary.gaps[0].text, "1 node agent ended before the job; another went on");
  // Nobody heard this one out.
  epoch.set_final(false);
  EXPECT_THAT(Errors(Summarize(run))[0], HasSubstr("the end of what node a recorded is missing"));
}

TEST(AgentsTest, WhileTheJobMayRunItIsANote) {
  RunProfile run = SampleRun();
  run.agents = {Agent("a", false)};
  const Summary summary = Summarize(run);
  ASSERT_THAT(summary.gaps, SizeIs(1));
  EXPECT_EQ(summary.gaps[0].severity, "note");
  EXPECT_THAT(summary.gaps[0].text, HasSubstr("still runs there, or its launcher was killed"));
  run.agents.push_back(Agent("b", true));
  EXPECT_EQ(Summarize(run).gaps[0].severity, "warning");
}

TEST(AgentsTest, HolesRefusalsAndProblemsAreErrors) {
  RunProfile run = SampleRun();
  run.agents = {Agent("a", true), Agent("b", false)};
  run.agents[0].missing = 2;
  run.agents[1].refused = "names are too long";
  run.problems = {"3 updates were not stored"};
  run.finished = true;
  const Summary summary = Summarize(run);
  ASSERT_THAT(Errors(summary), SizeIs(3));
  EXPECT_THAT(summary.findings[0].evidence, HasSubstr("node b: names are too long"));
  EXPECT_THAT(summary.findings[1].text, HasSubstr("2 updates on the way to the collector are"));
  EXPECT_THAT(summary.findings[1].evidence, HasSubstr("node a: 2 of 7"));
  EXPECT_THAT(summary.findings[2].text, HasSubstr("3 updates were not stored"));
}

TEST(AgentsTest, WhatTheCollectorHasLostIsOneErrorWithItsCount) {
  RunProfile run = SampleRun();
  run.agents = {Agent("a", true)};
  run.lost_uploads = 3;
  run.log_damage = {"log/00000001.flog, 91 bytes from byte 36: bad; uploads lost: 2",
                    "a file of log/ is missing; uploads lost: 1"};
  const Summary summary = Summarize(run);
  ASSERT_THAT(Errors(summary), SizeIs(1));
  EXPECT_THAT(summary.findings[0].text, HasSubstr("3 updates are damaged"));
  EXPECT_THAT(summary.findings[0].evidence, HasSubstr("91 bytes from byte 36"));
  EXPECT_THAT(summary.findings[0].evidence, HasSubstr("a file of log/ is missing"));
}

// What is damaged leaves a hole among its agent's numbers, which is no second fault.
TEST(AgentsTest, AHoleThatIsDamageOrRefusalIsOneError) {
  RunProfile run = SampleRun();
  run.agents = {Agent("a", true)};
  run.agents[0].newest_sequence = 7;
  run.agents[0].missing = 2;
  run.lost_uploads = 2;
  run.log_damage = {"bad; uploads lost: 2"};
  ASSERT_THAT(Errors(Summarize(run)), SizeIs(1));
  EXPECT_THAT(Summarize(run).findings[0].text, HasSubstr("2 updates are damaged"));
  run.agents[0].missing = 3;
  run.refused_uploads = {"update 3 of the log: no"};
  ASSERT_THAT(Errors(Summarize(run)), SizeIs(2));
  EXPECT_THAT(Summarize(run).findings[1].text, HasSubstr("could not take 1 update"));
  EXPECT_THAT(Summarize(run).findings[1].evidence, HasSubstr("update 3 of the log: no"));
  run.agents[0].missing = 4;
  ASSERT_THAT(Errors(Summarize(run)), SizeIs(3));
  EXPECT_THAT(Summarize(run).findings[0].text,
              HasSubstr("1 update on the way to the collector is"));
}

TEST(AgentsTest, DamageOfAnUnknownCountIsAnErrorToo) {
  RunProfile run = SampleRun();
  run.agents = {Agent("a", true)};
  run.log_damage = std::vector<std::string>(20, "bad");
  const Summary summary = Summarize(run);
  ASSERT_THAT(Errors(summary), SizeIs(1));
  EXPECT_THAT(summary.findings[0].text, HasSubstr("a part is damaged"));
  EXPECT_THAT(summary.findings[0].evidence, HasSubstr("and more"));
}

TEST(CopiedAgentsTest, AreAWarningAndWhatWasTakenLongBeforeIsAnError) {
  RunProfile run = RunOfAll({RankZero("a", 0, 60)});
  AgentState agent;
  agent.node = "a";
  agent.id = "a/1/1";
  agent.finished = true;
  agent.peer = "uid:1000";
  run.agents.push_back(agent);
  agent.copy = 2;
  agent.peer = "ipv4:10.0.0.2";
  agent.left_out = 3;
  run.agents.push_back(agent);
  const Summary summary = Summarize(run);
  EXPECT_THAT(Errors(summary),
              Contains("3 updates came under numbers that were taken long before, and are in no "
                       "sum"));
  std::vector<std::string> texts, evidence;
  for (const Finding& finding : summary.findings) {
    texts.push_back(finding.text);
    evidence.push_back(finding.evidence);
  }
  EXPECT_THAT(texts, Contains("2 node agents have sent under 1 id: agents were copied while they "
                              "ran; each is counted by itself"));
  EXPECT_THAT(evidence, Contains("node a: a/1/1, copy 1, from uid:1000; node a: a/1/1, copy 2, "
                                 "from ipv4:10.0.0.2"));
}

TEST(OverLimitsTest, AreErrors) {
  RunProfile run = RunOfAll({RankZero("a", 0, 60)});
  run.over_limits.push_back({"processes", 200'000, 7});
  EXPECT_THAT(Errors(Summarize(run)), Contains("the run has more than 200000 processes: 7 updates "
                                               "of the others are in no sum"));
}

}  // namespace
}  // namespace flopsprof::model
