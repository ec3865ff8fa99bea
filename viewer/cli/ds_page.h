// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "viewer/cli/ds_choice.h"
#include "viewer/cli/run_output.h"

namespace flopsprof::viewer {

// "the run has steps 0 to 9", "the run has no steps".
std::string RecordedStepsText(const model::StepsSummary& steps);

// The command line that prints the page of a block from a run folder.
std::string ReportCommand(const DsBlock& block, const std::string& folder);

// Writes `text` into a new file. Folders are made. A file that is there stays as it is: "flops.txt"
// becomes "flops.flopsprof.txt", or "flops.flopsprof-2.txt" ... Returns the path.
absl::StatusOr<std::string> WriteBeside(const std::string& path, const std::string& text);

// After the job: the page of `choice`, which has a block, into its output_file, else into the run's
// folder and, unless quiet, on stderr. Says where it is, or why there is none.
void WriteDsPage(const DsChoice& choice, const LoadedRun& run, const std::string& folder,
                 bool quiet);

// The same for a launcher whose run is at a collector: how to print it.
void SayHowToPrintDsPage(const DsChoice& choice);

}  // namespace flopsprof::viewer
