// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/upload/profile_split.h"

#include <gtest/gtest.h>

#include <string>

namespace flopsprof::agent {
namespace {

v1::ProcessProfile Large() {
  v1::ProcessProfile profile;
  profile.mutable_key()->set_pid(17);
  profile.mutable_info()->set_rank(3);
  for (uint32_t i = 0; i < 10; i++) profile.add_scopes()->set_name(std::string(300, 'a'));
  for (uint32_t i = 0; i < 10; i++) profile.add_kernels()->set_name(std::string(300, 'b'));
  (*profile.mutable_notes())["torch"] = std::string(300, 'c');
  (*profile.mutable_loss())["ring_full"] = 4;
  return profile;
}

TEST(SplitProfileTest, LeavesASmallOneWhole) {
  EXPECT_EQ(SplitProfile(Large(), 1 << 20).size(), 1u);
}

TEST(SplitProfileTest, KeepsEveryRowOnceAndEachPartSmall) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "Debian's Protobuf is not built for TSan: reflection on maps crashes in it";
#endif
  v1::ProcessProfile whole;
  for (const v1::ProcessProfile& part : SplitProfile(Large(), 1000)) {
    EXPECT_LE(part.ByteSizeLong(), 1100u);
    EXPECT_EQ(part.key().pid(), 17);
    whole.MergeFrom(part);
  }
  EXPECT_EQ(whole.scopes_size(), 10);
  EXPECT_EQ(whole.kernels_size(), 10);
  EXPECT_EQ(whole.info().rank(), 3);
  EXPECT_EQ(whole.notes().at("torch"), std::string(300, 'c'));
  EXPECT_EQ(whole.loss().at("ring_full"), 4u);
}

}  // namespace
}  // namespace flopsprof::agent
