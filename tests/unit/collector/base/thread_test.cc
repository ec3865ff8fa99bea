// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/base/thread.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include "tests/support/no_room_for_threads.h"

namespace flopsprof::base {
namespace {

using testing::NoRoomForThreads;

TEST(StartThreadTest, RunsWithoutSignals) {
  sigset_t in_thread;
  std::thread thread = StartThread([&] { pthread_sigmask(SIG_SETMASK, nullptr, &in_thread); });
  ASSERT_TRUE(thread.joinable());
  thread.join();
  EXPECT_EQ(sigismember(&in_thread, SIGTERM), 1);
  sigset_t here;
  pthread_sigmask(SIG_SETMASK, nullptr, &here);
  EXPECT_EQ(sigismember(&here, SIGTERM), 0);
}

TEST(StartThreadTest, WhereThereIsNoRoomNothingIsThrownAndSignalsComeAsBefore) {
  bool ran = false;
  std::thread thread;
  {
    const NoRoomForThreads no_room;
    thread = StartThread([&] { ran = true; });
  }
  EXPECT_FALSE(thread.joinable());
  EXPECT_FALSE(ran);
  sigset_t here;
  pthread_sigmask(SIG_SETMASK, nullptr, &here);
  EXPECT_EQ(sigismember(&here, SIGTERM), 0);
}

}  // namespace
}  // namespace flopsprof::base
