// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/cli/job_process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace flopsprof::viewer {
namespace {

constexpr absl::Duration kTick = absl::Milliseconds(5);

JobResult RunShell(const std::string& script, bool profiled = true) {
  auto job = JobProcess::Fork({{"/bin/sh", "-c", script}, {"WHO=profiled"}, {"WHO=plain"}});
  EXPECT_TRUE(job.ok());
  EXPECT_EQ((*job)->Release(profiled), 0);
  return (*job)->Wait(kTick, [] {});
}

TEST(JobProcessTest, GivesTheExitCode) { EXPECT_EQ(RunShell("exit 7").exit_code, 7); }

TEST(JobProcessTest, ASignalIs128AndItsNumber) {
  const JobResult result = RunShell("kill -KILL $$");
  EXPECT_EQ(result.exit_code, 128 + SIGKILL);
  EXPECT_EQ(result.signal, SIGKILL);
}

TEST(JobProcessTest, TheJobGetsTheEnvironmentThatWasChosen) {
  EXPECT_EQ(RunShell("test $WHO = profiled").exit_code, 0);
  EXPECT_EQ(RunShell("test $WHO = plain", false).exit_code, 0);
}

TEST(JobProcessTest, SignalsArriveThatAreSentToUs) {
  auto job = JobProcess::Fork(
      {{"/bin/sh", "-c", "trap 'exit 41' USR1; echo; while :; do sleep 0.01; done"}, {}, {}});
  ASSERT_TRUE(job.ok());
  ASSERT_EQ((*job)->Release(true), 0);
  // Sent again until the trap is set; before that the shell would die of it.
  int tick = 0;
  const JobResult result = (*job)->Wait(absl::Milliseconds(50), [&] {
    if (++tick == 20) kill(getpid(), SIGUSR1);
  });
  EXPECT_EQ(result.exit_code, 41);
}

TEST(JobProcessTest, AFailedExecuteGivesItsReason) {
  auto job = JobProcess::Fork({{"/no/such/program"}, {}, {}});
  ASSERT_TRUE(job.ok());
  EXPECT_EQ((*job)->Release(true), ENOENT);
  EXPECT_EQ((*job)->Wait(kTick, [] {}).exec_errno, ENOENT);
}

TEST(JobProcessTest, AnAbandonedJobNeverRuns) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  auto job = JobProcess::Fork({{"/bin/sh", "-c", "echo x >&" + std::to_string(ends[1])}, {}, {}});
  ASSERT_TRUE(job.ok());
  (*job)->Abandon();
  close(ends[1]);
  char byte;
  EXPECT_EQ(read(ends[0], &byte, 1), 0);
  close(ends[0]);
}

TEST(FindCommandTest, TellsMissingFromNotExecutable) {
  EXPECT_EQ(FindCommand("/bin/sh"), 0);
  EXPECT_EQ(FindCommand("sh"), 0);
  EXPECT_EQ(FindCommand("no-such-program-at-all"), ENOENT);
  EXPECT_EQ(FindCommand("/no/such/program"), ENOENT);
  EXPECT_EQ(FindCommand("/etc/passwd"), EACCES);
  EXPECT_EQ(FindCommand("/etc"), EACCES);
  EXPECT_EQ(FindCommand(""), ENOENT);
}

}  // namespace
}  // namespace flopsprof::viewer
