// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/merge_backlog.h"

#include <gtest/gtest.h>

#include <thread>

namespace flopsprof::store {
namespace {

constexpr uint64_t kOfARecord = 1024;

TEST(MergeBacklogTest, HasRoomUntilTheBytesOfRequestsReachTheBound) {
  MergeBacklog backlog(2000 + 2 * kOfARecord);
  EXPECT_TRUE(backlog.WaitForRoom(absl::ZeroDuration()));
  backlog.Add(1, 1000);
  EXPECT_TRUE(backlog.WaitForRoom(absl::ZeroDuration()));
  backlog.Add(2, 1000);
  EXPECT_EQ(backlog.bytes(), 2000 + 2 * kOfARecord);
  EXPECT_FALSE(backlog.WaitForRoom(absl::ZeroDuration()));
  backlog.MergedThrough(1);
  EXPECT_EQ(backlog.bytes(), 1000 + kOfARecord);
  EXPECT_TRUE(backlog.WaitForRoom(absl::ZeroDuration()));
}

TEST(MergeBacklogTest, WaitsUntilThereIsRoom) {
  MergeBacklog backlog(1);
  backlog.Add(1, 1000);
  std::thread merger([&backlog] { backlog.MergedThrough(1); });
  EXPECT_TRUE(backlog.WaitForRoom(absl::InfiniteDuration()));
  EXPECT_EQ(backlog.bytes(), 0u) << "it has not waited";
  merger.join();
}

TEST(MergeBacklogTest, DoesNotCountWhatWasMergedBeforeItWasAdded) {
  MergeBacklog backlog(1);
  backlog.MergedThrough(2);
  backlog.Add(2, 1000);
  backlog.Add(1, 1000);
  EXPECT_EQ(backlog.bytes(), 0u);
}

}  // namespace
}  // namespace flopsprof::store
