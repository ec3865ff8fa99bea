// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace flopsprof::viewer {

struct SplitArguments {
  std::vector<std::string> own;      // before the first "--"
  std::vector<std::string> command;  // after it, untouched
  bool has_separator = false;
};

// Cuts a command line at its first "--". Done before any option parser sees it, so that no
// argument of the job can be taken for one of ours.
SplitArguments SplitAtSeparator(const std::vector<std::string>& arguments);

// True when the program was started as flopsprof-run, which means `flopsprof run`.
bool IsRunAlias(const std::string& argv0);

// A half-open window of steps, "A:B", ":B" or "A:", numbered from 0.
struct StepWindowText {
  unsigned first = 0;
  unsigned end = 0;  // 0xffffffff = open
};
bool ParseStepWindow(const std::string& text, StepWindowText* window, std::string* error);

// A part of something, "1%" or "0.5%": from 0.01% to 100%.
bool ParseShare(const std::string& text, double* share, std::string* error);

// The command as one line that a shell would read back.
std::string QuoteCommand(const std::vector<std::string>& command);

}  // namespace flopsprof::viewer
