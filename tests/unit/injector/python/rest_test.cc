// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/python/rest.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "tests/unit/injector/scopes/fake_torch.h"

namespace flopsprof::injector {
namespace {

constexpr uint32_t kRoot = 11, kChild = 12;

class RestTest : public ::testing::Test {
 protected:
  void SetUp() override { test::ResetScopesForTesting(); }
  void TearDown() override {
    unsetenv("FLOPSPROF_STEP_AT");
    LetScopesRest(false);
    stack().rests = false;
  }
  // As module_hook and module_calls do it. False: it passed by.
  bool Enter(uint32_t scope) {
    if (PassesModuleBy(stack())) return false;
    RestInside(&stack(), stack().NearestModuleOrNode());
    stack().EnterModule(nullptr, scope);
    return true;
  }
  static ThreadScopes& stack() { return ThisThread(); }
};

TEST_F(RestTest, OutermostCallsAreFollowedAndThoseInsideAreNot) {
  LetScopesRest(true);
  EXPECT_TRUE(Enter(kRoot));
  EXPECT_FALSE(Enter(kChild));
  stack().Leave(0);
  EXPECT_TRUE(Enter(kRoot));
}

TEST_F(RestTest, ACallThatRunsWhenARestBeginsIsFollowedToItsEnd) {
  EXPECT_TRUE(Enter(kRoot));
  LetScopesRest(true);
  EXPECT_TRUE(Enter(kChild));
}

// Such as one that holds the whole loop of steps.
TEST_F(RestTest, InsideOfACallThatHasBegunInARestModulesAreFollowedAfterIt) {
  LetScopesRest(true);
  Enter(kRoot);
  EXPECT_FALSE(Enter(kChild));
  LetScopesRest(false);
  EXPECT_TRUE(Enter(kChild));
}

TEST_F(RestTest, ARangeAroundTheLoopKeepsNobodyAtRest) {
  LetScopesRest(true);
  const uint32_t depth = stack().EnterRange(nullptr, 21);
  Enter(kRoot);
  stack().Leave(depth + 1);
  LetScopesRest(false);
  Enter(kRoot);
  EXPECT_TRUE(Enter(kChild));
}

TEST_F(RestTest, ARecomputationAfterTheRestIsFollowedWhateverItsThreadDidBefore) {
  LetScopesRest(true);
  Enter(kRoot);
  stack().Leave(0);
  LetScopesRest(false);
  stack().BeginNodeOfScope(kRoot);
  EXPECT_TRUE(Enter(kChild));
  EXPECT_TRUE(Enter(kChild));
}

TEST_F(RestTest, NodesRestUnlessTheirPassesAreSteps) {
  EXPECT_FALSE(NodesRest());
  LetScopesRest(true);
  EXPECT_TRUE(NodesRest());
  g_wants_backward = true;
  EXPECT_FALSE(NodesRest());
  g_wants_backward = false;
}

TEST_F(RestTest, WhereAModuleMayBeginStepsAllAreFollowed) {
  setenv("FLOPSPROF_STEP_AT", "layer", 1);
  EXPECT_FALSE(LetScopesRest(true));
  Enter(kRoot);
  EXPECT_TRUE(Enter(kChild));
}

TEST_F(RestTest, NobodySaysThatAllRestsWhereNoHookIsThere) { EXPECT_FALSE(LetScopesRest(true)); }

}  // namespace
}  // namespace flopsprof::injector
