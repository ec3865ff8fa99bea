// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/cli/ds_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "tests/support/temp_folder.h"
#include "viewer/cli/ds_choice.h"

namespace flopsprof::viewer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Words = std::vector<std::string>;

constexpr char kBlock[] = R"({"flops_profiler": {"enabled": true, "profile_step": 3}})";

class DsSearchTest : public ::testing::Test {
 protected:
  // Path of a file with this text.
  std::string Write(const std::string& name, const std::string& text) {
    const std::string path = folder_.File(name);
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path) << text;
    return path;
  }

  testing::TempFolder folder_;
};

TEST_F(DsSearchTest, OptionsOfTheJobNameIt) {
  const std::string ds = Write("ds.json", kBlock);
  for (const Words& command :
       {Words{"deepspeed", "train.py", "--deepspeed", "--deepspeed_config", ds, "--lr", "1"},
        Words{"python", "train.py", "--deepspeed_config=" + ds},
        Words{"torchrun", "train.py", "--deepspeed", ds},
        Words{"torchrun", "train.py", "--deepspeed=" + ds},
        Words{"accelerate", "launch", "--deepspeed_config_file", ds, "train.py"},
        Words{"python", "t.py", "--deepspeed", ds, "--deepspeed_config", ds}}) {
    const std::optional<DsSource> found = FindDsConfig(command, {});
    ASSERT_TRUE(found.has_value()) << command.back();
    EXPECT_EQ(found->name, ds);
    EXPECT_EQ(found->text, kBlock);
    EXPECT_EQ(found->error, "");
    EXPECT_THAT(found->where, HasSubstr(" on the job's command line"));
  }
}

TEST_F(DsSearchTest, TheSwitchAloneNamesNothing) {
  const std::string script = Write("train.py", "");
  for (const Words& command : {Words{"deepspeed", "train.py", "--deepspeed"},
                               Words{"deepspeed", "--deepspeed", script, "--lr", "1"},
                               Words{"python", "t.py", "--deepspeed", "cifar10"},
                               Words{"python", "t.py", "--deepspeed=stage2"},
                               Words{"python", "t.py", "--deepspeed", folder_.path()},
                               Words{"python", "t.py", "--deepspeed_configs", "x"}, Words{"python"},
                               Words{"python", "t.py", "--deepspeed_config"}}) {
    EXPECT_FALSE(FindDsConfig(command, {}).has_value()) << command.back();
  }
}

TEST_F(DsSearchTest, ItsTextMayStandThereItself) {
  const std::string base64 = absl::WebSafeBase64Escape(kBlock);
  const std::string padded = base64 + std::string((4 - base64.size() % 4) % 4, '=');
  for (const std::string& word : {base64, padded}) {
    const std::optional<DsSource> found =
        FindDsConfig({"python", "t.py", "--deepspeed_config", word}, {});
    EXPECT_EQ(found->text, kBlock);
    EXPECT_EQ(found->name, "the base64 text behind --deepspeed_config");
  }
  EXPECT_EQ(FindDsConfig({"python", "t.py", "--deepspeed", kBlock}, {})->text, kBlock);
}

TEST_F(DsSearchTest, TwoOnOneCommandLineAreNone) {
  const std::string ds = Write("ds.json", kBlock);
  const std::optional<DsSource> found =
      FindDsConfig({"python", "t.py", "--deepspeed", ds, "--deepspeed_config", "other.json"}, {});
  EXPECT_EQ(found->text, "");
  EXPECT_EQ(found->error,
            "the command line names another one too, other.json (--deepspeed_config); --ds-config "
            "FILE says which is meant");
}

TEST_F(DsSearchTest, AnArgumentsFileOfTheScriptNamesIt) {
  const std::string ds = Write("ds.json", kBlock);
  const std::string json =
      Write("args.json", "{\"output_dir\": \"o\", \"deepspeed\": \"" + ds + "\"}");
  const std::string yaml = Write("args.yaml", "# x\noutput_dir: o\ndeepspeed: '" + ds + "' # y\n");
  for (const Words& command :
       {Words{"torchrun", "train.py", json}, Words{"python", "-m", "pkg.train", yaml},
        Words{"python", "train.py", "--lr", "1", "--config", yaml},
        Words{"python", "train.py", "--config=" + json, "--lr", "1"}}) {
    const std::optional<DsSource> found = FindDsConfig(command, {});
    ASSERT_TRUE(found.has_value()) << command.back();
    EXPECT_EQ(found->text, kBlock);
    EXPECT_THAT(found->where, HasSubstr("deepspeed in the arguments file "));
  }
  EXPECT_FALSE(FindDsConfig({"python", "train.py", json, "--lr", "1"}, {}).has_value());
  const std::string whole = Write("whole.json", std::string("{\"deepspeed\": ") + kBlock + "}");
  EXPECT_THAT(FindDsConfig({"python", "train.py", whole}, {})->text, HasSubstr("profile_step"));
  const std::string nested = Write("n.yaml", "a: 1\ndeepspeed:\n  flops_profiler:\n    x: 1\n");
  EXPECT_THAT(FindDsConfig({"python", "train.py", nested}, {})->error, HasSubstr("line 2: "));
}

