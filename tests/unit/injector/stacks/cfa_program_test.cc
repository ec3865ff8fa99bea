// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/stacks/cfa_program.h"

#include <gtest/gtest.h>

#include <vector>

namespace flopsprof::injector {
namespace {

using Bytes = std::vector<uint8_t>;

// Numbers of DWARF 5, section 7.24, written out: expected values are not those of the code.
class CfaProgramTest : public ::testing::Test {
 protected:
  CfaProgramTest() {
    cie_.code_alignment = 1;
    cie_.data_alignment = -8;
  }

  bool Run(const Bytes& instructions, uintptr_t target = 100) {
    return program_.Run({instructions.data(), instructions.data() + instructions.size()}, 0,
                        target);
  }
  const CfaRules& rules() const { return program_.rules(); }

  Cie cie_;
  CfaProgram program_{cie_, 0};
};

TEST_F(CfaProgramTest, FollowsAPrologueUpToTheAddress) {
  // def_cfa rsp+8; return address at CFA-8; push rbp: advance 1, CFA +16, rbp at CFA-16;
  // mov rsp, rbp: advance 3, CFA by rbp.
  const Bytes prologue = {0x0c, 7, 8, 0x90, 1, 0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6};
  ASSERT_TRUE(Run(prologue, 1));
  EXPECT_EQ(rules().cfa_register, 7u);
  EXPECT_EQ(rules().cfa_offset, 16);
  EXPECT_EQ(rules().return_address.offset, -8);
  EXPECT_EQ(rules().rbp.kind, SavedRegister::kAtCfa);
  EXPECT_EQ(rules().rbp.offset, -16);
  ASSERT_TRUE(Run(prologue, 4));
  EXPECT_EQ(rules().cfa_register, 6u);
  EXPECT_EQ(rules().cfa_offset, 16);
}

TEST_F(CfaProgramTest, RestoreGoesBackToTheRulesOfTheCie) {
  ASSERT_TRUE(Run({0x86, 2}));
  program_.KeepInitialRules();
  ASSERT_TRUE(Run({0x86, 4, 0xc6}));
  EXPECT_EQ(rules().rbp.offset, -16);
}

TEST_F(CfaProgramTest, RememberedStatesComeBackInTurn) {
  ASSERT_TRUE(Run({0x0c, 7, 8, 0x0a, 0x0e, 24, 0x0a, 0x0e, 32, 0x0b}));
  EXPECT_EQ(rules().cfa_offset, 24);
  ASSERT_TRUE(Run({0x0b}));
  EXPECT_EQ(rules().cfa_offset, 8);
  EXPECT_FALSE(Run({0x0b}));
}

TEST_F(CfaProgramTest, TooManyRememberedStatesAreNotUnderstood) {
  EXPECT_TRUE(Run(Bytes(8, 0x0a)));
  EXPECT_FALSE(Run({0x0a}));
}

// def_cfa_expression: *(rbp - 16), as functions that align their stack have it.
TEST_F(CfaProgramTest, ReadsAnExpressionThatLoadsTheCfaFromRbp) {
  ASSERT_TRUE(Run({0x0f, 3, 0x76, 0x70, 0x06}));
  EXPECT_TRUE(rules().cfa_at_rbp);
  EXPECT_EQ(rules().cfa_offset, -16);
  ASSERT_TRUE(Run({0x0f, 3, 0x77, 0x70, 0x06}));  // of rsp
  EXPECT_FALSE(rules().cfa_at_rbp);
  EXPECT_TRUE(rules().cfa_other);
}

TEST_F(CfaProgramTest, ReadsWhereAnExpressionSavesRbp) {
  ASSERT_TRUE(Run({0x10, 6, 2, 0x76, 0x68}));
  EXPECT_EQ(rules().rbp.kind, SavedRegister::kAtRbp);
  EXPECT_EQ(rules().rbp.offset, -24);
}

TEST_F(CfaProgramTest, ReadsTheSignedForms) {
  ASSERT_TRUE(Run({0x12, 7, 0x7e, 0x11, 6, 0x02}));
  EXPECT_EQ(rules().cfa_offset, 16);
  EXPECT_EQ(rules().rbp.offset, -16);
}

TEST_F(CfaProgramTest, StopsAtWhatItDoesNotKnow) {
  EXPECT_FALSE(Run({0x2d}));
  EXPECT_FALSE(Run({0x0c, 7}));  // cut off
}

}  // namespace
}  // namespace flopsprof::injector
