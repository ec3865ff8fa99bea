// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/cli/ds_block.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace flopsprof::viewer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// A configuration with this block.
std::string With(const std::string& block) { return "{\"flops_profiler\": " + block + "}"; }

TEST(DsBlockTest, TakesAllKeys) {
  const ParsedDsBlock parsed =
      ParseDsBlock(With(R"({"enabled": true, "profile_step": 7, "module_depth": 3, "top_modules": 4,
               "detailed": false, "output_file": "a/b.txt", "recompute_fwd_factor": 0.5})"));
  ASSERT_TRUE(parsed.block.has_value()) << parsed.error;
  EXPECT_TRUE(parsed.block->enabled);
  EXPECT_EQ(parsed.block->steps.first, 7u);
  EXPECT_EQ(parsed.block->steps.end, 8u);
  EXPECT_EQ(parsed.block->module_depth, 3);
  EXPECT_EQ(parsed.block->top_modules, 4);
  EXPECT_FALSE(parsed.block->detailed);
  EXPECT_EQ(parsed.block->output_file, "a/b.txt");
  EXPECT_EQ(parsed.block->recompute_fwd_factor, 0.5);
  EXPECT_THAT(parsed.unknown, IsEmpty());
  EXPECT_THAT(parsed.remarks, IsEmpty());
}

// deepspeed/profiling/constants.py of 0.19.8.
TEST(DsBlockTest, HasDeepSpeedsDefaults) {
  const ParsedDsBlock parsed = ParseDsBlock(With("{}"));
  ASSERT_TRUE(parsed.block.has_value());
  EXPECT_FALSE(parsed.block->enabled);
  EXPECT_EQ(parsed.block->steps.first, 1u);
  EXPECT_EQ(parsed.block->steps.end, 2u);
  EXPECT_EQ(parsed.block->module_depth, -1);
  EXPECT_EQ(parsed.block->top_modules, 1);
  EXPECT_TRUE(parsed.block->detailed);
  EXPECT_EQ(parsed.block->output_file, "");
  EXPECT_EQ(parsed.block->recompute_fwd_factor, 0);
}

TEST(DsBlockTest, AnOldConfigurationNamesTheStepsFromStartToBelowEnd) {
  const ParsedDsBlock both = ParseDsBlock(With(R"({"start_step": 3, "end_step": 6})"));
  ASSERT_TRUE(both.block.has_value());
  EXPECT_EQ(both.block->steps.first, 3u);
  EXPECT_EQ(both.block->steps.end, 6u);
  // The default of the other one, of 0.3.11.
  const ParsedDsBlock one = ParseDsBlock(With(R"({"end_step": 9})"));
  EXPECT_EQ(one.block->steps.first, 5u);
  EXPECT_EQ(one.block->steps.end, 9u);
  const ParsedDsBlock newer = ParseDsBlock(With(R"({"end_step": 9, "profile_step": 2})"));
  EXPECT_EQ(newer.block->steps.end, 3u);
  EXPECT_THAT(newer.remarks, ElementsAre(HasSubstr("not used beside \"profile_step\"")));
  EXPECT_EQ(ParseDsBlock(With(R"({"start_step": 6})")).error,
            "\"end_step\" of flops_profiler is 6, not above \"start_step\", which is 6");
}

// DeepSpeed 0.19.8 reads its configuration with hjson.
TEST(DsBlockTest, CommentsAndLastCommasAreDeepSpeedsToo) {
  const ParsedDsBlock parsed = ParseDsBlock(
      "# a comment with \" in it\n{ // another, with }\n  \"x\": [1, 2, ], /* \"enabled\" */\n"
      "  \"flops_profiler\": {\"enabled\": true, \"output_file\": \"a#b//c/*,}\", },\n}\n# end");
  ASSERT_TRUE(parsed.block.has_value()) << parsed.error;
  EXPECT_TRUE(parsed.block->enabled);
  EXPECT_EQ(parsed.block->output_file, "a#b//c/*,}");
}

TEST(DsBlockTest, WithoutCommentsKeepsLengthAndLines) {
  EXPECT_EQ(WithoutComments("{\"a\\\"#\":1,#x\n}"), "{\"a\\\"#\":1   \n}");
  EXPECT_EQ(WithoutComments("/* a\nb */[,]/*"), "    \n    [ ]  ");
}

