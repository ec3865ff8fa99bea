// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// Views as a reader sees them, and in each style.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "tests/unit/viewer/report/sample_run.h"
#include "tests/unit/viewer/report/view_text.h"

namespace flopsprof::viewer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

model::RunSums SampleSums() {
  model::RunSums sums;
  sums.summary = SampleSummary();
  sums.report = model::SumForReport(SampleRun(), sums.summary);
  return sums;
}

std::string Render(const model::RunSums& sums, const ReportStyle& style, size_t width = 160,
                   bool utf8 = true) {
  Terminal terminal;
  terminal.width = width;
  terminal.utf8 = utf8;
  return RenderReport(sums, SampleRun(), "run", style, terminal);
}

TEST(TimeViewTest, APhaseIsSplitByWhatItsKernelsDid) {
  model::RunSums sums = SampleSums();
  sums.report.rank_steps = 6;
  sums.report.category_times = {};
  auto& forward = sums.report.category_times[v1::PHASE_FORWARD];
  forward[v1::TIME_CATEGORY_EXACT] = 6000;
  forward[v1::TIME_CATEGORY_MODELLED] = 12000;
  forward[v1::TIME_CATEGORY_COPY] = 6000;
  sums.report.category_times[v1::PHASE_BACKWARD][v1::TIME_CATEGORY_COMMUNICATION] = 72000;
  sums.summary.steps.parts = {4, 4, 2000, 1200, 400};
  const std::string text = Render(sums, {.views = {"time"}});
  // 18,000 ns of products and 24,000 in all, in 6 steps.
  EXPECT_THAT(text, HasSubstr("3.00 µs"));
  EXPECT_THAT(LinesWith(text, "forward")[0], HasSubstr("| 4.00 µs | 25.0%"));
  EXPECT_THAT(LinesWith(text, "backward")[0], HasSubstr("| 12.0 µs | 75.0%"));
  // Of a step of 500 ns: 200 of work, 100 exposed, 200 idle.
  EXPECT_THAT(LinesWith(text, "GPU works")[1], HasSubstr("GPU works | 200 ns | 40.0%"));
  EXPECT_THAT(LinesWith(text, "exposed communication")[1], HasSubstr("100 ns | 20.0%"));
  // No kernel was of unknown work, and none is shown.
  EXPECT_THAT(text, Not(HasSubstr("  unknown  ")));
}

// A step of 1,000 ns: 340 busy, 40 of them exposed communication. Kernels took 100 ns forward and
// 240 backward; all communication is backward. So a tenth, a fifth and a 25th of the line.
TEST(TimelineViewTest, BlocksAreSharesOfTheStep) {
  model::RunSums sums = SampleSums();
  model::RankStep rank;
  rank.wall_ns = 1000;
  rank.busy_ns = 340;
  rank.exposed_ns = 40;
  rank.gpu_time_ns[v1::PHASE_FORWARD] = 100;
  rank.gpu_time_ns[v1::PHASE_BACKWARD] = 240;
  sums.report.category_times = {};
  sums.report.category_times[v1::PHASE_BACKWARD][v1::TIME_CATEGORY_COMMUNICATION] = 9;
  sums.report.picture = {7, true, {rank}};
  const std::string text = Render(sums, {.views = {"timeline"}}, 140, false);
  EXPECT_THAT(text, HasSubstr("Timeline  step 7"));
  const std::string line =
      std::string(10, 'f') + std::string(20, 'b') + "cccc" + std::string(66, '.') + "\n";
  EXPECT_THAT(text, HasSubstr("40 ns  " + line));
  EXPECT_THAT(text, HasSubstr("is not recorded"));
  EXPECT_THAT(Render(sums, {.views = {"timeline"}}, 140), HasSubstr("██████████▓▓▓▓"));
}