// Other programs have such files, and such keys, too.
TEST_F(DsSearchTest, AnArgumentsFileOfAnotherKindNamesNothing) {
  const auto of = [&](const std::string& name, const std::string& text) {
    return FindDsConfig({"python", "train.py", "--config", Write(name, text)}, {});
  };
  EXPECT_FALSE(of("a.yaml", "deepspeed: true\n").has_value());
  EXPECT_FALSE(of("b.yaml", "deepspeed: stage_2\n").has_value());
  EXPECT_FALSE(of("c.yaml", "deepspeed:\n  stage: 2\n").has_value());
  EXPECT_FALSE(of("d.json", "{\"deepspeed\": true}").has_value());
  EXPECT_FALSE(of("e.json", "[1]").has_value());
  EXPECT_FALSE(of("f.json", "no JSON").has_value());
  EXPECT_EQ(of("g.json", "{\"deepspeed\": \"gone.json\"}")->error, "No such file or directory");
  std::filesystem::resize_file(Write("data.json", "[]"), 1'000'000'000);
  EXPECT_FALSE(FindDsConfig({"python", "train.py", folder_.File("data.json")}, {}).has_value());
}

TEST_F(DsSearchTest, AcceleratesConfigurationNamesIt) {
  const std::string ds = Write("ds.json", kBlock);
  const std::string text =
      "compute_environment: LOCAL_MACHINE\ndeepspeed_config:\n"
      "  deepspeed_config_file: " +
      ds +
      "\n  zero3_init_flag: false\n"
      "distributed_type: DEEPSPEED\nmachine_rank: 0\n";
  const std::string given = Write("acc.yaml", text);
  Write("hf/accelerate/default_config.yaml", text);
  Write("cache/huggingface/accelerate/default_config.yaml", text);
  Write("home/.cache/huggingface/accelerate/default_config.yaml", text);
  const DsSearchPlaces nowhere = {folder_.File("nohome"), "", ""};
  const Words launch = {"accelerate", "launch", "train.py", "--config_file", "x.yaml"};
  EXPECT_EQ(
      FindDsConfig({"accelerate", "launch", "--config_file", given, "train.py"}, nowhere)->text,
      kBlock);
  EXPECT_EQ(FindDsConfig({"/x/accelerate-launch", "--config-file=" + given, "t.py"}, nowhere)->text,
            kBlock);
  EXPECT_EQ(
      FindDsConfig({"python", "-m", "accelerate.commands.launch", "--config_file", given, "t.py"},
                   nowhere)
          ->text,
      kBlock);
  EXPECT_FALSE(FindDsConfig(launch, nowhere).has_value());
  EXPECT_EQ(FindDsConfig(launch, {"", "", folder_.File("hf")})->text, kBlock);
  EXPECT_EQ(FindDsConfig(launch, {"", folder_.File("cache"), ""})->text, kBlock);
  EXPECT_EQ(FindDsConfig(launch, {folder_.File("home"), "", ""})->text, kBlock);
  EXPECT_FALSE(FindDsConfig({"python", "train.py"}, {folder_.File("home"), "", ""}).has_value());
}

TEST_F(DsSearchTest, AcceleratesConfigurationOfOtherTypesNamesNone) {
  const std::string ds = Write("ds.json", kBlock);
  const auto of = [&](const std::string& name, const std::string& text) {
    return FindDsConfig({"accelerate", "launch", "--config_file", Write(name, text), "t.py"}, {});
  };
  EXPECT_FALSE(of("a.yaml", "deepspeed_config:\n  deepspeed_config_file: " + ds +
                                "\ndistributed_type: MULTI_GPU\n")
                   .has_value());
  EXPECT_FALSE(of("b.yaml", "deepspeed_config: {}\ndistributed_type: 'NO'\n").has_value());
  EXPECT_FALSE(of("c.yaml", "deepspeed_config:\n  zero_stage: 2\n").has_value());
  EXPECT_FALSE(of("d.yaml", "deepspeed_config:\n  deepspeed_config_file: null\n").has_value());
  EXPECT_EQ(of("e.json",
               "{\"distributed_type\": \"DEEPSPEED\", \"deepspeed_config\": "
               "{\"deepspeed_config_file\": \"" +
                   ds + "\"}}")
                ->text,
            kBlock);
  EXPECT_EQ(of("f.json", "{")->error, "no JSON object");
  EXPECT_THAT(of("g.yaml", "deepspeed_config: {deepspeed_config_file: x}\n")->error,
              HasSubstr("line 1: the value of deepspeed_config is written in a form"));
}

TEST_F(DsSearchTest, WhatIsNoSmallPlainFileIsNotRead) {
  const auto error = [](const std::string& path) { return ReadDsConfig(path, "x").error; };
  EXPECT_EQ(error(folder_.File("none")), "No such file or directory");
  EXPECT_EQ(error(folder_.path()), "is a directory");
  EXPECT_EQ(error(Write("ds.json", "{}") + "/x"), "Not a directory");
  ASSERT_EQ(symlink("loop", folder_.File("loop").c_str()), 0);
  EXPECT_EQ(error(folder_.File("loop")), "Too many levels of symbolic links");
  // Opening it would wait for a writer.
  ASSERT_EQ(mkfifo(folder_.File("pipe").c_str(), 0600), 0);
  EXPECT_THAT(error(folder_.File("pipe")), HasSubstr("is no plain file"));
  EXPECT_THAT(error("/dev/zero"), HasSubstr("is no plain file"));
  // 1 GB that takes no room.
  std::filesystem::resize_file(Write("big.json", "{}"), 1'000'000'000);
  EXPECT_EQ(error(folder_.File("big.json")), "is larger than 1 MiB");
}

TEST_F(DsSearchTest, AMistakeInAGivenFileIsRefused) {
  const auto refusal = [&](const std::string& text) {
    return ChooseDsBlock(Write("g.json", text), true, {"true"}, {}).refusal;
  };
  const std::string name = folder_.File("g.json") + ": ";
  EXPECT_EQ(refusal("{}"), name + "no flops_profiler block");
  EXPECT_THAT(refusal(R"({"flops_profiler": {"profile_step": "auto"}})"), HasSubstr("\"auto\""));
  EXPECT_THAT(refusal(R"({"flops_profiler": {"stepp": 1}})"), HasSubstr("no key \"stepp\""));
  EXPECT_THAT(refusal("{"), HasSubstr(name + "no JSON: line 1"));
  EXPECT_EQ(ChooseDsBlock(folder_.path(), true, {"true"}, {}).refusal,
            folder_.path() + ": is a directory");
  EXPECT_EQ(refusal(kBlock), "");
}

TEST_F(DsSearchTest, AMistakeInAFoundFileIsSaidAndTheJobRuns) {
  const auto choice = [&](const std::string& text) {
    return ChooseDsBlock("", true, {"x", "--deepspeed", Write("f.json", text)}, {});
  };
  const DsChoice good = choice(kBlock);
  EXPECT_EQ(good.block->steps.first, 3u);
  EXPECT_EQ(good.origin, "flops_profiler of " + folder_.File("f.json") +
                             ", named by --deepspeed on the job's command line");
  EXPECT_THAT(good.said, IsEmpty());
  const DsChoice wrong = choice(R"({"flops_profiler": {"enabled": true, "top_modules": -1}})");
  EXPECT_FALSE(wrong.block.has_value());
  EXPECT_EQ(wrong.refusal, "");
  EXPECT_THAT(wrong.said, ElementsAre("no page in DeepSpeed's layout will be written: " +
                                      folder_.File("f.json") +
                                      ": \"top_modules\" of flops_profiler is -1, not a whole "
                                      "number from 0 on (named by --deepspeed on the job's command "
                                      "line; the job runs on)"));
  const DsChoice unknown = choice(R"({"flops_profiler": {"enabled": true, "step": 1}})");
  EXPECT_TRUE(unknown.block.has_value());
  EXPECT_THAT(unknown.said, ElementsAre(HasSubstr("flops_profiler has no key \"step\"")));
}

TEST_F(DsSearchTest, WhatIsNotEnabledIsOnlyNoted) {
  for (const char* text : {R"({"flops_profiler": {"enabled": false, "step": 1}})", "{}",
                           R"({"flops_profiler": {"top_modules": -1}})",
                           R"({"flops_profiler": {"profile_step": 0}})"}) {
    const DsChoice choice =
        ChooseDsBlock("", true, {"x", "--deepspeed", Write("f.json", text)}, {});
    EXPECT_FALSE(choice.block.has_value()) << text;
    EXPECT_THAT(choice.said, IsEmpty()) << text;
    EXPECT_FALSE(choice.noted.empty()) << text;
  }
}

TEST_F(DsSearchTest, WithoutASearchNothingIsFound) {
  const std::string ds = Write("ds.json", kBlock);
  EXPECT_FALSE(ChooseDsBlock("", false, {"x", "--deepspeed", ds}, {}).block.has_value());
  // What is given beats what is found.
  const std::string given = Write("given.json", R"({"flops_profiler": {"enabled": true}})");
  EXPECT_EQ(ChooseDsBlock(given, true, {"x", "--deepspeed", ds}, {}).block->steps.first, 1u);
}

}  // namespace
}  // namespace flopsprof::viewer