TEST(DsBlockTest, AnErrorOfSyntaxNamesItsLine) {
  EXPECT_THAT(ParseDsBlock("{\n  # one\n  \"a\": 1\n  \"b\": 2\n}").error,
              StartsWith("no JSON: line 4, column 5: "));
  EXPECT_THAT(ParseDsBlock("{\n flops_profiler: {}}").error, StartsWith("no JSON: line 2, "));
  EXPECT_THAT(ParseDsBlock("").error, StartsWith("no JSON: line 1, "));
  EXPECT_THAT(ParseDsBlock("{\"a\": \"x").error, StartsWith("no JSON: line 1, "));
  EXPECT_EQ(ParseDsBlock("[1]").error, "no JSON object, but array");
}

TEST(DsBlockTest, AWrongValueIsNamedWithItsKey) {
  const std::pair<std::string, std::string> wrong[] = {
      {R"({"enabled": "yes"})", R"("enabled" of flops_profiler is "yes", not true or false)"},
      {R"({"profile_step": -1})",
       R"("profile_step" of flops_profiler is -1, not a whole number from 0 on)"},
      {R"({"profile_step": 1.5})",
       R"("profile_step" of flops_profiler is 1.5, not a whole number from 0 on)"},
      {R"({"profile_step": true})",
       R"("profile_step" of flops_profiler is true, not a whole number from 0 on)"},
      {R"({"profile_step": 99999999999999999999})",
       R"("profile_step" of flops_profiler is 1e+20, not a whole number from 0 on)"},
      {R"({"profile_step": 18446744073709551615})",
       R"("profile_step" of flops_profiler is 18446744073709551615, not a whole number from 0 on)"},
      {R"({"profile_step": "auto"})",
       R"("profile_step" of flops_profiler is "auto", not a whole number from 0 on; Hugging Face )"
       R"(fills in no "auto" there)"},
      {R"({"module_depth": -2})",
       R"("module_depth" of flops_profiler is -2, not a whole number from -1 on)"},
      {R"({"top_modules": null})",
       R"("top_modules" of flops_profiler is null, not a whole number from 0 on)"},
      {R"({"detailed": 1})", R"("detailed" of flops_profiler is 1, not true or false)"},
      {R"({"output_file": ["a"]})",
       R"("output_file" of flops_profiler is ["a"], not a path or null)"},
      {R"({"recompute_fwd_factor": "x"})",
       R"("recompute_fwd_factor" of flops_profiler is "x", not a number from 0 on)"},
      {R"(true)", R"("flops_profiler" is no object, but boolean)"}};
  for (const auto& [block, error] : wrong) {
    const ParsedDsBlock parsed = ParseDsBlock(With(block));
    EXPECT_EQ(parsed.error, error);
    EXPECT_FALSE(parsed.block.has_value());
  }
}

TEST(DsBlockTest, AKeyThatStandsTwiceIsNamed) {
  EXPECT_EQ(ParseDsBlock(With(R"({"enabled": true, "enabled": false})")).error,
            "the key \"enabled\" stands twice in one object, which DeepSpeed refuses");
  EXPECT_EQ(ParseDsBlock(R"({"a": {"x": 1}, "b": {"x": 1}, "flops_profiler": {}})").error, "");
}

TEST(DsBlockTest, KeysThatDeepSpeedIgnoresAreNamed) {
  const ParsedDsBlock parsed =
      ParseDsBlock(With(R"({"enabled": true, "profil_step": 3, "zzz": 1})"));
  EXPECT_TRUE(parsed.block.has_value());
  EXPECT_THAT(parsed.unknown, ElementsAre("flops_profiler has no key \"profil_step\"; did you mean "
                                          "\"profile_step\"?",
                                          "flops_profiler has no key \"zzz\""));
}

TEST(DsBlockTest, StepZeroIsRemarked) {
  const ParsedDsBlock parsed = ParseDsBlock(With(R"({"profile_step": 0})"));
  EXPECT_EQ(parsed.block->steps.end, 1u);
  EXPECT_THAT(parsed.remarks, ElementsAre(StartsWith("step 0 of flops_profiler is the first")));
}

TEST(DsBlockTest, WhetherItIsEnabledIsKnownBesideAnError) {
  EXPECT_FALSE(ParseDsBlock(With(R"({"top_modules": "x"})")).enabled);
  EXPECT_TRUE(ParseDsBlock(With(R"({"enabled": true, "top_modules": "x"})")).enabled);
}

// Depth costs no stack.
TEST(DsBlockTest, HostileNestingIsAnErrorOrNothing) {
  EXPECT_THAT(ParseDsBlock(std::string(500000, '[')).error, StartsWith("no JSON: line 1, "));
  const std::string deep = std::string(200000, '[') + std::string(200000, ']');
  EXPECT_EQ(ParseDsBlock("{\"a\": " + deep + ", \"flops_profiler\": {}}").error, "");
}

}  // namespace
}  // namespace flopsprof::viewer