TEST(TimelineViewTest, BlocksAreRoundedToTheLargestRemainders) {
  model::RunSums sums = SampleSums();
  sums.report.category_times = {};
  model::RankStep rank;
  rank.wall_ns = 1000;
  rank.busy_ns = 350;
  rank.exposed_ns = 0;
  rank.gpu_time_ns[v1::PHASE_FORWARD] = 115;
  rank.gpu_time_ns[v1::PHASE_BACKWARD] = 115;
  rank.gpu_time_ns[v1::PHASE_OPTIMIZER] = 120;
  sums.report.picture = {7, true, {rank}};
  // Of 20 columns 2.3, 2.3, 2.4 and 13: the column that is left is the optimizer's. Rounded ends
  // (2.3, 4.6, 7) would give the backward 3 and the optimizer 2.
  EXPECT_THAT(Render(sums, {.views = {"timeline"}}, 60, false),
              HasSubstr("  ffbbooo" + std::string(13, '.') + "\n"));
}

TEST(TimelineViewTest, OfManyRanksTheSlowestTheMiddleAndTheFastest) {
  model::RunSums sums = SampleSums();
  sums.report.picture = {7, true, {}};
  for (int i = 0; i < 9; ++i) {
    model::RankStep rank;
    rank.rank = i;
    rank.wall_ns = 1000 + 100 * static_cast<uint64_t>(i);
    sums.report.picture.ranks.push_back(rank);
  }
  const std::string text = Render(sums, {.brief = true}, 100, false);
  const std::string view = text.substr(text.find("Timeline"));
  EXPECT_THAT(view, HasSubstr("\n     8  1.80 us"));
  EXPECT_THAT(view, HasSubstr("\n     4  1.40 us"));
  EXPECT_THAT(view, HasSubstr("\n     0  1.00 us"));
  EXPECT_THAT(view, HasSubstr("fastest of 9 ranks"));
  // Where the middle one is among the slowest, one more of these.
  const std::string most = Render(sums, {.views = {"timeline"}, .top = 8}, 100, false);
  for (int rank = 0; rank < 9; ++rank) {
    const std::string row = "     " + std::to_string(rank) + "  1.";
    EXPECT_EQ(LinesWith(most, row).size(), rank == 1 ? 0u : 1u) << most;
  }
}

TEST(DepthsViewTest, ClassesOfADepthAreAddedUp) {
  model::RunSums sums = SampleSums();
  for (model::ModuleSummary& module : sums.summary.modules) {
    module.depth =
        module.path.empty()
            ? 0
            : 1 + static_cast<uint32_t>(std::count(module.path.begin(), module.path.end(), '.'));
  }
  // Four blocks of 250 parameters, 12,000 and 24,000 flops in 18 us.
  const std::string text = Render(sums, {.views = {"depths"}, .totals = true});
  EXPECT_THAT(LinesWith(text, "Block"),
              ElementsAre(HasSubstr("2 | Block | 4 | 1.00 K | 24 | 48.0 k | 24.0 µs | 96.0 k | "
                                    "48.0 µs | 144.0 k | 72.0 µs")));
}

TEST(ClassesViewTest, WorkIsThatOfTheModulesThemselves) {
  const std::string text =
      Render(SampleSums(), {.views = {"modules"}, .totals = true, .group_by = GroupBy::kClass});
  EXPECT_THAT(LinesWith(text, "Linear"), ElementsAre(HasSubstr("| 144.0 k | 72.0 µs |")));
  EXPECT_THAT(text, Not(HasSubstr("\n  Block")));
  EXPECT_THAT(text, HasSubstr("3 classes without work of their own"));
}

// 10 + 20 + 32 + 40 + 54 + 60 = 216 ns and 1 + 2 + 3 + 4 + 5 = 15 flops: clipping and other are one
// part.
model::RunSums AllPhases() {
  model::RunSums sums = SampleSums();
  model::Work work = MakeWork(1, 10, 2, 20, 60);
  SetPhase(v1::PHASE_RECOMPUTE, 3, 32, &work);
  SetPhase(v1::PHASE_OPTIMIZER, 4, 40, &work);
  SetPhase(v1::PHASE_CLIPPING, 5, 54, &work);
  sums.summary.totals.work = work;
  sums.summary.modules = {MakeModule("", "Net", 7, 6, work, work)};
  return sums;
}

