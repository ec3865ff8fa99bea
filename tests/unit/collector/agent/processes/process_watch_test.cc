// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/processes/process_watch.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/wait_until.h"

namespace flopsprof::agent {
namespace {

using testing::WaitUntil;

// Fields 3 to 52 of proc(5); the name holds a blank and parentheses.
const char kZombie[] =
    "4711 (a) b) c) Z 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 987654 20 21 22 23 24 25 26 27 "
    "28 29 30 31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 1792\n";

TEST(ParseProcessStatusTest, ReadsStateStartAndExitStatus) {
  const std::optional<ProcessStatus> status = ParseProcessStatus(kZombie);
  ASSERT_TRUE(status.has_value());
  EXPECT_EQ(status->state, 'Z');
  EXPECT_EQ(status->start_ticks, 987654u);
  EXPECT_EQ(status->exit_status, 1792);  // exit code 7
}

TEST(ParseProcessStatusTest, ARunningProcessHasNoExitStatus) {
  std::string text = kZombie;
  text[text.find(" Z ") + 1] = 'R';
  EXPECT_EQ(ParseProcessStatus(text)->exit_status, std::nullopt);
}

TEST(ParseProcessStatusTest, RefusesOtherText) {
  EXPECT_FALSE(ParseProcessStatus("").has_value());
  EXPECT_FALSE(ParseProcessStatus("1 (x)").has_value());
  EXPECT_FALSE(ParseProcessStatus("1 (x) R 2 3").has_value());
}

TEST(EndFromWaitStatusTest, TellsCodesFromSignals) {
  EXPECT_EQ(EndFromWaitStatus(7 << 8).exit_code, 7);
  EXPECT_EQ(EndFromWaitStatus(7 << 8).state, v1::PROCESS_STATE_EXITED);
  EXPECT_EQ(EndFromWaitStatus(SIGKILL).exit_signal, SIGKILL);
  EXPECT_EQ(EndFromWaitStatus(SIGSEGV | 0x80).exit_signal, SIGSEGV);  // with a core
  EXPECT_EQ(EndFromWaitStatus(SIGKILL).state, v1::PROCESS_STATE_SIGNALLED);
}

// A child that ends with `exit_code` when it is told to, and is waited for in the end.
class GatedChild {
 public:
  explicit GatedChild(int exit_code) {
    int ends[2];
    if (::pipe(ends) != 0) return;
    pid_ = ::fork();
    if (pid_ == 0) {
      char byte;
      ::close(ends[1]);
      (void)!::read(ends[0], &byte, 1);
      ::_exit(exit_code);
    }
    ::close(ends[0]);
    gate_ = ends[1];
  }
  ~GatedChild() {
    GoOn();
    ::waitpid(pid_, nullptr, 0);
  }
  void GoOn() {
    if (gate_ >= 0) ::close(gate_);
    gate_ = -1;
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
  int gate_ = -1;
};

TEST(ProcessWatchTest, ReadsTheExitCodeOfAChildThatNobodyHasWaitedFor) {
  GatedChild child(7);
  ProcessWatch watch(child.pid());
  EXPECT_FALSE(watch.Poll().has_value());
  child.GoOn();
  ASSERT_TRUE(WaitUntil([&] { return watch.Poll().has_value(); }));
  EXPECT_EQ(watch.Poll()->state, v1::PROCESS_STATE_EXITED);
  EXPECT_EQ(watch.Poll()->exit_code, 7);
}

TEST(ProcessWatchTest, ReadsTheSignal) {
  GatedChild child(0);
  ProcessWatch watch(child.pid());
  ASSERT_GT(child.pid(), 0);
  ::kill(child.pid(), SIGKILL);
  ASSERT_TRUE(WaitUntil([&] { return watch.Poll().has_value(); }));
  EXPECT_EQ(watch.Poll()->state, v1::PROCESS_STATE_SIGNALLED);
  EXPECT_EQ(watch.Poll()->exit_signal, SIGKILL);
}

// Whether this kernel tells by PIDFD_GET_INFO (Linux 6.15) how a process ended that was waited for:
// asked here in words of its own, of another child.
bool KernelKeepsTheStatus() {
  GatedChild child(3);
  const int pidfd = static_cast<int>(::syscall(SYS_pidfd_open, child.pid(), 0));
  if (pidfd < 0) return false;
  child.GoOn();
  ::waitpid(child.pid(), nullptr, 0);
  uint64_t info[8] = {1u << 3};  // struct pidfd_info: mask first, exit_code last
  const bool answered = ::ioctl(pidfd, _IOC(_IOC_READ | _IOC_WRITE, 0xff, 11, 64), info) == 0;
  ::close(pidfd);
  return answered && (info[0] & (1u << 3)) != 0;
}

TEST(ProcessWatchTest, AfterItsParentHasWaitedTheStatusIsTheKernelsElseLost) {
  GatedChild child(7);
  ProcessWatch watch(child.pid());
  child.GoOn();
  ASSERT_EQ(::waitpid(child.pid(), nullptr, 0), child.pid());
  const std::optional<ProcessEnd> end = watch.Poll();
  ASSERT_TRUE(end.has_value());
  const bool kept = KernelKeepsTheStatus();
  EXPECT_EQ(end->state, kept ? v1::PROCESS_STATE_EXITED : v1::PROCESS_STATE_LOST);
  EXPECT_EQ(end->exit_code, kept ? std::optional<int>(7) : std::nullopt);
}

TEST(ReadCommandLineTest, JoinsTheWords) {
  EXPECT_NE(ReadCommandLine(::getpid()).find("collector_agent_test"), std::string::npos);
  EXPECT_EQ(ReadCommandLine(-1), "");
}

}  // namespace
}  // namespace flopsprof::agent
