// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "rendezvous.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <thread>

namespace sim::nccl {
namespace {

// Different in every test of every run.
std::string FreshKey() {
  static int number = 0;
  return "test-" + std::to_string(getpid()) + "-" + std::to_string(number++);
}

// Two ranks, the second on a thread of its own.
struct Pair {
  explicit Pair(const std::string& key) {
    std::thread other([&] { second = Rendezvous::Join(key, 2, 1); });
    first = Rendezvous::Join(key, 2, 0);
    other.join();
  }
  std::unique_ptr<Rendezvous> first, second;
};

TEST(RendezvousTest, ShowsEachRankTheDataOfTheOther) {
  Pair pair(FreshKey());
  std::strcpy(pair.first->MyData(), "from 0");
  pair.first->Publish({100, 7});
  std::strcpy(pair.second->MyData(), "from 1");
  pair.second->Publish({250, 7});
  ASSERT_TRUE(pair.first->Wait());
  EXPECT_STREQ(pair.first->DataOf(1), "from 1");
  EXPECT_EQ(pair.first->ArrivalOf(1).time_ns, 250u);
  ASSERT_TRUE(pair.second->Wait());
  EXPECT_STREQ(pair.second->DataOf(0), "from 0");
}

// 1000 steps without a pause: a rank that is one step ahead must not disturb the other.
TEST(RendezvousTest, KeepsStepsApart) {
  Pair pair(FreshKey());
  const auto run = [](Rendezvous* mine, int other) {
    for (uint64_t step = 0; step < 1000; step++) {
      std::memcpy(mine->MyData(), &step, sizeof step);
      mine->Publish({step, step});
      ASSERT_TRUE(mine->Wait());
      uint64_t seen;
      std::memcpy(&seen, mine->DataOf(other), sizeof seen);
      ASSERT_EQ(seen, step);
    }
  };
  std::thread second([&] { run(pair.second.get(), 0); });
  run(pair.first.get(), 1);
  second.join();
}

TEST(RendezvousTest, DeliversMessagesInOrder) {
  Pair pair(FreshKey());
  for (int value : {11, 12}) ASSERT_TRUE(pair.first->Send(1, {}, &value, sizeof value));
  int received = 0;
  Arrival arrival;
  ASSERT_TRUE(pair.second->Receive(0, &arrival, &received, sizeof received));
  EXPECT_EQ(received, 11);
  ASSERT_TRUE(pair.second->Receive(0, &arrival, &received, sizeof received));
  EXPECT_EQ(received, 12);
}

TEST(RendezvousTest, EndsForAllRanksWhenOneDoesNotCome) {
  Pair pair(FreshKey());
  pair.first->Publish({});
  EXPECT_FALSE(pair.first->Wait());  // after SIMGPU_NCCL_TIMEOUT_MS, which main() makes short
  EXPECT_TRUE(pair.second->over());
}

TEST(RendezvousTest, ReturnsNothingWhenARankNeverJoins) {
  EXPECT_EQ(Rendezvous::Join(FreshKey(), 2, 0), nullptr);
}

TEST(RendezvousTest, NoticesThatAPeersProcessIsGone) {
  const std::string key = FreshKey();
  const pid_t child = fork();
  if (child == 0) _exit(Rendezvous::Join(key, 2, 1) != nullptr ? 0 : 1);
  const std::unique_ptr<Rendezvous> mine = Rendezvous::Join(key, 2, 0);
  ASSERT_NE(mine, nullptr);
  int status = 1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  testing::internal::CaptureStderr();
  mine->Publish({});
  EXPECT_FALSE(mine->Wait());
  EXPECT_NE(testing::internal::GetCapturedStderr().find("its process is gone"), std::string::npos);
}

}  // namespace
}  // namespace sim::nccl

int main(int argc, char** argv) {
  setenv("SIMGPU_NCCL_TIMEOUT_MS", "300", 1);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
