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

// Two calls in a row of a replay of a graph, which nobody has recorded, and 10 rows of 3 and of 5.
v1::ProcessProfile WithRows() {
  v1::ProcessProfile profile;
  profile.mutable_key()->set_pid(17);
  v1::CallRow& replayed = *profile.add_calls();
  replayed.set_calls(7);
  replayed.set_unrecorded_calls(2);
  for (uint32_t i = 0; i < 10; i++) {
    profile.add_calls()->set_calls(3);
    profile.mutable_calls(static_cast<int>(i) + 1)->set_api(std::string(300, 'a'));
    profile.add_times()->set_activities(5);
  }
  profile.mutable_times(0)->set_unrecorded_activities(4);
  v1::EpochRow& epoch = *profile.add_epochs();
  epoch.set_epoch(9);
  epoch.set_session(2);
  epoch.set_rank(1);
  epoch.set_calls_taken(1);  // failed: in no row
  epoch.set_final(true);
  return profile;
}

TEST(SplitProfileTest, SaysWithTheRowsHowManyCallsAreTaken) {
  for (const size_t max_bytes : {size_t{1} << 20, size_t{1000}}) {
    uint64_t calls = 0, activities = 0;
    int finals = 0;
    for (const v1::ProcessProfile& part : SplitProfile(WithRows(), max_bytes)) {
      uint64_t in_rows = 0;
      for (const v1::CallRow& row : part.calls()) {
        in_rows += row.calls();
        EXPECT_EQ(row.unrecorded_calls(), 0u);
      }
      EXPECT_GE(part.epochs_size(), in_rows != 0 ? 1 : 0);
      for (const v1::EpochRow& epoch : part.epochs()) {
        EXPECT_EQ(epoch.epoch(), 9u);
        EXPECT_EQ(epoch.rank(), 1);
        EXPECT_LE(epoch.calls_taken(), in_rows + 1);
        calls += epoch.calls_taken();
        activities += epoch.activities_taken();
        finals += epoch.final();
      }
    }
    EXPECT_EQ(calls, 1u + 5u + 30u);
    EXPECT_EQ(activities, 46u);
    EXPECT_EQ(finals, 1);
  }
}

TEST(SplitProfileTest, SaysNothingOfAProcessWithoutAnEpoch) {
  v1::ProcessProfile profile = WithRows();
  profile.clear_epochs();
  EXPECT_EQ(SplitProfile(profile, 1 << 20)[0].epochs_size(), 0);
}

}  // namespace
}  // namespace flopsprof::agent
