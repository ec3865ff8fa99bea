// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "injector/base/platform.h"
#include "injector/transport/record_sink.h"

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

// Runs `child` in a forked child while another thread holds the lock; true if it returns true.
template <typename Child>
bool InAChildOfAHolder(BriefLock* lock, pid_t (*fork_it)(), const Child& child) {
  std::atomic<bool> held{false}, done{false};
  std::thread holder([&] {
    lock->Lock();
    held = true;
    while (!done) sched_yield();
    lock->Unlock();
  });
  while (!held) sched_yield();
  const pid_t pid = fork_it();
  if (pid == 0) _exit(child() ? 0 : 1);
  int status = 1;
  waitpid(pid, &status, 0);
  done = true;
  holder.join();
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(BriefLockTest, AChildIsNotKeptByAThreadThatTheForkLeftBehind) {
  BriefLock lock;
  EXPECT_TRUE(InAChildOfAHolder(&lock, fork, [&] { return lock.LockWithin(1000 * kMillisecond); }));
}

TEST(BriefLockTest, InAChildTheLockIsALockAgain) {
  BriefLock lock;
  EXPECT_TRUE(InAChildOfAHolder(&lock, fork, [&] {
    return lock.LockWithin(1000 * kMillisecond) && !lock.LockWithin(kMillisecond);
  }));
}

TEST(BriefLockTest, TheParentsLockIsHeldWhateverAChildDoes) {
  BriefLock lock;
  lock.Lock();
  const pid_t pid = fork();
  if (pid == 0) _exit(lock.LockWithin(1000 * kMillisecond) ? 0 : 1);
  int status = 1;
  waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(lock.LockWithin(kMillisecond));
}

TEST(BriefLockTest, AVforkChildSharesTheLock) {
  BriefLock lock;
  lock.Lock();
  const pid_t pid = vfork();  // NOLINT: what is tested
  if (pid == 0) _exit(lock.LockWithin(kMillisecond) ? 0 : 1);
  int status = 0;
  waitpid(pid, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_FALSE(lock.LockWithin(kMillisecond));
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
