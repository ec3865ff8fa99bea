// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/cli/verbs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flopsprof::viewer {
namespace {

using ::testing::HasSubstr;

TEST(MatchVerbTest, TakesAUniqueBeginning) {
  EXPECT_EQ(MatchVerb("rep").verb->name, "report");
  EXPECT_EQ(MatchVerb("collec").verb->name, "collector");
}

TEST(MatchVerbTest, AWholeNameBeatsALongerOne) { EXPECT_EQ(MatchVerb("ps").verb->name, "ps"); }

TEST(MatchVerbTest, NamesTheChoicesOfAnAmbiguousBeginning) {
  const VerbMatch match = MatchVerb("de");
  EXPECT_EQ(match.verb, nullptr);
  EXPECT_THAT(match.error, HasSubstr("detach, demo"));
}

TEST(MatchVerbTest, SuggestsTheNearestVerb) {
  EXPECT_THAT(MatchVerb("reprot").error, HasSubstr("did you mean \"report\"?"));
  EXPECT_THAT(MatchVerb("collectro").error, HasSubstr("collector"));
}

TEST(MatchVerbTest, SuggestsNothingForNonsense) {
  EXPECT_THAT(MatchVerb("xyzzy").error, ::testing::Not(HasSubstr("did you mean")));
}

TEST(MatchVerbTest, VerbsOfLaterVersionsAreKnown) {
  ASSERT_NE(MatchVerb("diff").verb, nullptr);
  EXPECT_FALSE(MatchVerb("diff").verb->available);
}

TEST(NearestTest, FindsATypingErrorInAnOption) {
  EXPECT_EQ(Nearest("--stpes", {"--strict", "--steps", "--output"}), "--steps");
  EXPECT_EQ(Nearest("--zzzzzz", {"--strict", "--steps"}), "");
}

}  // namespace
}  // namespace flopsprof::viewer
