// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "viewer/cli/command_line.h"

namespace flopsprof::viewer {

struct AttachOptions {
  std::vector<int> pids;
  unsigned steps = 0;  // 0 = not said
  double seconds = 0;  // 0 = not said; with neither, until Ctrl-C, detach or the processes' end
  RunOptions run;      // what `run` has too
};

struct DetachOptions {
  std::vector<int> pids;
};

struct PsOptions {
  bool json = false;
  ColourMode colour = ColourMode::kAuto;
  bool ascii = false;
};

ParseOutcome ParseAttach(const std::vector<std::string>& arguments, AttachOptions* options);
ParseOutcome ParseDetach(const std::vector<std::string>& arguments, DetachOptions* options);
ParseOutcome ParsePs(const std::vector<std::string>& arguments, PsOptions* options);

int AttachVerb(const AttachOptions& options);
int DetachVerb(const DetachOptions& options);
int PsVerb(const PsOptions& options);

// "500ms", "10s", "2m" in seconds; 0: it is none of these.
double ParseDuration(const std::string& text);

}  // namespace flopsprof::viewer
