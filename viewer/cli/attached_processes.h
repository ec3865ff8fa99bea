// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "viewer/attach/preflight.h"

namespace flopsprof::viewer {

// What an attach will not see of a process, in lines for the user.
std::vector<std::string> WhatWillBeMissing(const attach::ProcessFacts& facts);

// What the injector is to know, in the place of the process' environment.
std::string SettingsFor(const attach::ProcessFacts& facts, const std::string& agent_socket,
                        const std::string& step_at);

// Does a session of ours hold the process? Absent processes are not held.
bool IsHeld(pid_t pid, const std::string& library);

// Beside a control socket: which processes the one that listens there has attached. And of which
// control socket a process is attached; "": of none.
bool WriteAttachedProcesses(const std::string& control_socket, const std::vector<pid_t>& pids);
std::string ControlSocketOfAttached(pid_t pid);

}  // namespace flopsprof::viewer
