// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace flopsprof::launch {

struct LaunchOptions {
  // Absolute path of libflopsprof_inject.so.
  std::string injector_path;
  // Socket of the node agent.
  std::string socket_path;
  std::string run_id;
};

struct ChildEnvironment {
  // "NAME=value", in the order of the parent; ours last when they are new.
  std::vector<std::string> variables;
  // What the user should know: another tool in the way, a path that cannot be expressed.
  std::vector<std::string> notes;
};

// The environment in which the job starts: the parent's, plus what loads the injector and leads
// it to the agent. The user's own LD_PRELOAD stays, behind ours; an injection variable that
// another tool has set stays as it is, with a note that names it.
ChildEnvironment BuildChildEnvironment(const std::vector<std::string>& parent,
                                       const LaunchOptions& options);

// The variables that BuildChildEnvironment would add or change, as "NAME=value".
std::vector<std::string> ChangedVariables(const std::vector<std::string>& parent,
                                          const ChildEnvironment& child);

// The process's own environment as a list.
std::vector<std::string> CurrentEnvironment();

}  // namespace flopsprof::launch
