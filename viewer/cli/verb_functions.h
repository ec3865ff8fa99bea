// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "viewer/cli/command_line.h"

namespace flopsprof::viewer {

// One function per verb: does it and returns the exit code of the program.

int RunVerb(const RunOptions& options, const std::vector<std::string>& command);
int ReportVerb(const ReportOptions& options);
int QueryVerb(const QueryOptions& options);
int DoctorVerb(const DoctorOptions& options);
int PeaksVerb(const PeaksOptions& options);
int CollectorVerb(const CollectorOptions& options);
int CtlVerb(const CtlOptions& options);
int EnvVerb(const EnvOptions& options);
int CompletionVerb(const CompletionOptions& options);
// Becomes `python -m flopsprof.count ARGUMENTS`; returns only where there is no Python.
int CountVerb(std::vector<std::string> arguments);
// Its options, for completion: they are parsed in Python.
std::vector<std::string> CountOptionNames();
int VersionVerb();
int HelpVerb(const HelpOptions& options);

}  // namespace flopsprof::viewer
