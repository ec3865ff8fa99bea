// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "collector/store/history_rollup.h"
#include "collector/store/schema.h"
#include "collector/store/sqlite.h"
#include "flopsprof/v1/ingest.pb.h"

namespace flopsprof::store {

// Merges the parts of profiles into profile.db by the rules of their columns (schema.h). Runs
// inside the caller's transaction; prepared statements are kept, so it must not outlive the
// database. One thread at a time.
class ProfileWriter {
 public:
  explicit ProfileWriter(Database* db) : db_(*db), history_(db) {}

  // The process' row, made when there is none.
  struct ProcessRow {
    int64_t id = 0;
    bool is_new = false;
  };
  absl::StatusOr<ProcessRow> FindProcess(const v1::ProcessKey& key);
  // All but its live rows (live_rows.h).
  absl::Status WriteOthers(int64_t process_id, const v1::ProcessProfile& process);
  // Facts about the run: the first value of each counts, an exit code that is not 0 wins.
  absl::Status WriteRun(const std::string& run_id, const v1::RunInfo& run);
  // False: this agent's request of this number was taken before, and nothing is changed. Numbers
  // that it has left out are counted as missing. `utc_ns`: now.
  absl::StatusOr<bool> NoteUpload(const v1::UploadRequest& request, int64_t utc_ns);
  absl::Status NoteRefusal(const std::string& agent_id, const std::string& node,
                           const std::string& why, int64_t utc_ns);
  absl::Status NoteProblem(const std::string& text);

 private:
  absl::StatusOr<Statement*> Prepared(const std::string& sql);
  absl::Status WriteInfo(int64_t process_id, const v1::ProcessInfo& info);
  absl::Status WriteRows(int64_t process_id, const RowTable& table,
                         const v1::ProcessProfile& process);
  absl::Status WriteStepPhases(int64_t process_id, const v1::ProcessProfile& process);
  absl::Status WriteLosses(int64_t process_id, const v1::ProcessProfile& process);
  absl::Status WriteMaps(int64_t process_id, const v1::ProcessProfile& process);

  Database& db_;
  HistoryRollup history_;
  std::map<std::string, Statement> statements_;
};

}  // namespace flopsprof::store
