// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Which parts of the run were recorded, and what --max-overhead has to do with it.
#include <gtest/gtest.h>

#include "collector/model/summary.h"
#include "collector/model/summary_json.h"
#include "sample_run.h"
#include "summary_lookup.h"

namespace flopsprof::model {
namespace {

constexpr uint64_t kSecondNs = 1'000'000'000;
constexpr int64_t kSampleStart = 1700000000000000000;  // of the sample run

const Finding* FindingOf(const Summary& summary, const std::string& part) {
  for (const Finding& finding : summary.findings) {
    if (finding.text.find(part) != std::string::npos) return &finding;
  }
  return nullptr;
}

std::string AdviceOf(const Summary& summary, const std::string& part) {
  const Finding* finding = FindingOf(summary, part);
  return finding == nullptr ? "no finding" : finding->next;
}

v1::CostRow& AddCost(uint64_t wall_s, uint64_t cost_ms, v1::ProcessProfile* process) {
  v1::CostRow& cost = *process->add_costs();
  cost.set_budget_ppm(10'000);
  cost.set_wall_ns(wall_s * kSecondNs);
  cost.set_cost_ns(cost_ms * 1'000'000);
  return cost;
}

void LivesUntil(uint64_t second, v1::ProcessProfile* process) {
  process->add_process_lives()->set_until_utc_ns(kSampleStart +
                                                 static_cast<int64_t>(second * kSecondNs));
}

v1::WindowRow& AddWindow(uint64_t begin_s, uint64_t end_s, v1::ProcessProfile* process) {
  v1::WindowRow& row = *process->add_windows();
  row.set_number(static_cast<uint32_t>(process->windows_size()));
  row.set_begin_mono_ns(begin_s * kSecondNs);
  row.set_end_mono_ns(end_s * kSecondNs);
  row.set_begin_utc_ns(kSampleStart + static_cast<int64_t>(begin_s * kSecondNs));
  row.set_end_utc_ns(kSampleStart + static_cast<int64_t>(end_s * kSecondNs));
  row.set_first_step(-1);
  row.set_end_step(-1);
  row.set_process_begin_mono_ns(0);
  row.set_process_until_mono_ns(100 * kSecondNs);
  return row;
}

// 100 s of which 1 % may be taken; one window was closed.
RunProfile WithBudget(uint64_t cost_ns, uint64_t paused_ns) {
  RunProfile run = SampleRun();
  v1::CostRow& cost = AddCost(100, cost_ns / 1'000'000, &run.processes[0]);
  cost.set_full_ns(4 * kSecondNs);
  cost.set_sampled_ns(96 * kSecondNs - paused_ns);
  cost.set_paused_ns(paused_ns);
  cost.set_switches(5);
  AddWindow(0, 4, &run.processes[0]);
  return run;
}

TEST(BudgetTest, OneThatIsKeptIsNoFinding) {
  const Summary summary = Summarize(WithBudget(1'100'000'000, 0));
  ASSERT_TRUE(summary.recording.budget.has_value());
  EXPECT_TRUE(summary.recording.budget->IsKept());
  EXPECT_DOUBLE_EQ(*summary.recording.budget->estimate, 0.011);
  EXPECT_FALSE(HasFinding(summary, "--max-overhead"));
  EXPECT_NE(ToJson(summary).find("\"max_overhead\""), std::string::npos);
}

TEST(BudgetTest, OneThatIsNotKeptIsAFindingWithItsNumbers) {
  const Summary summary = Summarize(WithBudget(3'000'000'000, 0));
  EXPECT_TRUE(HasFinding(summary, "--max-overhead was not kept"));
  EXPECT_FALSE(summary.recording.budget->IsKept());
}

TEST(BudgetTest, WithoutTheOptionThereIsNone) {
  const Summary summary = Summarize(SampleRun());
  EXPECT_FALSE(summary.recording.budget.has_value());
  EXPECT_NE(ToJson(summary).find("\"budget\": null"), std::string::npos);
}

TEST(BudgetTest, TheDearestProcessIsNamed) {
  RunProfile run = WithBudget(1'000'000'000, 0);
  AddCost(50, 3000, &run.processes[1]);
  const Summary summary = Summarize(run);
  const BudgetSummary& budget = *summary.recording.budget;
  EXPECT_DOUBLE_EQ(*budget.estimate, 0.06);
  EXPECT_EQ(budget.wall_ns, 50 * kSecondNs);
  EXPECT_EQ(budget.pid, run.processes[1].key().pid());
  EXPECT_EQ(budget.rank, 1);
  EXPECT_EQ(budget.processes, 2u);
  const std::string pid = "pid " + std::to_string(budget.pid);
  EXPECT_NE(FindingOf(summary, "not kept")->evidence.find(pid), std::string::npos);
}

TEST(BudgetTest, ALongerRunHelpsAProcessThatLivesAsLongAsTheJob) {
  RunProfile run = WithBudget(3'000'000'000, 0);
  EXPECT_NE(AdviceOf(Summarize(run), "not kept").find("a longer run"), std::string::npos);
  LivesUntil(110, &run.processes[0]);
  EXPECT_NE(AdviceOf(Summarize(run), "not kept").find("a longer run"), std::string::npos);
  LivesUntil(1000, &run.processes[1]);
  EXPECT_EQ(AdviceOf(Summarize(run), "not kept").find("a longer run"), std::string::npos);
}

TEST(BudgetTest, NoModulesHelpsWhereTheyAreFollowedBetweenWindowsToo) {
  RunProfile run = WithBudget(3'000'000'000, 90 * kSecondNs);
  v1::ProcessProfile& process = run.processes[0];
  const auto names_it = [&run] {
    const std::string advice = AdviceOf(Summarize(run), "not kept");
    EXPECT_NE(advice.find("between windows is above this budget"), std::string::npos) << advice;
    return advice.find("--no-modules") != std::string::npos;
  };
  EXPECT_FALSE(names_it());  // it was given, or there are none
  process.mutable_info()->set_module_calls(1000);
  EXPECT_TRUE(names_it());
  (*process.mutable_notes())["modules"] = "vectorcall hook";
  EXPECT_FALSE(names_it());  // they rest
  (*process.mutable_notes())["steps"] = "passes";
  EXPECT_TRUE(names_it());
}

TEST(BudgetTest, WithoutAWindowAllWasRecorded) {
  RunProfile run = WithBudget(1'000'000'000, 6 * kSecondNs);
  run.processes[0].clear_windows();
  const BudgetSummary all = *Summarize(run).recording.budget;
  EXPECT_EQ(all.full_ns, 100 * kSecondNs);
  EXPECT_EQ(all.sampled_ns + all.paused_ns, 0u);
  EXPECT_EQ(all.switches, 0u);
  AddWindow(0, 4, &run.processes[0]);
  const BudgetSummary sampled = *Summarize(run).recording.budget;
  EXPECT_EQ(sampled.full_ns, 4 * kSecondNs);
  EXPECT_EQ(sampled.paused_ns, 6 * kSecondNs);
  EXPECT_EQ(sampled.switches, 5u);
}

// Rank 0 of a node whose budget holds all of it, rank 1 of one that records in windows.
RunProfile OfTwoNodes(uint64_t rank_0_until_s) {
  RunProfile run = SampleRun();
  AddCost(rank_0_until_s, 1, &run.processes[0]).set_full_ns(rank_0_until_s * kSecondNs);
  AddCost(100, 1000, &run.processes[1]).set_sampled_ns(90 * kSecondNs);
  LivesUntil(rank_0_until_s, &run.processes[0]);
  LivesUntil(100, &run.processes[1]);
  AddWindow(0, 10, &run.processes[1]).set_end_step(1);
  AddWindow(50, 60, &run.processes[1]);
  return run;
}

TEST(RecordingTest, ARankThatWasRecordedWholeBesideWindowsIsSaid) {
  const Summary summary = Summarize(OfTwoNodes(100));
  EXPECT_EQ(summary.recording.whole_processes, 1u);
  EXPECT_DOUBLE_EQ(*summary.recording.share, 120.0 / 200);
  EXPECT_FALSE(summary.recording.windows[0].aligned);
  EXPECT_EQ(summary.recording.budget->sampled_ns, 90 * kSecondNs);  // whichever lived longer
  const Finding* finding = FindingOf(summary, "ranks have not recorded the same steps");
  ASSERT_NE(finding, nullptr);
  EXPECT_EQ(finding->evidence, "rank 0: recorded whole, others in windows");
  EXPECT_EQ(finding->next, "each node has its own budget; compare ranks by steps");
}

TEST(RecordingTest, AProcessThatEndedInTheFirstWindowDiffersFromNone) {
  const Summary summary = Summarize(OfTwoNodes(9));
  EXPECT_EQ(summary.recording.whole_processes, 1u);
  EXPECT_DOUBLE_EQ(*summary.recording.share, 29.0 / 109);
  EXPECT_TRUE(summary.recording.windows[0].aligned);
  EXPECT_FALSE(HasFinding(summary, "ranks have not recorded the same steps"));
}

TEST(RecordingTest, AWindowThatAnotherNodeHasNotIsNotTheSameSteps) {
  RunProfile run = OfTwoNodes(100);
  AddWindow(0, 10, &run.processes[0]).set_end_step(1);
  const Summary summary = Summarize(run);
  EXPECT_EQ(summary.recording.whole_processes, 0u);
  EXPECT_TRUE(summary.recording.windows[0].aligned);
  EXPECT_FALSE(summary.recording.windows[1].aligned);
  EXPECT_TRUE(HasFinding(summary, "ranks have not recorded the same steps"));
}

TEST(RecordingTest, AWindowThatWasCutSaysInWhichStep) {
  RunProfile run = OfTwoNodes(9);
  run.processes[1].mutable_windows(0)->set_end_step(-1);
  const auto cut = [&run](uint32_t number) {
    v1::StepLabelRow& label = *run.processes[1].add_step_labels();
    label.set_step(number);
    label.set_number(number);
    label.set_cut(true);
  };
  EXPECT_FALSE(Summarize(run).recording.windows[0].cut_step.has_value());
  run.processes[1].mutable_windows(1)->set_first_step(900);
  cut(684);
  EXPECT_EQ(Summarize(run).recording.windows[0].cut_step, 684u);
  EXPECT_FALSE(Summarize(run).recording.windows[1].cut_step.has_value());
  cut(950);
  EXPECT_EQ(Summarize(run).recording.windows[0].cut_step, 684u);
  EXPECT_EQ(Summarize(run).recording.windows[1].cut_step, 950u);
}

}  // namespace
}  // namespace flopsprof::model
