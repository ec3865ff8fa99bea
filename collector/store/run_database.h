// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <memory>
#include <string>
#include <vector>

#include "collector/store/log/log_reader.h"
#include "collector/store/sqlite.h"

namespace flopsprof::store {

// The database of a run, opened for reading, with all that was acknowledged: profile.db itself, or
// a copy in memory into which the rest of the log was merged. Changes no data; beside a run that is
// not finished SQLite may make its profile.db-shm. One thread.
class RunDatabase {
 public:
  // Opens a run folder or its profile.db: finished, live, or left by a killed collector. Needs no
  // right to write. A profile.db of another name is read alone. NotFound: no run there.
  // FailedPrecondition: made by a newer version, or by another tool. DataLoss: damaged.
  static absl::StatusOr<std::unique_ptr<RunDatabase>> Open(const std::string& path);
  ~RunDatabase();

  Database* database() { return database_.get(); }
  // The path of profile.db.
  const std::string& file() const { return file_; }
  bool finished() const { return finished_; }
  // The database is that file, not a copy.
  bool is_file() const { return is_file_; }
  // What of the log could not be read, as sentences.
  const std::vector<std::string>& problems() const { return problems_; }

 private:
  class PrivateCopy;

  RunDatabase();
  static absl::StatusOr<std::unique_ptr<RunDatabase>> TryOpen(const std::string& path);
  absl::Status OpenFile();
  absl::StatusOr<bool> HasNoTables();
  absl::Status CheckFile();
  LogSegments OpenLog();
  absl::Status MergeLog(LogSegments log);
  absl::Status CopyAndMerge(LogSegments log);
  void NoteStrays(const LogReader& reader);
  absl::Status MakeEmpty();
  // Aborted: it was stored and deleted meanwhile.
  absl::Status CheckThatTheLogIsThere();
  // A collector has stored more of the log in profile.db, and may have deleted it.
  bool HasMovedOn(uint64_t saved);

  std::string file_;
  std::string log_folder_;  // "" = it has none
  bool finished_ = false;
  bool is_file_ = false;
  std::vector<std::string> problems_;
  std::unique_ptr<PrivateCopy> copy_;  // before the database, which may be in it
  std::unique_ptr<Database> database_;
};

// A failure of SQLite's: of which file, and what to do.
absl::Status NameFile(const std::string& file, const absl::Status& status);

}  // namespace flopsprof::store
