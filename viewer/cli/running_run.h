// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "flopsprof/v1/control.pb.h"
#include "viewer/cli/command_line.h"

namespace flopsprof::viewer {

// A run that `flopsprof ctl` can reach, or why there is none.
struct RunningRun {
  std::string socket;       // "": see the rest
  v1::ControlReply status;  // when it was found
  int exit_code = 0;
  std::string error;
  std::vector<std::string> next;
};

// The run that the options name, else the only one of this user on this machine.
RunningRun FindRunningRun(const CtlOptions& options);

}  // namespace flopsprof::viewer
