// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/scopes/step_at.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "injector/scopes/attribution.h"
#include "tests/unit/injector/scopes/fake_torch.h"

namespace flopsprof::injector {
namespace {

class StepAtTest : public ::testing::Test {
 protected:
  void SetUp() override {
    test::ResetScopesForTesting();
    setenv("FLOPSPROF_STEP_AT", "turn", 1);
  }
  void TearDown() override { unsetenv("FLOPSPROF_STEP_AT"); }
};

TEST_F(StepAtTest, SaysInEachSessionWhatItHasFound) {
  EnterNamedRange(shm::ScopeKind::kUser, nullptr, "turn", 4);
  EXPECT_EQ(test::RecordedNotes()["step_at"], "a module or a range");
  test::BeginRecording();
  EXPECT_EQ(test::RecordedNotes().count("step_at"), 0u);
  EnterNamedRange(shm::ScopeKind::kUser, nullptr, "turn", 4);
  EXPECT_EQ(test::RecordedNotes()["step_at"], "a module or a range");
}

}  // namespace
}  // namespace flopsprof::injector
