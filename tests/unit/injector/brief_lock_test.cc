// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "injector/platform.h"
#include "injector/record_sink.h"

namespace flopsprof::injector {
namespace {

constexpr uint64_t kMillisecond = 1000000;

TEST(BriefLockTest, GivesUpOnAHolderThatNeverLetsGo) {
  BriefLock lock;
  lock.Lock();
  const uint64_t begin_ns = MonoNs();
  EXPECT_FALSE(lock.LockWithin(20 * kMillisecond));
  EXPECT_GE(MonoNs() - begin_ns, 20 * kMillisecond);
  lock.Unlock();
}

TEST(BriefLockTest, TakesAFreeLockOnce) {
  BriefLock lock;
  EXPECT_TRUE(lock.LockWithin(kMillisecond));
  EXPECT_FALSE(lock.LockWithin(kMillisecond));
  lock.Unlock();
  EXPECT_TRUE(lock.LockWithin(kMillisecond));
}

TEST(ErrnoKeeperTest, RestoresWhatItFound) {
  errno = 77;
  {
    const ErrnoKeeper keep;
    errno = 5;
  }
  EXPECT_EQ(errno, 77);
}

}  // namespace
}  // namespace flopsprof::injector