TEST(ClassesViewTest, PartsAddUpToAll) {
  const model::RunSums sums = AllPhases();
  const std::string head =
      "params,calls,forward_flops,forward_time_s,backward_flops,backward_time_s,recompute_flops,"
      "recompute_time_s,optimizer_flops,optimizer_time_s,other_flops,other_time_s,all_flops,"
      "all_time_s,flop_per_s,share";
  const std::string row = ",6,1,1e-08,2,2e-08,3,3.2e-08,4,4e-08,5,1.14e-07,15,2.16e-07,";
  for (const ReportStyle& style :
       {ReportStyle{.views = {"modules"}, .output = Output::kCsv},
        ReportStyle{.views = {"modules"}, .group_by = GroupBy::kClass, .output = Output::kCsv},
        ReportStyle{.views = {"depths"}, .output = Output::kCsv}}) {
    const std::string text = Render(sums, style);
    EXPECT_THAT(text, HasSubstr(head));
    EXPECT_THAT(text, HasSubstr(row));
  }
  const std::string text = Render(sums, {.views = {"depths"}, .totals = true}, 200);
  EXPECT_THAT(
      LinesWith(text, "Net"),
      ElementsAre(HasSubstr("| 1 | 10 ns | 2 | 20 ns | 3 | 32 ns | 4 | 40 ns | 5 | 114 ns | "
                            "15 | 216 ns")));
}

TEST(ModulesViewTest, RecomputeStaysLongerThanMacsAndParameters) {
  for (size_t width = 60; width <= 140; ++width) {
    const std::string text = Render(AllPhases(), {.views = {"modules"}, .totals = true}, width);
    const size_t at = text.find("left out here: ");
    const std::string gone = at == text.npos ? "" : text.substr(at);
    if (gone.find("recompute") == gone.npos) continue;
    EXPECT_THAT(gone, HasSubstr("MACs")) << width;
    EXPECT_THAT(gone, HasSubstr("params")) << width;
  }
  EXPECT_THAT(Render(AllPhases(), {.views = {"modules"}, .totals = true}, 100),
              HasSubstr("recompute"));
}

TEST(NodesViewTest, ANodeHasACharacterForEachRank) {
  model::RunSums sums = SampleSums();
  sums.summary.ranks[1].work = MakeWork(24000, 12000, 48000, 24000, 24000);
  const std::string text =
      Render(sums, {.views = {"ranks"}, .group_by = GroupBy::kNode}, 160, false);
  EXPECT_THAT(text, HasSubstr("  slowest rank  "));
  EXPECT_THAT(LinesWith(text.substr(text.find("Ranks by node")), "node-a"),
              ElementsAre("node-a | 2 | 1 | 50.0 us | 60.0 us | 1 | 144.0 k | - | 7 | _#"));
}

TEST(ReportStyleTest, IgnoredRowsAreCounted) {
  const std::string text = Render(
      SampleSums(), {.views = {"kernels", "modules"}, .ignore = std::regex("sgemm|^layers")});
  EXPECT_THAT(text, Not(HasSubstr("ampere_sgemm")));
  EXPECT_THAT(text, Not(HasSubstr("[0-3]")));
  EXPECT_THAT(text, HasSubstr("1 row left out by --ignore"));
  EXPECT_THAT(text, HasSubstr("9 rows left out by --ignore"));
}

TEST(ReportStyleTest, KernelsAreSortedByWhatIsAskedFor) {
  model::RunSums sums = SampleSums();
  sums.summary.kernels[1].count = 99;
  const std::string text = Render(sums, {.views = {"kernels"}, .sort = SortKey::kCalls});
  EXPECT_LT(text.find("axpy"), text.find("ampere_sgemm"));
  EXPECT_THAT(Render(sums, {.views = {"kernels"}, .sort = SortKey::kMfu}),
              HasSubstr("not sorted: this table has no such column"));
}

