// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "collector/model/summary_json.h"
#include "sample_run.h"
#include "summary_lookup.h"

namespace flopsprof::model {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const ModuleSummary& ModuleAt(const Summary& summary, const std::string& path) {
  for (const ModuleSummary& module : summary.modules) {
    if (module.path == path) return module;
  }
  static const ModuleSummary kNone;
  ADD_FAILURE() << "no module " << path;
  return kNone;
}

std::vector<std::string> Paths(const Summary& summary) {
  std::vector<std::string> paths;
  for (const ModuleSummary& module : summary.modules) paths.push_back(module.path);
  return paths;
}

TEST(SummaryTest, ModulesComeInTheOrderOfNamedModulesWithOutsideLast) {
  EXPECT_THAT(Paths(Summarize(SampleRun())),
              ElementsAre("", "features", "features.0", "fc", "(outside)"));
}

TEST(SummaryTest, CountsAreSumsOverRanks) {
  const Summary summary = Summarize(SampleRun());
  // Two ranks of 1000 + 300 forward and 2000 + 600 backward.
  EXPECT_EQ(summary.totals.work.flops[v1::PHASE_FORWARD], FlopCount(2600));
  EXPECT_EQ(summary.totals.work.flops[v1::PHASE_BACKWARD], FlopCount(5200));
  EXPECT_EQ(summary.totals.work.flops[v1::PHASE_RECOMPUTE], FlopCount(0));
  EXPECT_EQ(summary.totals.work.flops[v1::PHASE_OPTIMIZER], FlopCount(0));
  EXPECT_EQ(summary.totals.flops_by_type.at("tf32"), FlopCount(6000));
  EXPECT_EQ(summary.totals.flops_by_type.at("fp32"), FlopCount(1800));
}

TEST(SummaryTest, ModulesAreInclusiveAndKeepTheirOwnPart) {
  const Summary summary = Summarize(SampleRun());
  const ModuleSummary& root = ModuleAt(summary, "");
  EXPECT_EQ(root.class_name, "Net");
  EXPECT_EQ(root.params, 62u);
  EXPECT_EQ(root.calls, 4u);  // two ranks, two steps
  EXPECT_EQ(root.inclusive.flops[v1::PHASE_FORWARD], FlopCount(2600));
  // Its own forward ran only the unknown kernel.
  EXPECT_FALSE(root.self.flops[v1::PHASE_FORWARD].has_value());
  EXPECT_EQ(root.self.gpu_time_ns[v1::PHASE_FORWARD], 20u);
  EXPECT_EQ(root.inclusive.unknown_gpu_time_ns, 20u);
  EXPECT_EQ(root.inclusive.provenance, Provenance::kMixed);
  const ModuleSummary& list = ModuleAt(summary, "features");
  EXPECT_EQ(list.class_name, "ModuleList");
  EXPECT_EQ(list.calls, 0u);
  EXPECT_EQ(list.inclusive.flops[v1::PHASE_FORWARD], FlopCount(2000));
  EXPECT_EQ(list.self.flops[v1::PHASE_FORWARD], FlopCount(0));
  EXPECT_EQ(ModuleAt(summary, "features.0").inclusive.provenance, Provenance::kExact);
}

TEST(SummaryTest, OutsideHoldsCommunicationOptimizerAndCopies) {
  const Summary summary = Summarize(SampleRun());
  const ModuleSummary& outside = ModuleAt(summary, "(outside)");
  EXPECT_EQ(outside.self.gpu_time_ns[v1::PHASE_BACKWARD], 80u);
  EXPECT_EQ(outside.self.gpu_time_ns[v1::PHASE_OPTIMIZER], 40u);
  EXPECT_EQ(outside.self.gpu_time_ns[v1::PHASE_OTHER], 10u);
  EXPECT_FALSE(outside.calls.has_value());
  EXPECT_EQ(outside.self.flops[v1::PHASE_OPTIMIZER], FlopCount(0));
}

TEST(SummaryTest, RanksOfAModuleAreSpreadByTheirTime) {
  const Summary summary = Summarize(SampleRun());
  const RankSpread& spread = ModuleAt(summary, "features.0").ranks;
  EXPECT_EQ(spread.min_ns, 300u);     // rank 0: 100 + 200
  EXPECT_EQ(spread.median_ns, 400u);  // mean of 300 and 500
  EXPECT_EQ(spread.max_ns, 500u);     // rank 1: 300 + 200
  EXPECT_EQ(spread.worst_rank, 1);
}

TEST(SummaryTest, RateIsFlopsOverTheTimeOfTheSameWork) {
  const Summary summary = Summarize(SampleRun());
  // fc: 2 ranks x 900 flops in 2 x 90 ns.
  EXPECT_DOUBLE_EQ(*ModuleAt(summary, "fc").inclusive.flop_per_s, 1e10);
}

TEST(SummaryTest, NoRateWhereAKernelTimeIsMissing) {
  RunProfile run = SampleRun();
  run.processes[0].mutable_calls(2)->set_kernels(1);  // fc forward: 2 calls
  const Summary summary = Summarize(run);
  EXPECT_FALSE(ModuleAt(summary, "fc").inclusive.flop_per_s.has_value());
  EXPECT_TRUE(ModuleAt(summary, "features.0").inclusive.flop_per_s.has_value());
  EXPECT_EQ(summary.coverage.calls_unmatched, 1u);
}

TEST(SummaryTest, CoverageIsSharesOfGpuTime) {
  const Summary summary = Summarize(SampleRun());
  // Rank 0: 100+200+30+60 exact, 10 unknown, 40 communication, 20 no products, 5 copy.
  // Rank 1: 200 ns more in conv.
  EXPECT_EQ(summary.coverage.gpu_time_ns, 1130u);
  EXPECT_EQ(summary.coverage.category_ns.at(v1::TIME_CATEGORY_EXACT), 980u);
  EXPECT_EQ(summary.coverage.category_ns.at(v1::TIME_CATEGORY_UNKNOWN), 20u);
  EXPECT_EQ(summary.coverage.category_ns.at(v1::TIME_CATEGORY_COMMUNICATION), 80u);
  EXPECT_EQ(summary.coverage.category_ns.at(v1::TIME_CATEGORY_NO_PRODUCTS), 40u);
  EXPECT_EQ(summary.coverage.category_ns.at(v1::TIME_CATEGORY_COPY), 10u);
}

TEST(SummaryTest, AKernelWithoutValidTimesHasNoMinimum) {
  ProfileBuilder b(0);
  for (const uint64_t ns : {0, 30}) {
    v1::KernelRow& row = *b.profile().add_kernels();
    row.set_name("k");
    row.set_count(1);
    row.set_gpu_time_ns(ns);
    row.set_min_ns(ns);
    row.set_max_ns(ns);
  }
  const Summary summary = Summarize(RunOf(b.profile()));
  ASSERT_EQ(summary.kernels.size(), 1u);
  EXPECT_EQ(summary.kernels[0].count, 2u);
  EXPECT_EQ(summary.kernels[0].min_ns, 30u);
}

TEST(SummaryTest, ProcessesThatDidNoGpuWorkAreListedApart) {
  const Summary summary = Summarize(SampleRun());
  ASSERT_EQ(summary.processes.size(), 1u);
  EXPECT_EQ(summary.processes[0].pid, 99);
  EXPECT_FALSE(summary.processes[0].rank.has_value());
}

TEST(SummaryTest, ASingleProcessWithoutALauncherIsRankZero) {
  ProfileBuilder b(-1);
  b.info().set_local_rank(-1);
  b.Gemm(0, v1::PHASE_OTHER, 2);
  const Summary summary = Summarize(RunOf(b.profile()));
  ASSERT_EQ(summary.ranks.size(), 1u);
  EXPECT_EQ(summary.ranks[0].rank, 0);
  EXPECT_EQ(summary.ranks[0].local_rank, 0);
  EXPECT_EQ(summary.job.world_size, 1);
  EXPECT_FALSE(HasFinding(summary, "numbered"));
}

TEST(SummaryTest, ProcessesWithoutRanksHaveNumbersInTheOrderOfTheirStart) {
  RunProfile run;
  for (const int pid : {7, 5}) {
    ProfileBuilder b(-1, pid);
    b.Gemm(0, v1::PHASE_OTHER, 2);
    run.processes.push_back(b.profile());
  }
  const Summary summary = Summarize(run);
  ASSERT_EQ(summary.ranks.size(), 2u);
  EXPECT_EQ(summary.ranks[0].pid, 5);
  EXPECT_EQ(summary.ranks[1].rank, 1);
  EXPECT_EQ(summary.ranks[1].program, 1);
}

TEST(SummaryTest, ARestartedRankHasTwoEntries) {
  RunProfile run = SampleRun();
  v1::ProcessProfile again = SampleRank(1, 50);
  again.mutable_key()->set_pid(500);
  again.mutable_info()->set_restart(1);
  run.processes[1].mutable_info()->set_state(v1::PROCESS_STATE_SIGNALLED);
  run.processes[1].mutable_info()->set_exit_signal(9);
  run.processes.push_back(again);
  const Summary summary = Summarize(run);
  ASSERT_EQ(summary.ranks.size(), 3u);
  EXPECT_EQ(summary.ranks[1].state, "signal 9");
  EXPECT_EQ(summary.ranks[1].exit_code, 137);
  EXPECT_EQ(summary.ranks[2].restart, 1);
  EXPECT_TRUE(HasFinding(summary, "rank 1 was ended by signal 9"));
}

TEST(SummaryTest, ALostRankIsAFinding) {
  RunProfile run = SampleRun();
  run.processes[1].mutable_info()->set_state(v1::PROCESS_STATE_LOST);
  run.processes[1].mutable_info()->set_exit_code_known(false);
  const Summary summary = Summarize(run);
  EXPECT_EQ(summary.ranks[1].state, "lost");
  EXPECT_FALSE(summary.ranks[1].exit_code.has_value());
  EXPECT_TRUE(HasFinding(summary, "rank 1 was lost"));
}

TEST(SummaryTest, ProductsWithoutACallAreSaid) {
  RunProfile run = SampleRun();
  const std::string text = "kernels of cuBLAS ran outside of any call that was seen";
  EXPECT_FALSE(HasFinding(Summarize(run), text));
  v1::KernelRow& kernel = *run.processes[0].add_kernels();
  kernel = run.processes[0].kernels(0);
  kernel.set_name("ampere_sgemm_128x64_tn");
  EXPECT_TRUE(HasFinding(Summarize(run), text));
  kernel.set_category(v1::TIME_CATEGORY_EXACT);  // inside of a call that was seen
  EXPECT_FALSE(HasFinding(Summarize(run), text));
}

TEST(SummaryTest, AKernelOfACallWhoseWorkIsUnknownSaysNothingOfUnseenCalls) {
  RunProfile run = SampleRun();
  v1::KernelRow& kernel = *run.processes[0].add_kernels();
  kernel = run.processes[0].kernels(0);
  kernel.set_name("ampere_sgemm_128x64_tn");
  kernel.set_kind("kernel");
  kernel.set_category(v1::TIME_CATEGORY_UNKNOWN);
  kernel.set_count(3);
  v1::KernelOwner& owner = *run.processes[0].add_kernel_owners();
  owner.set_name(kernel.name());
  owner.set_category(kernel.category());
  owner.set_phase(kernel.phase());
  owner.set_in_call(3);
  EXPECT_FALSE(HasFinding(Summarize(run), "outside of any call that was seen"));
  owner.set_in_call(2);  // one ran outside
  EXPECT_TRUE(HasFinding(Summarize(run), "outside of any call that was seen"));
}

TEST(SummaryTest, AKernelWithoutProductsHasItsClass) {
  RunProfile run = SampleRun();
  v1::KernelRow& kernel = *run.processes[0].add_kernels();
  kernel = run.processes[0].kernels(0);
  kernel.set_name("void at::native::reduce_kernel<512>(int)");
  kernel.set_category(v1::TIME_CATEGORY_NO_PRODUCTS);
  for (const KernelSummary& one : Summarize(run).kernels) {
    EXPECT_EQ(one.kernel_class, one.name == kernel.name() ? "reduction" : "") << one.name;
  }
}

TEST(SummaryTest, CallersThatAreNotSeenAreSaid) {
  RunProfile run = SampleRun();
  EXPECT_FALSE(HasFinding(Summarize(run), "dlmopen"));
  EXPECT_FALSE(HasFinding(Summarize(run), "could not be hooked"));
  (*run.processes[0].mutable_loss())["namespace_unseen"] = 1;
  (*run.processes[0].mutable_loss())["caller_unseen"] = 1;
  EXPECT_TRUE(HasFinding(Summarize(run), "dlmopen"));
  EXPECT_TRUE(HasFinding(Summarize(run), "could not be hooked"));
}

TEST(SummaryTest, CallsOfCompiledCodeThatNoModuleOwnsAreSaid) {
  RunProfile run = SampleRun();
  const std::string text = "library calls of compiled code are in the row of what was compiled";
  auto& note = (*run.processes[0].mutable_notes())["compiled"];
  note = "library calls belong to modules by the weights they use";
  EXPECT_FALSE(HasFinding(Summarize(run), text));
  note = "some library calls belong to the compiled module as a whole";
  EXPECT_TRUE(HasFinding(Summarize(run), text));
}

TEST(SummaryTest, MissingModuleNamesAreAFindingThatSaysWhy) {
  RunProfile run = SampleRun();
  EXPECT_FALSE(HasFinding(Summarize(run), "no module names"));
  (*run.processes[0].mutable_loss())["module_hook_refused"] = 1;
  (*run.processes[0].mutable_notes())["modules"] = "none: a reason";
  for (const Finding& finding : Summarize(run).findings) {
    if (finding.text == "no module names of 1 of 2 ranks") {
      EXPECT_EQ(finding.evidence, "none: a reason");
      return;
    }
  }
  FAIL() << "no such finding";
}

TEST(SummaryTest, WithoutCuptiCountsStayAndTimesAreUnknown) {
  RunProfile run = SampleRun();
  for (v1::ProcessProfile& process : run.processes) {
    process.clear_times();
    process.clear_device_times();
    for (v1::CallRow& call : *process.mutable_calls()) call.set_kernels(0);
  }
  (*run.processes[0].mutable_loss())["cupti_taken"] = 1;
  const Summary summary = Summarize(run);
  EXPECT_EQ(summary.totals.work.flops[v1::PHASE_FORWARD], FlopCount(2600));
  EXPECT_FALSE(summary.totals.work.gpu_time_ns[v1::PHASE_FORWARD].has_value());
  EXPECT_FALSE(summary.totals.gpu_busy_ns.has_value());
  EXPECT_FALSE(summary.totals.work.flop_per_s.has_value());
  // Its own kernels, if any, went unseen; the conv's product did not.
  EXPECT_FALSE(ModuleAt(summary, "").self.flops[v1::PHASE_FORWARD].has_value());
  EXPECT_EQ(ModuleAt(summary, "features.0").self.flops[v1::PHASE_FORWARD], FlopCount(2000));
  // Nothing was repeated.
  EXPECT_EQ(summary.totals.work.flops[v1::PHASE_RECOMPUTE], FlopCount(0));
  EXPECT_FALSE(ModuleAt(summary, "").ranks.min_ns.has_value());
  EXPECT_TRUE(HasFinding(summary, "another tool holds CUPTI"));
}

TEST(SummaryTest, AfterCuptiWasGivenUpAnEmptyPhaseIsUnknownAndNotZero) {
  ProfileBuilder b(0);
  b.ModuleScope(1, 0, "", "Net", 10)
      .ModuleScope(2, 1, "late", "ReLU", 11)
      .Entered(1, v1::PHASE_FORWARD, 1)
      .Entered(2, v1::PHASE_FORWARD, 1)
      .Time(1, v1::PHASE_FORWARD, v1::TIME_CATEGORY_NO_PRODUCTS, 10);
  EXPECT_EQ(ModuleAt(Summarize(RunOf(b.profile())), "late").self.flops[v1::PHASE_FORWARD],
            FlopCount(0));
  (*b.profile().mutable_loss())["cupti_yielded"] = 1;
  const Summary summary = Summarize(RunOf(b.profile()));
  EXPECT_FALSE(ModuleAt(summary, "late").self.flops[v1::PHASE_FORWARD].has_value());
  EXPECT_FALSE(ModuleAt(summary, "late").self.gpu_time_ns[v1::PHASE_FORWARD].has_value());
  EXPECT_EQ(ModuleAt(summary, "").self.gpu_time_ns[v1::PHASE_FORWARD], 10u);
}

// Calls that no agent was there for are as lost as those that found no room.
TEST(SummaryTest, CallsWithoutAnAgentAreRecordsThatWereLost) {
  for (const char* name : {"agent_away", "agent_late", "calls_lost_with_agent"}) {
    RunProfile run = SampleRun();
    (*run.processes[0].mutable_loss())[name] = 7;
    const Summary summary = Summarize(run);
    EXPECT_EQ(summary.coverage.records_lost, 7u) << name;
    EXPECT_TRUE(HasFinding(summary, "records were lost")) << name;
  }
}

TEST(SummaryTest, LossesAreCountedAndExplained) {
  RunProfile run = SampleRun();
  (*run.processes[0].mutable_loss())["ring_full"] = 7;
  (*run.processes[1].mutable_loss())["ring_full"] = 5;
  (*run.processes[1].mutable_loss())["invalid_timestamp"] = 3;
  const Summary summary = Summarize(run);
  EXPECT_EQ(summary.coverage.records_lost, 12u);
  EXPECT_EQ(summary.coverage.invalid_timestamps, 3u);
  EXPECT_THAT(summary.coverage.reasons, ::testing::Contains(HasSubstr("ring_full: 12")));
  EXPECT_TRUE(HasFinding(summary, "records were lost"));
}

TEST(SummaryTest, WorkOfAScopeThatWasNeverDescribedIsOutsideAndItIsSaid) {
  RunProfile run = SampleRun();
  run.processes[0].mutable_calls(2)->set_scope(77);
  const Summary summary = Summarize(run);
  EXPECT_EQ(ModuleAt(summary, "(outside)").self.flops[v1::PHASE_FORWARD], FlopCount(300));
  EXPECT_THAT(summary.coverage.reasons, ElementsAre(HasSubstr("names never came")));
}

TEST(SummaryTest, CapturedCallsAreNotCounted) {
  RunProfile run = SampleRun();
  run.processes[0].mutable_calls(0)->set_captured(true);
  const Summary summary = Summarize(run);
  EXPECT_EQ(summary.totals.work.flops[v1::PHASE_FORWARD], FlopCount(1600));
  EXPECT_FALSE(HasFinding(summary, "CUDA graphs"));
}

TEST(SummaryTest, ReplaysOfUnknownGraphsAreSaidWithTheirTime) {
  RunProfile run = SampleRun();
  (*run.processes[0].mutable_loss())["graph_replay"] = 3;
  for (v1::ProcessProfile& process : run.processes) {
    v1::GraphRow* row = process.add_graphs();
    row->set_state("captured before");
    row->set_replays(3);
    row->set_gpu_time_ns(5000);
  }
  const Summary summary = Summarize(run);
  ASSERT_EQ(summary.coverage.graphs.size(), 1u);
  EXPECT_EQ(summary.coverage.graphs[0].replays, 3 * summary.ranks.size());
  EXPECT_THAT(summary.coverage.reasons, ::testing::Contains(HasSubstr("captured before: ")));
  EXPECT_TRUE(HasFinding(summary, "CUDA graphs"));
}

// conv1 was captured and replayed: how often that was a call of it, or of its neighbours without
// library calls, nobody saw.
TEST(SummaryTest, CallsOfAModelThatRanInReplaysAreNotKnownAndItIsSaid) {
  RunProfile run = SampleRun();
  run.processes[0].mutable_calls(0)->set_captured(true);
  run.processes[0].add_graphs()->set_replays(3);
  const Summary summary = Summarize(run);
  EXPECT_EQ(ModuleAt(summary, "").calls, std::nullopt);
  EXPECT_EQ(ModuleAt(summary, "features.0").calls, std::nullopt);
  EXPECT_EQ(ModuleAt(summary, "fc").calls, std::nullopt);
  EXPECT_EQ(ModuleAt(summary, "features").calls, 0u);  // a ModuleList has none in any case
  EXPECT_THAT(summary.coverage.reasons,
              ::testing::Contains(HasSubstr("modules whose calls are not known, because replays of "
                                            "CUDA graphs run their work without calling them: 3")));
}

TEST(SummaryTest, CallsAreKnownWhereACaptureWasNotReplayedOrWasOutsideOfModules) {
  RunProfile captured = SampleRun();
  captured.processes[0].mutable_calls(0)->set_captured(true);
  EXPECT_EQ(ModuleAt(Summarize(captured), "fc").calls,
            ModuleAt(Summarize(SampleRun()), "fc").calls);
  RunProfile outside = SampleRun();
  outside.processes[0].mutable_calls(0)->set_captured(true);
  outside.processes[0].mutable_calls(0)->set_scope(0);
  outside.processes[0].add_graphs()->set_replays(3);
  EXPECT_EQ(ModuleAt(Summarize(outside), "fc").calls, ModuleAt(Summarize(SampleRun()), "fc").calls);
  EXPECT_NE(ModuleAt(Summarize(outside), "fc").calls, std::nullopt);
}

TEST(SummaryTest, TheMethodSaysWhichCallbacksTellOfLaunches) {
  RunProfile run = SampleRun();
  EXPECT_EQ(Summarize(run).method.count("launch callbacks"), 0u);
  (*run.processes[0].mutable_notes())["launch_callbacks"] =
      "of the driver alone for runtime ids 211";
  const Summary summary = Summarize(run);
  EXPECT_EQ(summary.method.at("launch callbacks"),
            "CUPTI's, of the driver alone for runtime ids 211");
}

TEST(SummaryTest, CountedReplaysAreNoFindingAndTheMethodSaysHowTheyWereTimed) {
  RunProfile run = SampleRun();
  (*run.processes[0].mutable_notes())["graphs"] = "per launch";
  v1::GraphRow* row = run.processes[0].add_graphs();
  row->set_state("counted");
  row->set_replays(3);
  row->set_gpu_time_ns(5000);
  row->set_shared_ns(5000);
  const Summary summary = Summarize(run);
  EXPECT_FALSE(HasFinding(summary, "CUDA graphs"));
  EXPECT_THAT(summary.method.at("graphs"), HasSubstr("timed per launch"));
  EXPECT_THAT(summary.coverage.reasons, ::testing::Contains(HasSubstr("divided among")));
}

TEST(SummaryTest, AWindowOfStepsLeavesOutWhatWasBeforeStepZero) {
  RunProfile run = SampleRun();
  run.run.set_first_step(0);
  run.run.set_end_step(2);
  EXPECT_EQ(Summarize(run).coverage.gpu_time_ns, 1120u);  // without the copies
}

TEST(SummaryTest, ModelledFlopsAreInTheCountAndMarked) {
  RunProfile run = SampleRun();
  run.processes[0].mutable_calls(2)->set_kind(v1::CALL_KIND_MODELLED);
  const Summary summary = Summarize(run);
  const ModuleSummary& fc = ModuleAt(summary, "fc");
  EXPECT_EQ(fc.inclusive.flops[v1::PHASE_FORWARD], FlopCount(600));
  EXPECT_EQ(fc.inclusive.flops_modelled[v1::PHASE_FORWARD], FlopCount(300));
  EXPECT_EQ(fc.inclusive.provenance, Provenance::kMixed);
}

TEST(SummaryTest, CollectivesAreSummedByGroupSize) {
  const Summary summary = Summarize(SampleRun());
  ASSERT_EQ(summary.collectives.size(), 1u);
  EXPECT_EQ(summary.collectives[0].calls, 4u);
  EXPECT_EQ(summary.collectives[0].bytes, 496u);
}

TEST(SummaryTest, CommunicationIsAPartOfTheGpuTime) {
  const Summary summary = Summarize(SampleRun());
  EXPECT_EQ(summary.totals.work.communication_ns, 80u);
  EXPECT_EQ(ModuleAt(summary, "(outside)").self.communication_ns, 80u);
  EXPECT_EQ(ModuleAt(summary, "").inclusive.communication_ns, 0u);
  // 40 on each rank, 10 in each of its two steps with nothing else running.
  EXPECT_EQ(summary.totals.exposed_communication_ns, 40u);
  EXPECT_EQ(summary.totals.hidden_communication_ns, 30u);  // beside other work
}

TEST(SummaryTest, HiddenCommunicationIsOfModuleRankAndCollective) {
  const Summary summary = Summarize(SampleRun());
  EXPECT_EQ(ModuleAt(summary, "(outside)").self.hidden_communication_ns, 30u);
  EXPECT_EQ(ModuleAt(summary, "fc").inclusive.hidden_communication_ns, 0u);
  EXPECT_EQ(summary.ranks[1].work.hidden_communication_ns, 15u);
  ASSERT_EQ(summary.collectives.size(), 1u);
  EXPECT_EQ(summary.collectives[0].known_hidden_ns(), 30u);
  const std::string json = ToJson(summary);
  EXPECT_NE(json.find("\"exposed_s\": 0.00000005,"), std::string::npos) << json;
}

TEST(SummaryTest, HiddenCommunicationThatWasNotComparedIsNotKnown) {
  RunProfile run = SampleRun();
  run.processes[1].mutable_communications(0)->set_compared_ns(39);
  const Summary summary = Summarize(run);
  EXPECT_FALSE(ModuleAt(summary, "(outside)").self.hidden_communication_ns.has_value());
  EXPECT_FALSE(summary.ranks[1].work.hidden_communication_ns.has_value());
  EXPECT_EQ(summary.ranks[0].work.hidden_communication_ns, 15u);
  EXPECT_FALSE(summary.collectives[0].known_hidden_ns().has_value());
  EXPECT_FALSE(summary.totals.hidden_communication_ns.has_value());
  EXPECT_TRUE(summary.totals.exposed_communication_ns.has_value());
}

TEST(SummaryTest, NothingRecordedIsEmptyWithAReason) {
  const Summary summary = Summarize(RunProfile());
  EXPECT_TRUE(summary.empty);
  EXPECT_FALSE(summary.coverage.reasons.empty());
  EXPECT_TRUE(summary.modules.empty());
}

TEST(SummaryTest, ProcessesWithoutGpuWorkAreEmptyWithAReason) {
  ProfileBuilder b(-1);
  b.info().set_used_gpu(false);
  const Summary summary = Summarize(RunOf(b.profile()));
  EXPECT_TRUE(summary.empty);
  EXPECT_THAT(summary.coverage.reasons, ElementsAre(HasSubstr("no process used the GPU")));
}

TEST(SummaryTest, SimulatedComesFromAnyProcess) {
  RunProfile run = SampleRun();
  EXPECT_FALSE(Summarize(run).simulated);
  run.processes[1].mutable_info()->set_simulated(true);
  EXPECT_TRUE(Summarize(run).simulated);
  // The head of the report says it; no finding repeats it.
  for (const Finding& finding : Summarize(run).findings) {
    EXPECT_EQ(finding.text.find("simulated"), std::string::npos) << finding.text;
  }
}

// Every phase of the totals is the sum over the modules' own parts.
TEST(SummaryTest, TotalsAreTheSumOverModulesAndOutside) {
  const Summary summary = Summarize(SampleRun());
  for (int phase = 0; phase < kPhaseCount; ++phase) {
    FlopCount flops = 0;
    uint64_t time_ns = 0;
    for (const ModuleSummary& module : summary.modules) {
      flops += module.self.flops[phase].value_or(0);
      time_ns += module.self.gpu_time_ns[phase].value_or(0);
    }
    EXPECT_EQ(summary.totals.work.flops[phase], flops);
    EXPECT_EQ(summary.totals.work.gpu_time_ns[phase], time_ns);
  }
}

TEST(SummaryTest, TheOrderOfProcessesAndRowsDoesNotMatter) {
  RunProfile run = SampleRun();
  const std::string before = ToJson(Summarize(run));
  std::mt19937 random(7);
  std::shuffle(run.processes.begin(), run.processes.end(), random);
  for (v1::ProcessProfile& process : run.processes) {
    std::shuffle(process.mutable_scopes()->begin(), process.mutable_scopes()->end(), random);
    std::shuffle(process.mutable_modules()->begin(), process.mutable_modules()->end(), random);
    std::shuffle(process.mutable_calls()->begin(), process.mutable_calls()->end(), random);
    std::shuffle(process.mutable_times()->begin(), process.mutable_times()->end(), random);
  }
  EXPECT_EQ(ToJson(Summarize(run)), before);
}

}  // namespace
}  // namespace flopsprof::model
