// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/cli/run_output.h"

#include <unistd.h>

#include <utility>

#include "collector/model/gradients.h"
#include "collector/model/summary_json.h"
#include "collector/store/run_reader.h"

namespace flopsprof::viewer {

absl::StatusOr<LoadedRun> LoadRun(const std::string& folder, const model::SummaryOptions& options) {
  absl::StatusOr<model::RunProfile> profile = store::ReadRun(folder);
  if (!profile.ok()) return profile.status();
  LoadedRun run;
  run.profile = *std::move(profile);
  run.summary = model::Summarize(run.profile, options);
  // A collector elsewhere keeps no log of the launcher.
  if (access((folder + "/log.txt").c_str(), F_OK) != 0) run.summary.files.erase("log");
  return run;
}

absl::StatusOr<LoadedRun> WriteRunTexts(store::RunFolder* folder,
                                        const model::SummaryOptions& options) {
  absl::StatusOr<LoadedRun> run = LoadRun(folder->path(), options);
  if (!run.ok()) return run;
  std::vector<v1::ProcessProfile> gradients = model::CallGradients(run->profile);
  absl::Status derived = folder->WriteDerived(gradients);
  absl::Status status = folder->WriteText("summary.json", model::ToJson(run->summary));
  status.Update(derived);
  Terminal file;  // 100 columns, UTF-8, no colours
  const std::string text = RenderReport(run->summary, run->profile, folder->path(), {}, file);
  status.Update(folder->WriteText("report.txt", text));
  if (!status.ok()) return status;
  return run;
}

}  // namespace flopsprof::viewer
