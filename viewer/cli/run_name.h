// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "absl/time/time.h"

namespace flopsprof::viewer {

// What names of a run are made of; taken from the environment by the caller.
struct RunFacts {
  std::string job;  // JobName
  std::string host;
  int pid = 0;
  absl::Time start;
};

// A short name for the job: the scheduler's number, else the script's name ("train" of
// "torchrun --nproc-per-node 2 train.py"), else the program's.
std::string JobName(const std::vector<std::string>& command, const std::string& scheduler_job);

// Replaces %h host, %p pid, %j job, %t UTC time, %q{NAME} environment variable, %% in an output
// name. An unknown placeholder stays as it is.
std::string ExpandRunFolder(const std::string& pattern, const RunFacts& facts);

// An id for the run: the same on all nodes of a scheduler's job step, else unique.
std::string MakeRunId(const RunFacts& facts);

}  // namespace flopsprof::viewer
