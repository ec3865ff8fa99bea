// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "proto/shm/handshake.h"
#include "viewer/cli/attach_options.h"

namespace flopsprof::viewer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(CommandLineTest, ReadsTheOptionsOfRun) {
  RunOptions options;
  ASSERT_TRUE(ParseRun({"-o", "d", "--steps", "10:20", "--strict", "--no-modules", "--progress",
                        "json", "-q", "--graphs", "graph"},
                       &options)
                  .run);
  EXPECT_EQ(options.output, "d");
  EXPECT_EQ(options.steps->first, 10u);
  EXPECT_EQ(options.steps->end, 20u);
  EXPECT_TRUE(options.strict);
  EXPECT_FALSE(options.modules);
  EXPECT_EQ(options.graphs, GraphMode::kGraph);
  EXPECT_TRUE(options.times);
  EXPECT_EQ(options.progress, ProgressMode::kJson);
  EXPECT_TRUE(options.quiet);
}

TEST(CommandLineTest, AnUnknownOptionIsExitCode2WithAHint) {
  RunOptions options;
  const ParseOutcome outcome = ParseRun({"--stpes", "1:2"}, &options);
  EXPECT_FALSE(outcome.run);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.text, StartsWith("flopsprof: run: unknown option --stpes"));
  EXPECT_THAT(outcome.text, HasSubstr("did you mean --steps?"));
}

TEST(CommandLineTest, EveryErrorOfTheParserIsExitCode2) {
  RunOptions run;
  EXPECT_EQ(ParseRun({"--steps", "banana"}, &run).exit_code, 2);
  EXPECT_EQ(ParseRun({"--steps"}, &run).exit_code, 2);
  EXPECT_EQ(ParseRun({"--progress", "loud"}, &run).exit_code, 2);
  EXPECT_EQ(ParseRun({"python", "train.py"}, &run).exit_code, 2);
  ReportOptions report;
  EXPECT_EQ(ParseReport({"run", "--top", "x"}, &report).exit_code, 2);
  EXPECT_EQ(ParseReport({"run", "--view", "nonsense"}, &report).exit_code, 2);
}

TEST(CommandLineTest, LaunchersThatTakeOverWriteIntoOneRun) {
  RunOptions options;
  EXPECT_TRUE(
      ParseRun({"--agent-socket", "s/a", "--collector", "h:1", "--run-id", "r"}, &options).run);
  for (const std::vector<std::string>& less : {std::vector<std::string>{"--agent-socket", "s/a"},
                                               {"--agent-socket", "s/a", "--collector", "h:1"},
                                               {"--agent-socket", "s/a", "--run-id", "r"}}) {
    RunOptions fresh;
    const ParseOutcome outcome = ParseRun(less, &fresh);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.text, HasSubstr("--agent-socket needs --collector and --run-id"));
  }
}

TEST(CommandLineTest, ABudgetIsAShareAndDecidesAlone) {
  RunOptions options;
  ASSERT_TRUE(ParseRun({"--max-overhead", "0.5%"}, &options).run);
  EXPECT_DOUBLE_EQ(options.max_overhead, 0.005);
  for (const char* wrong : {"1", "-1%", "200%", "x%", "0%"}) {
    RunOptions none;
    const ParseOutcome outcome = ParseRun({"--max-overhead", wrong}, &none);
    EXPECT_EQ(outcome.exit_code, 2) << wrong;
    EXPECT_THAT(outcome.text, HasSubstr("--max-overhead: \"" + std::string(wrong) + "\" is no"));
  }
  RunOptions both;
  EXPECT_EQ(ParseRun({"--max-overhead", "1%", "--paused"}, &both).exit_code, 2);
  EXPECT_EQ(ParseRun({"--max-overhead", "1%", "--steps", "1:2"}, &both).exit_code, 2);
}

TEST(CommandLineTest, ACollectorHasAPort) {
  for (const char* right : {"head:4777", "10.0.0.1:1", "[::1]:65535"}) {
    RunOptions options;
    EXPECT_TRUE(ParseRun({"--collector", right}, &options).run) << right;
    EXPECT_EQ(options.collector, right);
  }
  for (const char* wrong : {"", "head", ":4777", "head:", "head:x", "head:0", "head:65536"}) {
    RunOptions options;
    EXPECT_EQ(ParseRun({"--collector", wrong}, &options).exit_code, 2) << wrong;
  }
}

