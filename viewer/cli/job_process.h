// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <csignal>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace flopsprof::viewer {

struct JobResult {
  // As a shell has it: the exit code, or 128 + the signal's number.
  int exit_code = 0;
  int signal = 0;      // 0 = exited
  int exec_errno = 0;  // not 0: the command was never executed
};

// The user's command as a child process.
//
// It is forked before this process makes its first thread and waits at a pipe; Release lets it
// execute. Should this process die before that, the child executes the command without the
// profiler: the job always runs. The child has the process group, terminal, descriptors, signal
// dispositions and signal mask that the user gave us.
//
// All functions belong to one thread, which must be the only one when Fork is called: Fork blocks
// the forwarded signals, and threads made later inherit that.
class JobProcess {
 public:
  struct Options {
    std::vector<std::string> command;
    std::vector<std::string> profiled_environment;  // "NAME=value"
    std::vector<std::string> plain_environment;
  };
  static absl::StatusOr<std::unique_ptr<JobProcess>> Fork(const Options& options);
  ~JobProcess();
  JobProcess(const JobProcess&) = delete;
  JobProcess& operator=(const JobProcess&) = delete;

  pid_t pid() const { return pid_; }

  // Lets the child execute the command, with the profiled or the plain environment. Returns the
  // error of execve, 0 when the command runs.
  int Release(bool profiled);

  // Instead of Release: the child ends without executing anything.
  void Abandon();

  // Waits for the end of the job. Signals that were sent to us go on to it; one from the terminal
  // does not, because the terminal has sent it to the whole process group. Calls `on_tick` about
  // every `tick`.
  JobResult Wait(absl::Duration tick, const std::function<void()>& on_tick);

 private:
  JobProcess(pid_t pid, int go_fd, int error_fd) : pid_(pid), go_fd_(go_fd), error_fd_(error_fd) {}
  void SendGo(char go);
  void Forward(const siginfo_t& info);

  pid_t pid_;
  int go_fd_;     // one byte: how to execute
  int error_fd_;  // errno of execve; closed by a successful one
  int exec_errno_ = 0;
};

// Looks `command` up as execvp does. Returns 0, ENOENT when there is no such file, or EACCES when
// there is one that may not be executed.
int FindCommand(const std::string& command);

}  // namespace flopsprof::viewer
