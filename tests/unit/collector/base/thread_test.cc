// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/base/thread.h"

#include <gtest/gtest.h>
#include <pthread.h>

namespace flopsprof::base {
namespace {

// While it is there no thread can be made: none has room for its stack.
class NoRoomForThreads {
 public:
  NoRoomForThreads() {
    pthread_getattr_default_np(&before_);
    pthread_attr_t huge;
    pthread_attr_init(&huge);
    pthread_attr_setstacksize(&huge, size_t{1} << 46);
    pthread_setattr_default_np(&huge);
    pthread_attr_destroy(&huge);
  }
  ~NoRoomForThreads() {
    pthread_setattr_default_np(&before_);
    pthread_attr_destroy(&before_);
  }

 private:
  pthread_attr_t before_;
};

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