TEST(CommandLineTest, AWordForANumberIsSaidInOurWords) {
  const std::pair<std::vector<std::string>, std::string> wrong[] = {
      {{"--depth", "x"}, "report: --depth: \"x\" is no number\n"},
      {{"--top", "abc"}, "report: --top: \"abc\" is no number\n"},
      {{"--top", "1.5"}, "report: --top: \"1.5\" is no number\n"},
      {{"--top", "-1"}, "report: --top: \"-1\" is no number from 1 to 1000000000\n"},
      {{"--top", "0"}, "report: --top: \"0\" is no number from 1 to 1000000000\n"},
      {{"--top", "9999999999"}, "\"9999999999\" is no number from 1 to 1000000000\n"},
      {{"--depth=-2"}, "report: --depth: \"-2\" is no number from -1 to 1000000000\n"}};
  for (const auto& [arguments, text] : wrong) {
    ReportOptions options;
    const ParseOutcome outcome = ParseReport(arguments, &options);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.text, HasSubstr(text));
  }
}

TEST(CommandLineTest, AFormulaThatNobodyHasCannotBeTurnedOff) {
  for (const char* name : {"nosuch", "aten::mm", "flash_attn::nosuch", "mylib::"}) {
    RunOptions options;
    const ParseOutcome outcome = ParseRun({"--formula-off", name}, &options);
    EXPECT_EQ(outcome.exit_code, 2) << name;
    EXPECT_THAT(outcome.text, HasSubstr("run: --formula-off: \"" + std::string(name) +
                                        "\" is no operation with a formula; see docs/formulas.md"));
  }
  RunOptions known;
  EXPECT_TRUE(
      ParseRun({"--formula-off", "aten::_grouped_mm,inductor::mm,mylib::my_op"}, &known).run);
  EXPECT_EQ(known.formulas_off.size(), 3u);
}

TEST(CommandLineTest, ADeepSpeedConfigurationIsGivenOrNotLookedFor) {
  RunOptions options;
  EXPECT_TRUE(options.ds_search);
  ASSERT_TRUE(ParseRun({"--ds-config", "ds.json"}, &options).run);
  EXPECT_EQ(options.ds_config, "ds.json");
  RunOptions none;
  ASSERT_TRUE(ParseRun({"--no-ds-config"}, &none).run);
  EXPECT_FALSE(none.ds_search);
  RunOptions both;
  EXPECT_EQ(ParseRun({"--ds-config", "ds.json", "--no-ds-config"}, &both).exit_code, 2);
}

TEST(CommandLineTest, APageIsOfAStepOrARange) {
  ReportOptions options;
  ASSERT_TRUE(
      ParseReport({"dir", "--style", "deepspeed", "--step", "7", "--recompute-fwd-factor", "0.5"},
                  &options)
          .run);
  EXPECT_EQ(options.page_steps->first, 7u);
  EXPECT_EQ(options.page_steps->end, 8u);
  EXPECT_EQ(options.given.recompute_fwd_factor, 0.5);
  ReportOptions range;
  ASSERT_TRUE(ParseReport({"dir", "--style", "deepspeed", "--step", "2:5"}, &range).run);
  EXPECT_EQ(range.page_steps->first, 2u);
  EXPECT_EQ(range.page_steps->end, 5u);
  const std::pair<std::vector<std::string>, std::string> wrong[] = {
      {{"--style", "deepspeed", "--step", "-1"}, "--step: \"-1\" is no step"},
      {{"--style", "deepspeed", "--step", "x"}, "--step: \"x\" is no step"},
      {{"--style", "deepspeed", "--step", "5:5"}, "--step: \"5:5\" holds no step"},
      {{"--step", "5"}, "--step is for a layout of DeepSpeed"},
      {{"--recompute-fwd-factor", "1"}, "--recompute-fwd-factor is for a layout of DeepSpeed"},
      {{"--style", "deepspeed", "--recompute-fwd-factor", "-1"}, "\"-1\" is no number from 0 on"}};
  for (const auto& [arguments, text] : wrong) {
    ReportOptions fresh;
    const ParseOutcome outcome = ParseReport(arguments, &fresh);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.text, HasSubstr(text));
  }
}

TEST(MendedRunTest, PutsTheSeparatorBeforeTheCommand) {
  EXPECT_EQ(MendedRun("flopsprof-run", {"python", "train.py"}, false, {}),
            "flopsprof-run -- python train.py");
  EXPECT_EQ(MendedRun("flopsprof run", {"torchrun", "--nproc-per-node", "2", "a b.py"}, false, {}),
            "flopsprof run -- torchrun --nproc-per-node 2 'a b.py'");
}

