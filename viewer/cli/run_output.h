// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "absl/status/status.h"
#include "collector/model/summary.h"
#include "collector/store/run_folder.h"
#include "viewer/report/report.h"

namespace flopsprof::viewer {

// A run as the viewer reads it.
struct LoadedRun {
  model::RunProfile profile;
  model::Summary summary;
};

// Reads a run folder: finished, live or left behind.
absl::StatusOr<LoadedRun> LoadRun(const std::string& folder,
                                  const model::SummaryOptions& options = {});

// Writes summary.json and report.txt into `folder`, made from what is stored there, and returns
// the run.
absl::StatusOr<LoadedRun> WriteRunTexts(store::RunFolder* folder,
                                        const model::SummaryOptions& options = {});

}  // namespace flopsprof::viewer
