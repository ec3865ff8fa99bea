// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "viewer/attach/target.h"

namespace flopsprof::attach {

// What is known of a process without stopping anything in it.
struct ProcessFacts {
  pid_t pid = 0;
  std::string command;
  std::string environment;  // "NAME=value" with a zero byte behind each: of what identifies a rank
  bool uses_cuda = false;   // has a CUDA library mapped
  bool has_python = false;
  bool has_torch = false;     // PyTorch for Python
  std::string torch_version;  // "" : not known
  bool has_cupti = false;
  std::vector<int> gpus;  // device files that it has open
  bool attached_before = false;
};

enum class Refusal {
  kNone,
  kGone,        // there is nothing there
  kCannot,      // it cannot be done to this process
  kNotYet,      // try again later
  kNotAllowed,  // by the system
  kHeld,        // by flopsprof
};

struct Preflight {
  ProcessFacts facts;
  Refusal refusal = Refusal::kNone;
  std::string why;  // one line, without the process id
  std::string next;
};

// Can the process be attached, as far as can be seen from outside? `library`: path of ours.
Preflight CheckProcess(pid_t pid, const std::string& library);

// A variable of ProcessFacts::environment, "" if it is not there.
std::string Variable(const ProcessFacts& facts, const std::string& name);

// Why PTRACE_SEIZE was refused although everything looked well, and what to do.
Preflight ExplainForbidden(const Target& target);

}  // namespace flopsprof::attach
