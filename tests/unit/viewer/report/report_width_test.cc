// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// No line of a report is wider than what it is printed on.
#include <gtest/gtest.h>

#include <sstream>

#include "collector/model/run_sums.h"
#include "collector/model/summary.h"
#include "tests/support/sanitizers.h"
#include "tests/unit/collector/model/sample_run.h"
#include "tests/unit/viewer/report/sample_run.h"
#include "viewer/report/report.h"
#include "viewer/report/text.h"

namespace flopsprof::viewer {
namespace {

// Only an address, which is nothing when it is cut, may be longer.
void ExpectFits(const std::string& report, size_t width) {
  std::istringstream lines(report);
  for (std::string line; std::getline(lines, line);) {
    const size_t begin = line.find_first_not_of(' ');
    if (begin != std::string::npos && line.compare(begin, 8, "https://") == 0) continue;
    EXPECT_LE(DisplayWidth(line), width) << line;
  }
}

class ReportWidthsTest : public ::testing::TestWithParam<std::tuple<size_t, bool>> {
 protected:
  size_t width() const { return std::get<0>(GetParam()); }

  std::string Render(const model::Summary& summary, const model::RunProfile& run,
                     const ReportStyle& style = {}) const {
    Terminal terminal;
    terminal.width = width();
    terminal.utf8 = std::get<1>(GetParam());
    std::string text = RenderReport(summary, run, "run", style, terminal);
    ReportStyle gradients = style;
    gradients.views = {"gradients"};
    return text + RenderReport(summary, run, "run", gradients, terminal);
  }
};

// Large numbers, all phases, and times down to the last digit.
model::RunProfile LargeRun() {
  model::RunProfile run = model::SampleRun();
  for (int i = 0; i < 2; ++i) {
    v1::ProcessProfile& process = run.processes[i];
    for (v1::CallRow& row : *process.mutable_calls()) {
      if (row.kind() != v1::CALL_KIND_COLLECTIVE) row.mutable_flops()->set_low(987654321987654321);
    }
    for (v1::TimeRow& row : *process.mutable_times()) row.set_gpu_time_ns(87654321012);
    for (int phase = 0; phase < model::kPhaseCount; ++phase) {
      v1::TimeRow& time = *process.add_times();
      time = process.times(0);
      time.set_phase(static_cast<v1::Phase>(phase));
    }
    v1::Scope& optimizer = *process.add_scopes();
    optimizer.set_id(70);
    optimizer.set_kind(v1::SCOPE_KIND_OPTIMIZER);
    optimizer.set_name("MuonWithAuxiliaryAdamW #12");
    v1::CallRow& muon = *process.add_calls();
    muon = process.calls(0);
    muon.set_scope(70);
    muon.set_phase(v1::PHASE_OPTIMIZER);
    v1::KernelRow& kernel = *process.add_kernels();
    kernel = process.kernels(0);
    kernel.set_name(
        "triton_red_fused__native_batch_norm_legit_functional_add_convolution_relu_"
        "threshold_backward_mean_pow_rsqrt_native_layer_norm_12");
    kernel.set_gpu_time_ns(12345678901);
    v1::RangeRow& range = *process.add_range_rows();
    range.set_scope(2);
    range.set_category(7);
    range.set_category_name("a category with quite a long name");
    range.set_payload_type(v1::PAYLOAD_TYPE_UNSIGNED);
    range.set_entries(123456);
    range.set_sum("123456789012345");
    range.set_min("123456789012345");
    range.set_max("123456789012345");
    range.set_last("123456789012345");
    v1::MarkRow& mark = *process.add_marks();
    mark.set_scope(2);
    mark.set_name("a mark with a name that goes on and on");
    mark.set_category(7);
    mark.set_category_name("a category with quite a long name");
    mark.set_count(123456);
  }
  return run;
}

TEST_P(ReportWidthsTest, OfLargeNumbersAndAllPhases) {
  const model::RunProfile run = LargeRun();
  ExpectFits(Render(model::Summarize(run), run), width());
}

TEST_P(ReportWidthsTest, OfLostTimes) {
  model::RunProfile run = LargeRun();
  run.processes[0].mutable_info()->set_launches_without_activity(12345);
  run.processes[0].mutable_info()->set_state(v1::PROCESS_STATE_SIGNALLED);
  run.processes[0].mutable_info()->set_exit_signal(9);
  ExpectFits(Render(model::Summarize(run), run), width());
}

TEST_P(ReportWidthsTest, OfSeveralPrograms) {
  model::RunProfile run = LargeRun();
  for (int i = 0; i < 2; ++i) {
    run.processes[i].mutable_info()->set_rank(-1);
    run.processes[i].mutable_info()->set_command("python -m a.module --with " +
                                                 std::string(150, 'x'));
  }
  ExpectFits(Render(model::Summarize(run), run), width());
}

TEST_P(ReportWidthsTest, OfWindowsMarksAndStacks) {
  model::Summary summary = SampleSummary();
  summary.recording.share = 0.0123;
  model::WindowSummary window;
  window.number = 1;
  window.begin_utc_ns = 1795823520000000000;
  window.end_utc_ns = 1795823580000000000;
  window.first_step = 123456;
  window.end_step = 123999;
  window.aligned = false;
  summary.recording.windows = {window};
  window.end_step.reset();
  window.cut_step = 123999;
  summary.recording.windows.push_back(window);
  summary.recording.budget = model::BudgetSummary{0.01,
                                                  0.0119,
                                                  100'000'000'000,
                                                  0.25,
                                                  4'000'000'000,
                                                  90'000'000'000,
                                                  6'000'000'000,
                                                  3,
                                                  17,
                                                  4'194'304,
                                                  123,
                                                  8,
                                                  true,
                                                  false};
  summary.ranks[0].launch_latency = model::LaunchLatency{
      123'456'789, 123'456'000, 1'000'000'000'000'000, 1234, 98'765'432'109, 2345, 12'345'678};
  summary.recording.whole_processes = 12;
  summary.recording.marks = {{std::string(90, 'm'), 1795823520000000000, 17}};
  model::StackSummary stack;
  stack.path = "(outside)";
  stack.kernel = std::string(120, 'k');
  stack.samples = 123456;
  stack.launches = 1234567;
  stack.gpu_time_ns = 123456789;
  stack.frames = {{"python", std::string(120, 'f'), "train.py:12"}};
  summary.stacks = {stack};
  summary.collectives[0].ranks = "0-3,8,16,24,32,40,48,56,64";
  ExpectFits(Render(summary, SampleRun()), width());
}

TEST_P(ReportWidthsTest, OfAnUnknownCardAndALongNode) {
  model::Summary summary = SampleSummary();
  summary.simulated = false;
  summary.job.name = std::string(70, 'j');
  summary.job.nodes = {std::string(60, 'n')};
  for (model::RankSummary& rank : summary.ranks) rank.devices[0].name = std::string(60, 'c');
  ExpectFits(Render(summary, SampleRun()), width());
}

INSTANTIATE_TEST_SUITE_P(Widths, ReportWidthsTest,
                         ::testing::Combine(::testing::Values(60, 67, 80, 100, 120, 199),
                                            ::testing::Bool()));

// Every width, every view and every way to group: no line is wider, and no name is cut without a
// mark.
class AnyWidthTest : public ::testing::TestWithParam<bool> {};

TEST_P(AnyWidthTest, NoLineIsWiderAndNothingIsCutInSilence) {
  model::RunProfile run = LargeRun();
  const std::string name = "NameOfAClassThatIsLongerThanMostColumns";
  for (int i = 0; i < 2; ++i) {
    for (v1::Scope& scope : *run.processes[i].mutable_scopes()) {
      if (scope.kind() == v1::SCOPE_KIND_MODULE) scope.set_class_name(name);
    }
    for (v1::Module& module : *run.processes[i].mutable_modules()) module.set_class_name(name);
  }
  const model::RunSums sums = model::SumRun(run);
  std::vector<ReportStyle> styles = {{}, {.brief = true}, {.views = {"gradients"}}};
  styles.push_back({.views = {"ranks"}, .group_by = GroupBy::kNode});
  styles.push_back({.views = {"modules"}, .group_by = GroupBy::kClass});
  styles.push_back({.views = {"steps", "timeline"}, .steps_shown = "steps 0 to 1"});
  Terminal terminal;
  terminal.utf8 = GetParam();
  const std::string mark = terminal.utf8 ? "…" : "..";
  for (terminal.width = 60; terminal.width <= 200; terminal.width += test::StrideOf(1)) {
    for (const ReportStyle& style : styles) {
      const std::string text = RenderReport(sums, run, "run", style, terminal);
      ExpectFits(text, terminal.width);
      // What is left of the name where it is not whole ends in a mark.
      const std::string begin = name.substr(0, 6);
      for (size_t at = text.find(begin); at != text.npos; at = text.find(begin, at + 1)) {
        const std::string rest = text.substr(at, text.find_first_of(" \n", at) - at);
        EXPECT_TRUE(rest.rfind(name, 0) == 0 || rest.find(mark) != rest.npos)
            << terminal.width << ": " << rest;
      }
      if (::testing::Test::HasFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Characters, AnyWidthTest, ::testing::Bool());

}  // namespace
}  // namespace flopsprof::viewer
