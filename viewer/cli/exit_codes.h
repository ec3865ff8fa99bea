// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace flopsprof::viewer {

// What the programs return. `run` returns the job's own code, or 128 + the signal's number.
constexpr int kExitOk = 0;
constexpr int kExitConditionMet = 1;     // diff --fail-if
constexpr int kExitUsage = 2;            // every error of the command line
constexpr int kExitNothing = 3;          // nothing to report, or nothing there to read
constexpr int kExitNotPermitted = 4;     // ptrace, performance counters, files
constexpr int kExitOwnFailure = 125;     // ours, under --strict only
constexpr int kExitNotExecutable = 126;  // the command cannot be executed
constexpr int kExitNotFound = 127;       // the command does not exist
constexpr int kExitSignalBase = 128;

}  // namespace flopsprof::viewer
