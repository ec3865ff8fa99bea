// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "collector/base/mutex.h"
#include "collector/store/manifest.h"
#include "collector/store/profile_writer.h"
#include "collector/store/sqlite.h"
#include "flopsprof/v1/ingest.pb.h"

namespace flopsprof::store {

// One run on disk: run.json, profile.db and the texts made from it. Any thread; calls take
// turns. Everything that Apply acknowledged is readable after kill -9 of anything and after a
// power failure. One object per folder.
class RunFolder {
 public:
  struct Options {
    // The folder: exactly this when nothing is there, else with -2, -3 ... behind.
    // Empty: flopsprof-<job>-<UTC time> in `parent`.
    std::string path;
    std::string parent = ".";
  };

  // Makes the folder. A failure says what could not be made and what to do.
  static absl::StatusOr<std::unique_ptr<RunFolder>> Create(const Options& options,
                                                           const std::string& run_id,
                                                           const v1::RunInfo& run);
  // Goes on with a folder that an earlier collector left.
  static absl::StatusOr<std::unique_ptr<RunFolder>> Open(const std::string& path);

  // Without Finish: what was applied stays, the run is not marked as finished.
  ~RunFolder();

  const std::string& path() const { return path_; }
  const std::string& run_id() const { return run_id_; }

  // Stores a request; durable when it returns OK. A request that was stored before is skipped.
  // On failure nothing of it is stored and the same request may be sent again.
  absl::Status Apply(const v1::UploadRequest& request);

  // Stores rows that were worked out from this run, beside those that came.
  absl::Status WriteDerived(const std::vector<v1::ProcessProfile>& processes);

  // What the report is to say of this run: why nothing more is taken of an agent; what could not
  // be done, as a sentence.
  absl::Status NoteRefusal(const std::string& agent_id, const std::string& node,
                           const std::string& why);
  absl::Status NoteProblem(const std::string& text);

  // Replaces a text file of the folder (summary.json, report.txt) as a whole.
  absl::Status WriteText(const std::string& name, std::string_view content);

  // Folds the write-ahead log into profile.db and marks the run as finished. Apply may still
  // follow.
  absl::Status Finish();

 private:
  RunFolder(std::string path, std::string run_id, Database database);
  static absl::StatusOr<Database> OpenDatabase(const std::string& path);
  // Commits when `status` is good.
  absl::Status EndTransaction(absl::Status status) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status ApplyInTransaction(const v1::UploadRequest& request)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const std::string path_;
  const std::string run_id_;
  base::Mutex mutex_;
  // On the heap: ProfileWriter keeps its address.
  std::unique_ptr<Database> database_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<ProfileWriter> writer_ ABSL_GUARDED_BY(mutex_);
  Manifest manifest_ ABSL_GUARDED_BY(mutex_);
  // The database has no write-ahead log at the moment.
  bool is_plain_file_ ABSL_GUARDED_BY(mutex_) = false;
};

}  // namespace flopsprof::store
