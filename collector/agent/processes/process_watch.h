// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>

#include "collector/agent/processes/process_recorder.h"
#include "collector/base/unique_fd.h"

namespace flopsprof::agent {

// What /proc says about a process.
struct ProcessStatus {
  char state = '?';                // 'Z': ended, its parent has not asked yet
  uint64_t start_ticks = 0;        // since boot
  std::optional<int> exit_status;  // as waitpid gives it; only of an ended process
};

// nullopt: no such process.
std::optional<ProcessStatus> ReadProcessStatus(pid_t pid);
// The same from the text of /proc/PID/stat; nullopt: not of that form.
std::optional<ProcessStatus> ParseProcessStatus(const std::string& stat);

// The command line, its words joined by blanks, cut at 4 KiB; "" when it cannot be read.
std::string ReadCommandLine(pid_t pid);

// Its parent, by /proc; 0 = none, or it cannot be read.
pid_t ReadParent(pid_t pid);
// The same from the text of /proc/PID/stat.
pid_t ParseParent(const std::string& stat);

// State, exit code and signal of a status as waitpid gives it.
ProcessEnd EndFromWaitStatus(int status);

// Watches one process that need not be our child. Not owned by a thread; calls do not wait.
class ProcessWatch {
 public:
  explicit ProcessWatch(pid_t pid);

  // Readable when the process has ended; -1 on kernels without pidfd.
  int fd() const { return pidfd_.get(); }

  // How it ended; nullopt: it runs. Without an exit status (its parent was faster and the kernel
  // does not keep it) the state is LOST.
  std::optional<ProcessEnd> Poll() const;

 private:
  pid_t pid_;
  uint64_t start_ticks_ = 0;
  base::UniqueFd pidfd_;
};

}  // namespace flopsprof::agent
