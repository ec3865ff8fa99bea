// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/cli/arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flopsprof::viewer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(SplitAtSeparatorTest, OnlyTheFirstSeparatorIsOurs) {
  const SplitArguments split = SplitAtSeparator({"-o", "d", "--", "make", "--", "-o", "x"});
  EXPECT_THAT(split.own, ElementsAre("-o", "d"));
  EXPECT_THAT(split.command, ElementsAre("make", "--", "-o", "x"));
}

TEST(SplitAtSeparatorTest, KeepsEmptyAndOddArguments) {
  EXPECT_THAT(SplitAtSeparator({"--", "p", "", "--help", "-"}).command,
              ElementsAre("p", "", "--help", "-"));
}

TEST(SplitAtSeparatorTest, WithoutSeparatorThereIsNoCommand) {
  const SplitArguments split = SplitAtSeparator({"report", "run"});
  EXPECT_FALSE(split.has_separator);
  EXPECT_THAT(split.command, IsEmpty());
}

TEST(IsRunAliasTest, LooksAtTheLastPartOfTheName) {
  EXPECT_TRUE(IsRunAlias("/opt/fp/bin/flopsprof-run"));
  EXPECT_TRUE(IsRunAlias("flopsprof-run"));
  EXPECT_FALSE(IsRunAlias("/opt/flopsprof-run/flopsprof"));
}

TEST(ParseStepWindowTest, IsHalfOpen) {
  StepWindowText window;
  std::string error;
  ASSERT_TRUE(ParseStepWindow("10:20", &window, &error));
  EXPECT_EQ(window.first, 10u);
  EXPECT_EQ(window.end, 20u);
}

TEST(ParseStepWindowTest, EitherEndMayBeOpen) {
  StepWindowText window;
  std::string error;
  ASSERT_TRUE(ParseStepWindow(":3", &window, &error));
  EXPECT_EQ(window.first, 0u);
  ASSERT_TRUE(ParseStepWindow("5:", &window, &error));
  EXPECT_EQ(window.end, 0xffffffffu);
}

class BadStepWindowTest : public ::testing::TestWithParam<const char*> {};

TEST_P(BadStepWindowTest, IsRefused) {
  StepWindowText window;
  std::string error;
  EXPECT_FALSE(ParseStepWindow(GetParam(), &window, &error));
  EXPECT_THAT(error, HasSubstr(GetParam()));
}

INSTANTIATE_TEST_SUITE_P(Texts, BadStepWindowTest,
                         ::testing::Values("banana", "", ":", "5", "5:2", "3:3", "1:2:3", "-1:4",
                                           "1:4x", "1:99999999999"));

TEST(QuoteCommandTest, ReadsBackInAShell) {
  EXPECT_EQ(QuoteCommand({"python3", "-c", "print('a b')", ""}),
            "python3 -c 'print('\\''a b'\\'')' ''");
}

TEST(ArgumentsTest, AShareIsAPercentage) {
  double share = 0;
  std::string error;
  ASSERT_TRUE(ParseShare("1%", &share, &error));
  EXPECT_DOUBLE_EQ(share, 0.01);
  ASSERT_TRUE(ParseShare("0.5%", &share, &error));
  EXPECT_DOUBLE_EQ(share, 0.005);
  ASSERT_TRUE(ParseShare("100%", &share, &error));
  EXPECT_DOUBLE_EQ(share, 1);
}

TEST(ArgumentsTest, WhatIsNoShareIsRefusedWithAnExample) {
  for (const char* text : {"", "1", "%", "x%", "-1%", "+1%", "1e-1%", "nan%", " 1%", "1 %",
                           "1.2.3%", "0%", "0.009%", "100.1%", "200%"}) {
    double share = 0.25;
    std::string error;
    EXPECT_FALSE(ParseShare(text, &share, &error)) << text;
    EXPECT_NE(error.find("1%"), std::string::npos) << error;
    EXPECT_EQ(share, 0.25);
  }
}

}  // namespace
}  // namespace flopsprof::viewer
