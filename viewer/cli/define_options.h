// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "viewer/cli/command_line.h"

namespace CLI {
class App;
}

namespace flopsprof::viewer {

// The options of the two verbs that have most, each in a file of its own.
void DefineRun(CLI::App* app, RunOptions* options);
void DefineReport(CLI::App* app, ReportOptions* options);

// Options of `report` that do not go together; "" = all do.
std::string ErrorInReport(const ReportOptions& options);

}  // namespace flopsprof::viewer
