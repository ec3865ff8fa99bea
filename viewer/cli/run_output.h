// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/status.h"
#include "collector/model/run_sums.h"
#include "collector/store/process_reader.h"
#include "collector/store/run_folder.h"
#include "viewer/report/report.h"

namespace flopsprof::viewer {

// A run as the viewer reads it.
struct LoadedRun {
  model::RunSums sums;
  // What they were made from; without processes where the run itself has kept its sums.
  model::RunProfile profile;
};

// Are the rows wanted, also where the run has kept sums of them?
enum class NeedRows { kNo, kYes };

// Reads a run folder: finished, live or left behind. A report with a focus needs all of it. Where
// the run has kept sums that hold for these options, no row of a process is read.
absl::StatusOr<LoadedRun> LoadRun(const std::string& folder,
                                  const model::SummaryOptions& options = {},
                                  store::RunParts parts = store::RunParts::kForSummary,
                                  NeedRows rows = NeedRows::kNo);

// Writes summary.json and report.txt into `folder`, made from what is stored there, and returns
// the run. A finished run keeps its sums, those of the options by default.
absl::StatusOr<LoadedRun> WriteRunTexts(store::RunFolder* folder,
                                        const model::SummaryOptions& options = {});

// The same for a folder that no RunFolder has open.
absl::Status WriteRunTexts(const std::string& folder);

// The same from sums of the folder's run that are there, and their JSON.
absl::Status WriteRunTexts(const std::string& folder, const LoadedRun& run,
                           const std::string& json);

}  // namespace flopsprof::viewer
