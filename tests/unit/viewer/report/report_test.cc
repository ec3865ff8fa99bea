// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/report/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/unit/viewer/report/sample_run.h"
#include "viewer/report/text.h"

namespace flopsprof::viewer {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

std::string Render(const model::Summary& summary, const ReportStyle& style = {},
                   size_t width = 100) {
  Terminal terminal;
  terminal.width = width;
  return RenderReport(summary, SampleRun(), "run", style, terminal);
}

TEST(ReportTest, CoverageAndFindingsComeBeforeTheTables) {
  const std::string text = Render(SampleSummary());
  EXPECT_LT(text.find("coverage"), text.find("rank 1 was killed"));
  EXPECT_LT(text.find("rank 1 was killed"), text.find("Summary"));
  EXPECT_THAT(text, HasSubstr("exact 72.0%, modelled 0, no products 15.0%, unknown 3.0%"));
}

TEST(ReportTest, SaysWhereTheTimeOfStepsGoes) {
  model::Summary summary = SampleSummary();
  EXPECT_THAT(Render(summary), Not(HasSubstr("time  GPU")));
  summary.steps.parts = {4, 4, 2000, 1200, 400};  // rank-steps, device-steps, wall, busy, exposed
  EXPECT_THAT(Render(summary),
              HasSubstr("time  GPU works 40.0%, exposed communication 20.0%, idle 40.0% of the "
                        "steps' time\n"));
  summary.steps.parts->exposed_communication_ns.reset();  // not known: no 0
  EXPECT_THAT(Render(summary), HasSubstr("time  GPU is busy 60.0%, idle 40.0% of"));
}

TEST(ReportTest, SaysHowLongLaunchesWaitedWhereThatWasAskedFor) {
  model::Summary summary = SampleSummary();
  EXPECT_THAT(Render(summary, {}, 1000), Not(HasSubstr("launches  ")));
  summary.ranks[0].launch_latency = model::LaunchLatency{10, 0, 0, 0, 0, 0, 0};
  EXPECT_THAT(Render(summary, {}, 1000), HasSubstr("launches  not known"));
  summary.ranks[0].launch_latency = model::LaunchLatency{10, 6, 6'000, 400, 3'000, 100, 0};
  summary.ranks[1].launch_latency = model::LaunchLatency{10, 2, 10'000, 2'000, 8'000, 300, 3};
  EXPECT_THAT(Render(summary, {}, 1000),
              HasSubstr("began 2.00 µs after their call on average (400 ns to "
                        "8.00 µs)"));
  EXPECT_THAT(Render(summary, {}, 1000),
              HasSubstr("measured for 8 of 20 launches, each to within 300 ns"));
  EXPECT_THAT(Render(summary, {}, 1000),
              HasSubstr("of 3 launches it is not known: the clocks were not read after "
                        "them, or did not agree"));
}

TEST(ReportTest, SaysThatTheGpuIsSimulated) {
  EXPECT_THAT(Render(SampleSummary()), HasSubstr("GPU is simulated"));
  model::Summary real = SampleSummary();
  real.simulated = false;
  EXPECT_THAT(Render(real), Not(HasSubstr("simulated")));
}

TEST(ReportTest, ModulesArePerStepAndRankUnlessSumsAreWanted) {
  // 48000 forward flops in 3 steps on 2 ranks.
  EXPECT_THAT(Render(SampleSummary(), {.views = {"modules"}}), HasSubstr("8.00 k"));
  EXPECT_THAT(Render(SampleSummary(), {.views = {"modules"}, .totals = true, .exact = true}),
              HasSubstr("48,000"));
}

TEST(ReportTest, MissingTimesAreQuestionMarks) {
  model::Summary summary = SampleSummary();
  summary.coverage.times_known = false;
  for (model::ModuleSummary& module : summary.modules) {
    for (auto& time : module.inclusive.gpu_time_ns) time.reset();
    module.inclusive.flop_per_s.reset();
  }
  const std::string text = Render(summary, {.views = {"modules"}});
  EXPECT_THAT(text, HasSubstr("GPU times are missing"));
  EXPECT_THAT(text, HasSubstr("8.00 k     ?"));
}

TEST(ReportTest, LossesAreNamedWithTheirMeaning) {
  EXPECT_THAT(Render(SampleSummary()), HasSubstr("ring_full"));
  EXPECT_THAT(Render(SampleSummary()), HasSubstr("the thread's ring was full"));
}

TEST(ReportTest, AnUnmatchedLaunchIsALoss) {
  model::Summary summary = SampleSummary();
  summary.coverage.records_lost = 0;
  for (model::RankSummary& rank : summary.ranks) rank.loss.clear();
  EXPECT_THAT(Render(summary), HasSubstr("every launch matched"));
  summary.coverage.launches_without_activity = 3;
  EXPECT_THAT(Render(summary), Not(HasSubstr("every launch matched")));
  EXPECT_THAT(Render(summary), HasSubstr("launches_without_activity"));
}

TEST(ReportTest, SpeedIsOfCompleteStepsAndABoundBesideUnknownKernels) {
  model::Summary summary = SampleSummary();
  // 24,000 flops in each step of 5 ms, whatever the totals hold besides.
  EXPECT_THAT(Render(summary), HasSubstr("  4.80 MFLOPS per rank"));
  summary.totals.work.unknown_gpu_time_ns = 3000;
  EXPECT_THAT(Render(summary), HasSubstr("≥4.80 MFLOPS per rank"));
}

TEST(ReportTest, SpeedIsWithoutStepsInWhichSomethingWasCompiled) {
  model::RunProfile run = SampleRun();
  v1::ProcessProfile& process = run.processes[0];
  v1::StepRow slow = process.steps(process.steps_size() - 1);
  slow.set_step(slow.step() + 1);
  slow.set_begin_mono_ns(slow.end_mono_ns());
  slow.set_end_mono_ns(slow.begin_mono_ns() + 90'000'000);
  *process.add_steps() = slow;
  const auto render = [&run] {
    Terminal terminal;
    terminal.width = 100;
    return RenderReport(SampleSummary(), run, "run", {}, terminal);
  };
  EXPECT_THAT(render(), Not(HasSubstr("  4.80 MFLOPS per rank")));
  v1::StepLabelRow& label = *process.add_step_labels();
  label.set_number(slow.step());
  label.set_disturbed(true);
  EXPECT_THAT(render(), HasSubstr("  4.80 MFLOPS per rank (mean, wall time)"));
}

TEST(ReportTest, StepsWhoseKernelsWentUnseenAreNotIdle) {
  const ReportStyle style = {.views = {"steps"}};
  const Terminal terminal;
  model::RunProfile run = SampleRun();
  // 5 ms of wall time without 15 us of work.
  EXPECT_THAT(RenderReport(SampleSummary(), run, "run", style, terminal), HasSubstr("4.99 ms"));
  (*run.processes[0].mutable_loss())["cupti_yielded"] = 1;
  EXPECT_THAT(RenderReport(SampleSummary(), run, "run", style, terminal),
              Not(HasSubstr("4.99 ms")));
}

TEST(ReportTest, ACallWithoutAllItsTimesHasNoRate) {
  const ReportStyle style = {.views = {"calls"}};
  const Terminal terminal;
  model::RunProfile run = SampleRun();
  // 144,000 flops in 72 us.
  EXPECT_THAT(RenderReport(SampleSummary(), run, "run", style, terminal), HasSubstr("2.00 G"));
  run.processes[0].mutable_calls(0)->set_kernels(23);
  EXPECT_THAT(RenderReport(SampleSummary(), run, "run", style, terminal), Not(HasSubstr("2.00 G")));
}

TEST(ReportTest, NamesFromTheJobCannotSteerTheTerminal) {
  model::Summary summary = SampleSummary();
  summary.modules[1].class_name = "Evil\x1b]0;title\x07";
  summary.kernels[0].name = "k\x1b[2J";
  summary.job.command = "python \x1b[1m";
  summary.ranks[0].node = "n\x1b[0m";
  EXPECT_EQ(Render(summary).find('\x1b'), std::string::npos);
}

TEST(ReportTest, AnEmptyRunSaysWhyAndShowsNoTables) {
  model::Summary summary = SampleSummary();
  summary.empty = true;
  summary.ranks.clear();
  summary.coverage.reasons = {"python never used CUDA"};
  const std::string text = Render(summary);
  EXPECT_THAT(text, HasSubstr("nothing to report: python never used CUDA"));
  EXPECT_THAT(text, Not(HasSubstr("Modules")));
}

class ReportWidthTest : public ::testing::TestWithParam<size_t> {};

TEST_P(ReportWidthTest, EveryLineFits) {
  std::istringstream lines(Render(SampleSummary(), {}, GetParam()));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(DisplayWidth(line), GetParam()) << line;
  }
}

INSTANTIATE_TEST_SUITE_P(Widths, ReportWidthTest, ::testing::Values(80, 100, 160, 200));

TEST(ReportTest, ACardThatIsSimulatedIsWhyThereIsNoMfu) {
  EXPECT_THAT(Render(SampleSummary()), HasSubstr("MFU: none, the card is simulated"));
  EXPECT_THAT(Render(SampleSummary()), Not(HasSubstr("--peak")));
}

TEST(ReportTest, TimesOfWhichAPartNeverCameAreBoundsWithoutRates) {
  model::Summary summary = SampleSummary();
  model::Work& work = summary.totals.work;
  work.time_incomplete[v1::PHASE_FORWARD] = true;
  work.time_incomplete[v1::PHASE_BACKWARD] = true;
  work.gpu_time_ns[v1::PHASE_BACKWARD].reset();
  work.flop_per_s.reset();
  const std::string text = Render(summary, {.views = {"summary"}});
  EXPECT_THAT(text, HasSubstr("≥24.0 µs"));     // forward
  EXPECT_THAT(text, Not(HasSubstr("2.00 G")));  // 48,000 flops in 24 µs
  EXPECT_THAT(text, Not(HasSubstr("2.77 G")));  // 144,000 in the 52 µs that came
  EXPECT_THAT(text, HasSubstr("devices busy ≥90.0 µs"));
}

model::Summary OfTwoPrograms() {
  model::Summary summary = SampleSummary();
  for (int number = 0; number < 2; ++number) {
    model::ProgramSummary program;
    program.number = number;
    program.command = "python part_" + std::to_string(number) + ".py";
    program.state = "exited";
    program.exit_code = number;
    program.processes = {{"node-a", 100 + number, 0}};
    program.own = SampleSummary();
    program.own.modules[0].class_name = "Net" + std::to_string(number);
    summary.programs.push_back(program);
  }
  return summary;
}

TEST(ReportTest, CsvOfSeveralProgramsSaysOfWhichOneARowIs) {
  const std::string text =
      Render(OfTwoPrograms(), {.views = {"time"}, .output = Output::kCsv}, 100);
  EXPECT_THAT(text, StartsWith("program,phase,flops,"));
  for (const char* program : {"0", "1"}) {
    EXPECT_THAT(text, HasSubstr("\r\n" + std::string(program) + ",forward,"));
    EXPECT_THAT(text, HasSubstr("\r\n" + std::string(program) + ",backward,"));
  }
  const std::string paths = Render(OfTwoPrograms(), {.views = {"modules"}, .output = Output::kCsv});
  EXPECT_THAT(paths, Not(HasSubstr("program,")));  // they have a prefix
}

TEST(ReportTest, SeveralProgramsHavePartsOfTheirOwn) {
  const std::string text = Render(OfTwoPrograms());
  EXPECT_THAT(text, HasSubstr("2 programs"));
  EXPECT_THAT(text, HasSubstr("== program 1  pid 101, exited 1 =="));
  EXPECT_THAT(text, HasSubstr("$ python part_1.py"));
  EXPECT_LT(text.find("program 0  pid"), text.find("Net0"));
  EXPECT_LT(text.find("program 1  pid"), text.find("Net1"));
  EXPECT_LT(text.find("Net0"), text.find("program 1  pid"));
  EXPECT_THAT(text, Not(HasSubstr("over the ranks")));
}

TEST(ReportTest, FindingsHaveTheUnitsOfTheTables) {
  model::Summary summary = SampleSummary();
  summary.findings[0].evidence = "10 us of 5 us; bus 3 used, 7 us, us";
  EXPECT_THAT(Render(summary), HasSubstr("10 µs of 5 µs; bus 3 used, 7 µs, us\n"));
}

TEST(ReportTest, NamesTheColumnsForWhichThereIsNoRoom) {
  EXPECT_THAT(Render(SampleSummary(), {.views = {"modules"}}, 80),
              HasSubstr("left out here: calls"));
  EXPECT_THAT(Render(SampleSummary(), {.views = {"modules"}}, 160), Not(HasSubstr("left out")));
}

TEST(ReportTest, ASumWithAnUnknownPartIsALowerBound) {
  model::Summary summary = SampleSummary();
  summary.totals.work.flops[v1::PHASE_OTHER].reset();
  EXPECT_THAT(Render(summary, {.views = {"summary"}}), HasSubstr("≥144.0 k"));
  EXPECT_THAT(Render(SampleSummary(), {.views = {"summary"}}), Not(HasSubstr("≥")));
}

TEST(ReportTest, AsciiMeansAscii) {
  Terminal terminal;
  terminal.utf8 = false;
  const std::string text = RenderReport(SampleSummary(), SampleRun(), "run", {}, terminal);
  for (const char c : text) EXPECT_GE(c, 0) << text;
}

}  // namespace
}  // namespace flopsprof::viewer