TEST(MendedRunTest, KeepsTheOptionsAndTheirValues) {
  EXPECT_EQ(MendedRun("flopsprof-run", {"-o", "d", "--steps", "1:3", "-q", "python", "x.py", "-o"},
                      false, {}),
            "flopsprof-run -o d --steps 1:3 -q -- python x.py -o");
  EXPECT_EQ(
      MendedRun("flopsprof-run", {"--peak", "bf16=989T", "python", "x.py", "--help"}, false, {}),
      "flopsprof-run --peak bf16=989T -- python x.py --help");
}

TEST(MendedRunTest, ASeparatorOfTheCommandStaysIts) {
  EXPECT_EQ(MendedRun("flopsprof-run", {"python", "x.py"}, true, {"--lr", "1"}),
            "flopsprof-run -- python x.py -- --lr 1");
}

TEST(MendedRunTest, LeavesOtherErrorsAlone) {
  EXPECT_EQ(MendedRun("flopsprof-run", {}, false, {}), "");
  EXPECT_EQ(MendedRun("flopsprof-run", {"-o", "d"}, true, {"python"}), "");
  EXPECT_EQ(MendedRun("flopsprof-run", {"--stpes", "1:2", "python"}, false, {}), "");
  EXPECT_EQ(MendedRun("flopsprof-run", {"--steps"}, false, {}), "");
}

TEST(CommandLineTest, ARateOfStacksAsksForThemAndIsANumberOrAll) {
  RunOptions none;
  ASSERT_TRUE(ParseRun({"-q"}, &none).run);
  EXPECT_FALSE(none.stacks);
  const std::pair<std::string, uint32_t> rates[] = {
      {"1", 1}, {"1000000", 1'000'000}, {"all", shm::kEveryStack}};
  for (const auto& [text, rate] : rates) {
    RunOptions options;
    ASSERT_TRUE(ParseRun({"--stacks-rate", text}, &options).run) << text;
    EXPECT_TRUE(options.stacks);
    EXPECT_EQ(options.stacks_per_second, rate);
  }
  for (const char* text : {"0", "x", "1000001", "-1", "1.5", "4294967297", ""}) {
    RunOptions options;
    const ParseOutcome outcome = ParseRun({"--stacks-rate", text}, &options);
    EXPECT_FALSE(outcome.run) << text;
    EXPECT_EQ(outcome.exit_code, 2) << text;
    EXPECT_THAT(outcome.text, HasSubstr("--stacks-rate: \"" + std::string(text) +
                                        "\" is no number from 1 to 1000000, nor all"));
  }
}

TEST(CommandLineTest, HelpIsNoError) {
  RunOptions options;
  const ParseOutcome outcome = ParseRun({"--help"}, &options);
  EXPECT_FALSE(outcome.run);
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_THAT(outcome.text, HasSubstr("-- COMMAND..."));
}

TEST(CommandLineTest, ViewsAreAListAndFoldingHasANoForm) {
  ReportOptions options;
  ASSERT_TRUE(
      ParseReport({"dir", "--view", "modules,ranks", "--no-fold", "--depth=-1"}, &options).run);
  EXPECT_EQ(options.folder, "dir");
  EXPECT_THAT(options.views, ElementsAre("modules", "ranks"));
  EXPECT_FALSE(options.fold);
  EXPECT_EQ(*options.depth, -1);
}

TEST(CommandLineTest, ALayoutOfDeepSpeedIsAStyle) {
  ReportOptions options;
  ASSERT_TRUE(ParseReport({"dir", "--style", "deepspeed-2021-05", "--mp-size", "8", "--no-detailed",
                           "--depth", "2", "--top", "5"},
                          &options)
                  .run);
  EXPECT_EQ(options.layout, deepspeed::Layout::k2021May);
  EXPECT_EQ(options.given.mp_size, 8u);
  EXPECT_FALSE(options.detailed);
  EXPECT_EQ(options.top, 5);
  ReportOptions ours;
  ASSERT_TRUE(ParseReport({"dir", "--style", "flopsprof", "--view", "ranks"}, &ours).run);
  EXPECT_FALSE(ours.layout.has_value());
}

