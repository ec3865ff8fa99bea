// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "collector/store/history_rollup.h"
#include "collector/store/schema.h"
#include "collector/store/sqlite.h"
#include "flopsprof/v1/ingest.pb.h"

namespace flopsprof::store {

// Far above what jobs have: who invents names must not fill the disk.
struct RunLimits {
  int64_t most_agents = 100'000;
  int64_t most_processes = 200'000;
};

// Merges the parts of profiles into profile.db by the rules of their columns (schema.h). Runs
// inside the caller's transaction; prepared statements are kept, so it must not outlive the
// database. One thread at a time.
class ProfileWriter {
 public:
  explicit ProfileWriter(Database* db, RunLimits limits = {})
      : db_(*db), limits_(limits), history_(db) {}

  // The process' row, made when there is none. Its id is 0 where the run has too many.
  struct ProcessRow {
    int64_t id = 0;
    bool is_new = false;
  };
  absl::StatusOr<ProcessRow> FindProcess(const v1::ProcessKey& key);
  // All but its live rows (live_rows.h).
  absl::Status WriteOthers(int64_t process_id, const v1::ProcessProfile& process);
  // Facts about the run: the first value of each counts, an exit code that is not 0 wins.
  absl::Status WriteRun(const std::string& run_id, const v1::RunInfo& run);
  // Whose request it is. Agents with one id, a copied one, are told apart by their marks.
  struct Taken {
    bool is_new = false;  // else it was taken before, or is left out, which is counted
    int64_t copy = 1;     // of the agent: the first one is 1
  };
  // Numbers that the agent has left out are counted as missing. `utc_ns`: now.
  absl::StatusOr<Taken> NoteUpload(const v1::UploadRequest& request, int64_t utc_ns);
  absl::Status NoteRefusal(const std::string& agent_id, const std::string& node,
                           const std::string& why, int64_t utc_ns);
  absl::Status NoteProblem(const std::string& text);
  // Of an upload a process, or all, is left out: `what` are too many.
  absl::Status NoteOverLimit(std::string_view what, int64_t most);
  const RunLimits& limits() const { return limits_; }

 private:
  // A row of `agents`, and what is kept of the request of a number, and of the one before it.
  struct Agent {
    int64_t id = 0;  // 0: it has none yet
    int64_t copy = 1;
    int64_t sequence = 0;
    std::string peer;
    std::optional<int64_t> mark, mark_before;
  };
  static constexpr int64_t kKeptMarks = 256;  // newest ones of an agent, and the first
  static constexpr size_t kMostCopies = 64;   // of an agent

  absl::StatusOr<std::vector<Agent>> FindAgents(const v1::UploadRequest& request);
  // The one that the request goes on with, or a new one; null: nobody can tell.
  static std::optional<Agent> GoesOnWith(const v1::UploadRequest& request,
                                         const std::vector<Agent>& agents);
  absl::Status WriteAgent(const v1::UploadRequest& request, const Agent& agent, int64_t utc_ns);
  absl::StatusOr<Statement*> Prepared(const std::string& sql);
  absl::Status WriteInfo(int64_t process_id, const v1::ProcessInfo& info);
  absl::Status WriteRows(int64_t process_id, const RowTable& table,
                         const v1::ProcessProfile& process);
  absl::Status WriteStepPhases(int64_t process_id, const v1::ProcessProfile& process);
  absl::Status WriteLosses(int64_t process_id, const v1::ProcessProfile& process);
  absl::Status WriteMaps(int64_t process_id, const v1::ProcessProfile& process);

  Database& db_;
  const RunLimits limits_;
  HistoryRollup history_;
  std::map<std::string, Statement> statements_;
};

}  // namespace flopsprof::store