TEST(ReportStyleTest, ATitleNamesTheOrderThatTheRowsHave) {
  const model::RunSums sums = SampleSums();
  const auto title = [&](SortKey key) {
    return Render(sums, {.views = {"kernels"}, .top = 1, .sort = key});
  };
  EXPECT_THAT(title(SortKey::kMfu), HasSubstr("top 1 of 2 by GPU time"));
  EXPECT_THAT(title(SortKey::kCalls), HasSubstr("top 1 of 2 in the order asked for"));
}

TEST(ReportStyleTest, AllFindingsAreInAllViewsWhereTheHeadHasNotAll) {
  model::RunSums sums = SampleSums();
  const model::Finding finding = sums.summary.findings[0];
  sums.summary.findings.assign(3, finding);
  EXPECT_THAT(Render(sums, {}), Not(HasSubstr("\nFindings")));
  sums.summary.findings.push_back(finding);
  sums.summary.findings.back().text = "the fourth";
  EXPECT_THAT(Render(sums, {}), HasSubstr("the fourth"));
  EXPECT_THAT(Render(sums, {}), HasSubstr("1 more finding: all are at the end"));
  EXPECT_THAT(Render(sums, {.brief = true}), Not(HasSubstr("the fourth")));
  EXPECT_THAT(Render(sums, {.brief = true}), HasSubstr("1 more finding: --view findings"));
}

TEST(ReportStyleTest, AViewOfNothingSaysSo) {
  model::RunSums sums = SampleSums();
  sums.summary.collectives.clear();
  sums.summary.coverage.records_lost = 0;
  for (model::RankSummary& rank : sums.summary.ranks) rank.loss.clear();
  const std::pair<const char*, const char*> kHeads[] = {
      {"communication", "collective,"}, {"ranges", "range,"}, {"losses", "what,"}};
  for (const auto& [view, head] : kHeads) {
    const std::string csv = Render(sums, {.views = {view}, .output = Output::kCsv});
    EXPECT_EQ(csv.rfind(head, 0), 0u) << csv;
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1) << csv;
    EXPECT_THAT(Render(sums, {.views = {view}}), HasSubstr("  none"));
  }
  EXPECT_THAT(Render(sums, {.views = {"ranges"}}), HasSubstr("none recorded"));
  EXPECT_THAT(Render(sums, {}), Not(HasSubstr("none recorded")));
}

TEST(HeaderTest, IdleForAnUnknownCauseIsNotTheHosts) {
  model::RunSums sums = SampleSums();
  sums.summary.steps.parts = {4, 4, 2000, 200, 0};
  sums.summary.steps.bound_by = "idle";
  EXPECT_THAT(Render(sums, {}), HasSubstr(": mostly idle, cause not known"));
}

TEST(HeaderTest, MfuAboveAGivenPeakIsSaidToBe) {
  model::RunSums sums = SampleSums();
  for (model::RankSummary& rank : sums.summary.ranks) {
    rank.utilisation.mfu = 1.2;
    rank.devices[0].peaks = model::PeaksOf(rank.devices[0].name, 0, {});
  }
  EXPECT_THAT(Render(sums, {}), Not(HasSubstr("above the peak given")));
  for (model::RankSummary& rank : sums.summary.ranks) {
    rank.devices[0].peaks = model::PeaksOf(rank.devices[0].name, 0, {{"tf32", 1e9}});
  }
  EXPECT_THAT(Render(sums, {}), HasSubstr("120.0%, above the peak given"));
  for (model::RankSummary& rank : sums.summary.ranks) rank.utilisation.mfu = 0.9;
  EXPECT_THAT(Render(sums, {}), Not(HasSubstr("above the peak given")));
}