TEST(CommandLineTest, AnOptionThatAStyleHasNoPlaceForIsRefused) {
  const std::pair<std::vector<std::string>, std::string> wrong[] = {
      {{"--style", "deepspeed", "--json"}, "report: a layout of DeepSpeed has no --json"},
      {{"--style", "flops-profiler", "--view", "ranks"}, "has no --view"},
      {{"--style", "deepspeed", "--focus", "fc"}, "has no --focus"},
      {{"--style", "deepspeed", "--exact"}, "has no --exact"},
      {{"--style", "deepspeed", "--totals"}, "has no --totals"},
      {{"--style", "deepspeed", "--no-fold"}, "has no --no-fold"},
      {{"--mp-size", "2"}, "report: --mp-size is for a layout of DeepSpeed: give --style"},
      {{"--no-detailed"}, "--no-detailed is for a layout of DeepSpeed"},
      {{"--style", "deepspeed", "--mp-size", "0"}, "--mp-size: \"0\" is no number from 1"},
      {{"--style", "megatron"}, "--style: \"megatron\" is none of deepspeed|deepspeed-2021|"},
      {{"--style", "deep"}, "|markdown; did you mean deepspeed?"},
      {{"--style", "flops-profile"}, "; did you mean flops-profiler?"},
      {{"--style", "/tmp/run"}, "report: --style takes a value: one of deepspeed|deepspeed-2021|"}};
  for (const auto& [arguments, text] : wrong) {
    ReportOptions options;
    std::vector<std::string> words = {"dir"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const ParseOutcome outcome = ParseReport(words, &options);
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_THAT(outcome.text, HasSubstr(text));
  }
}

TEST(CommandLineTest, AFocusIsARegularExpression) {
  ReportOptions options;
  ASSERT_TRUE(ParseReport({"dir", "--view", "kernels", "--focus", "layers\\.[0-3]"}, &options).run);
  EXPECT_EQ(options.focus, "layers\\.[0-3]");
  EXPECT_EQ(ParseReport({"dir", "--focus", "["}, &options).exit_code, 2);
}

TEST(CommandLineTest, AReportIsSortedGroupedAndOfAPart) {
  ReportOptions options;
  ASSERT_TRUE(ParseReport({"dir", "--sort", "flops", "--group-by", "node", "--rank", "3,8-15",
                           "--steps", "2:5", "--width", "60", "--style", "markdown"},
                          &options)
                  .run);
  EXPECT_EQ(options.sort, SortKey::kFlops);
  EXPECT_EQ(options.group_by, GroupBy::kNode);
  EXPECT_EQ(options.ranks, (std::vector<RankRange>{{3, 3}, {8, 15}}));
  EXPECT_EQ(options.steps->first, 2u);
  EXPECT_EQ(options.steps->end, 5u);
  EXPECT_EQ(options.width, 60);
  EXPECT_TRUE(options.markdown);
}

TEST(CommandLineTest, WhatAReportCannotDoIsSaid) {
  const std::pair<std::vector<std::string>, std::string> wrong[] = {
      {{"--sort", "size"}, "--sort: \"size\" is none of bytes|calls|flops|lost|mfu|name|"},
      {{"--group-by", "host"}, "--group-by: \"host\" is none of class|node|rank"},
      {{"--rank", "4-2"}, "--rank: \"4-2\" is no rank and no range of ranks, as 3 or 4-7"},
      {{"--rank", "0,,1"}, "--rank: \"\" is no rank"},
      {{"--rank", "-1"}, "--rank"},
      {{"--ignore", "["}, "--ignore: \"[\" is no regular expression"},
      {{"--width", "59"}, "--width: \"59\" is no number from 60 to 200"},
      {{"--width", "201"}, "--width: \"201\" is no number from 60 to 200"},
      {{"--csv"}, "--csv prints one table: name it, for example --view kernels"},
      {{"--csv", "--view", "all"}, "--csv prints one table"},
      {{"--csv", "--view", "kernels", "--json"}, "--csv and --json are two forms"},
      {{"--csv", "--view", "ranks", "--style", "markdown"}, "--csv and --style markdown are two"},
      {{"--steps", "2:5", "--json"}, "summary.json is not kept by step"},
      {{"--style", "deepspeed", "--csv"}, "a layout of DeepSpeed has no --csv"}};
  for (const auto& [arguments, text] : wrong) {
    ReportOptions options;
    std::vector<std::string> words = {"dir"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const ParseOutcome outcome = ParseReport(words, &options);
    EXPECT_EQ(outcome.exit_code, 2) << text;
    EXPECT_THAT(outcome.text, HasSubstr(text));
  }
}

TEST(CommandLineTest, PeaksMayBeGivenBeforeTheRun) {
  ReportOptions options;
  ASSERT_TRUE(
      ParseReport({"--peak", "bf16=989T,fp8=2P", "--peak", "tf32=1T", "run"}, &options).run);
  EXPECT_EQ(options.folder, "run");
  EXPECT_EQ(options.peaks, (model::GivenPeaks{{"bf16", 989e12}, {"fp8", 2e15}, {"tf32", 1e12}}));
  const ParseOutcome outcome = ParseReport({"--peak", "bf16", "run"}, &options);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_THAT(outcome.text, HasSubstr("TYPE=OPERATIONS_PER_SECOND"));
}

TEST(CommandLineTest, EveryAvailableVerbHasHelp) {
  for (const char* verb : {"run", "report", "ctl", "query", "doctor", "peaks", "collector", "env",
                           "completion", "help"}) {
    EXPECT_THAT(HelpOf(verb), HasSubstr(std::string("flopsprof ") + verb));
  }
}

TEST(CommandLineTest, CtlTakesARunAVerbAndItsName) {
  CtlOptions options;
  ASSERT_TRUE(ParseCtl({"dir", "mark", "a b"}, &options).run);
  EXPECT_EQ(options.folder, "dir");
  EXPECT_EQ(options.verb, "mark");
  EXPECT_EQ(options.name, "a b");
  CtlOptions start;
  ASSERT_TRUE(ParseCtl({"start", "--steps", "3", "--wait"}, &start).run);
  EXPECT_EQ(start.folder, "");
  EXPECT_EQ(start.steps, 3u);
}

TEST(CommandLineTest, CtlSaysWhatIsWrong) {
  const auto error = [](const std::vector<std::string>& arguments) {
    CtlOptions options;
    const ParseOutcome outcome = ParseCtl(arguments, &options);
    EXPECT_FALSE(outcome.run);
    EXPECT_EQ(outcome.exit_code, 2);
    return outcome.text;
  };
  EXPECT_THAT(error({}), StartsWith("flopsprof: ctl: what is to be done?"));
  EXPECT_THAT(error({"dir"}), StartsWith("flopsprof: ctl: what is to be done with dir?"));
  EXPECT_THAT(error({"dir", "strat"}), HasSubstr("did you mean start?"));
  EXPECT_THAT(error({"mark"}), HasSubstr("mark needs a name"));
  EXPECT_THAT(error({"stop", "more"}), HasSubstr("unexpected argument more"));
  for (const char* steps : {"0", "-1", "x", "9999999999"}) {
    EXPECT_THAT(error({"start", "--steps", steps}), HasSubstr("no number of steps from 1"));
  }
  EXPECT_THAT(error({"stop", "--steps", "3"}), HasSubstr("--steps belongs to start"));
  EXPECT_THAT(error({"start", "--now"}), HasSubstr("--now belongs to stop"));
  EXPECT_THAT(error({"start", "--wait"}), HasSubstr("--wait belongs to start --steps N"));
  EXPECT_THAT(error({"dir", "--run", "x", "stop"}), HasSubstr("give one"));
}

TEST(CommandLineTest, APausedRunHasNoStepsOfItsOwn) {
  RunOptions options;
  EXPECT_EQ(ParseRun({"--paused", "--steps", "1:2"}, &options).exit_code, 2);
  EXPECT_TRUE(ParseRun({"--paused"}, &options).run);
  EXPECT_TRUE(options.paused);
}

TEST(ParseAttachTest, TakesProcessesInOneListOrInSeveral) {
  AttachOptions options;
  ASSERT_TRUE(ParseAttach({"-p", "12,13", "-p", "14", "-d", "500ms"}, &options).run);
  EXPECT_EQ(options.pids, (std::vector<int>{12, 13, 14}));
  EXPECT_EQ(options.seconds, 0.5);
}

TEST(ParseAttachTest, ADurationAndANumberOfStepsAreTwoEnds) {
  AttachOptions options;
  EXPECT_FALSE(ParseAttach({"-p", "12", "-d", "10s", "--steps", "5"}, &options).run);
  EXPECT_FALSE(ParseAttach({"-p", "12", "-d", "ten"}, &options).run);
  EXPECT_FALSE(ParseAttach({"-p", "0"}, &options).run);
}

TEST(ParseDurationTest, KnowsFourUnits) {
  EXPECT_EQ(ParseDuration("10s"), 10);
  EXPECT_EQ(ParseDuration("2m"), 120);
  EXPECT_EQ(ParseDuration("1.5h"), 5400);
  EXPECT_EQ(ParseDuration("10"), 0);
  EXPECT_EQ(ParseDuration("s"), 0);
}

}  // namespace
}  // namespace flopsprof::viewer
