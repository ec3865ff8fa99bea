// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/cli/run_output.h"

#include <unistd.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "collector/model/gradients.h"
#include "collector/model/summary_json.h"
#include "collector/store/folder_name.h"
#include "collector/store/run_database.h"
#include "collector/store/run_reader.h"
#include "collector/store/stored_sums.h"
#include "viewer/cli/messages.h"

namespace flopsprof::viewer {

namespace {

// A collector elsewhere keeps no log of the launcher.
void NameFilesOf(const std::string& folder, model::Summary* summary) {
  if (access((folder + "/log.txt").c_str(), F_OK) != 0) summary->files.erase("log");
}

absl::StatusOr<LoadedRun> SumRows(store::RunDatabase* database,
                                  const model::SummaryOptions& options, store::RunParts parts,
                                  NeedRows rows) {
  LoadedRun run;
  if (parts == store::RunParts::kForSummary && rows == NeedRows::kNo) {
    absl::StatusOr<store::SummedRun> summed = store::SumRun(database, options);
    if (!summed.ok()) return summed.status();
    run.sums = std::move(summed->sums);
    run.profile = std::move(summed->profile);
    return run;
  }
  absl::StatusOr<model::RunProfile> profile = store::ReadRun(database, parts);
  if (!profile.ok()) return profile.status();
  run.profile = *std::move(profile);
  run.sums = model::SumRun(run.profile, options);
  return run;
}

// `state`: of the rows that the sums are of. Nothing needs them.
void Keep(const std::string& folder, const model::RunSums& sums, std::optional<uint32_t> state) {
  if (!state.has_value()) return;
  const absl::Status kept = store::KeepSumsOf(folder, sums, *state);
  if (!kept.ok()) Note(absl::StrCat(folder, "/profile.db keeps no sums: ", kept.message()));
}

std::string ReportText(const LoadedRun& run, const std::string& folder) {
  const Terminal file;  // 100 columns, UTF-8, no colours
  return RenderReport(run.sums, run.profile, folder, {}, file);
}

}  // namespace

absl::StatusOr<LoadedRun> LoadRun(const std::string& folder, const model::SummaryOptions& options,
                                  store::RunParts parts, NeedRows rows) {
  const absl::StatusOr<std::unique_ptr<store::RunDatabase>> database =
      store::RunDatabase::Open(folder);
  if (!database.ok()) return database.status();
  absl::StatusOr<LoadedRun> run = LoadedRun();
  std::optional<model::RunSums> kept;
  const bool sums = parts == store::RunParts::kForSummary && rows == NeedRows::kNo;
  if (sums && options == model::SummaryOptions()) {
    kept = store::FindSums(database->get());
  }
  if (kept.has_value()) {
    run->sums = *std::move(kept);
  } else {
    run = SumRows(database->get(), options, parts, rows);
  }
  if (run.ok()) NameFilesOf(folder, &run->sums.summary);
  return run;
}

absl::StatusOr<LoadedRun> WriteRunTexts(store::RunFolder* folder,
                                        const model::SummaryOptions& options) {
  const absl::StatusOr<std::unique_ptr<store::RunDatabase>> database =
      store::RunDatabase::Open(folder->path());
  if (!database.ok()) return database.status();
  // With all rows, of a launcher's few processes: gradients need them.
  absl::StatusOr<model::RunProfile> profile =
      store::ReadRun(database->get(), store::RunParts::kForSummary);
  if (!profile.ok()) return profile.status();
  LoadedRun run;
  run.profile = *std::move(profile);
  run.sums = model::SumRun(run.profile, options);
  const std::vector<v1::ProcessProfile> gradients = model::CallGradients(run.profile);
  absl::Status derived = folder->WriteDerived(gradients);
  // No summary is made from gradients: the sums hold for the state behind them too.
  std::optional<uint32_t> state = run.profile.state;
  if (state.has_value() && derived.ok() && !gradients.empty()) state = *state + 1;
  if (options == model::SummaryOptions()) {
    Keep(folder->path(), run.sums, state);
  } else if (state.has_value()) {
    Keep(folder->path(), model::SumRun(run.profile), state);
  }
  NameFilesOf(folder->path(), &run.sums.summary);
  absl::Status status = folder->WriteText("summary.json", model::ToJson(run.sums.summary));
  // Everything but gradient_view is right without them.
  if (absl::IsUnavailable(derived)) {
    Say(absl::StrCat("gradient_view of ", folder->path(),
                     "/profile.db has no rows: ", derived.message()));
  } else {
    status.Update(derived);
  }
  status.Update(folder->WriteText("report.txt", ReportText(run, folder->path())));
  if (!status.ok()) return status;
  return run;
}

absl::Status WriteRunTexts(const std::string& folder) {
  absl::StatusOr<LoadedRun> run = LoadRun(folder);
  if (!run.ok()) return run.status();
  const absl::Status status = WriteRunTexts(folder, *run, model::ToJson(run->sums.summary));
  run->sums.summary.files = model::FilesOfRun();
  Keep(folder, run->sums, run->profile.state);
  return status;
}

absl::Status WriteRunTexts(const std::string& folder, const LoadedRun& run,
                           const std::string& json) {
  absl::Status status = store::ReplaceFile(folder, "summary.json", json);
  status.Update(store::ReplaceFile(folder, "report.txt", ReportText(run, folder)));
  return status;
}

}  // namespace flopsprof::viewer