TEST(ReportStyleTest, OfSomeStepsNothingElseIsShown) {
  const std::string text = Render(SampleSums(), {.steps_shown = "steps 1 to 2"});
  EXPECT_THAT(text, HasSubstr("! only steps 1 to 2"));
  EXPECT_THAT(text, HasSubstr("\nSteps"));
  for (const char* other :
       {"\ncoverage", "our hooks", "\nModules", "\nKernels", "\nRanks", "was killed"}) {
    EXPECT_THAT(text, Not(HasSubstr(other)));
  }
}

// Two screens of 50 lines.
TEST(ReportStyleTest, TheFirstReportFitsTwoScreens) {
  const std::string text = Render(SampleSums(), {.brief = true, .top = 5}, 100);
  EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 100);
  EXPECT_THAT(text, Not(HasSubstr("\nMethod")));
  EXPECT_THAT(text, HasSubstr("--view all"));
}

TEST(ReportStyleTest, OneRunGivesTheSameBytesTwice) {
  for (const Output output : {Output::kText, Output::kMarkdown}) {
    const ReportStyle style = {.output = output};
    EXPECT_EQ(Render(SampleSums(), style), Render(SampleSums(), style));
  }
}

// Names that would do something: on a terminal, in a page, in a spreadsheet.
model::RunSums HostileSums() {
  model::RunSums sums = SampleSums();
  sums.summary.modules[1].class_name = "Evil\x1b]0;t\x07";
  sums.summary.modules[2].class_name = "a|b`c`<script>alert(1)</script>";
  sums.summary.kernels[0].name = "=cmd|'/c calc'!A0";
  sums.summary.kernels[1].name = "<img src=x>";
  sums.summary.collectives[0].api = "+SUM(1|2)";
  sums.summary.ranks[0].node = "@team\x1b[2J";
  sums.report.calls[0].api = "-2+3";
  return sums;
}

TEST(HostileNamesTest, OnATerminal) {
  EXPECT_THAT(Render(HostileSums(), {}), Not(HasSubstr("\x1b")));
}

TEST(HostileNamesTest, InMarkdown) {
  const std::string text = Render(HostileSums(), {.output = Output::kMarkdown});
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("<script")));
  EXPECT_THAT(text, Not(HasSubstr("<img")));
  EXPECT_THAT(text, Not(HasSubstr("@team")));
  EXPECT_THAT(text, HasSubstr("a\\|b\\`c\\`&lt;script&gt;"));
  // Each row of a table has as many cells as its head.
  std::istringstream lines(text);
  size_t cells = 0;
  for (std::string line; std::getline(lines, line);) {
    size_t bars = 0;
    for (size_t i = 0; i < line.size(); ++i) {
      bars += line[i] == '|' && (i == 0 || line[i - 1] != '\\') ? 1 : 0;
    }
    if (line.empty() || line[0] != '|') {
      cells = 0;
      EXPECT_EQ(bars, 0u) << line;
    } else if (cells == 0) {
      cells = bars;
    }
    if (cells > 0) {
      EXPECT_EQ(bars, cells) << line;
    }
  }
}

TEST(HostileNamesTest, InCsv) {
  const std::string kernels = Render(HostileSums(), {.views = {"kernels"}, .output = Output::kCsv});
  EXPECT_THAT(kernels, HasSubstr("\n'=cmd|'/c calc'!A0,"));
  EXPECT_THAT(kernels, Not(HasSubstr("Kernels")));
  EXPECT_THAT(Render(HostileSums(), {.views = {"communication"}, .output = Output::kCsv}),
              HasSubstr("\n'+SUM(1|2),"));
  EXPECT_THAT(Render(HostileSums(), {.views = {"calls"}, .output = Output::kCsv}),
              HasSubstr("\n'-2+3,"));
  for (const std::string& view : ReportViews()) {
    const std::string csv = Render(HostileSums(), {.views = {view}, .output = Output::kCsv});
    EXPECT_THAT(csv, Not(HasSubstr("\x1b")));
    // Lines end as RFC 4180 says.
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), std::count(csv.begin(), csv.end(), '\r'));
  }
}

}  // namespace
}  // namespace flopsprof::viewer
