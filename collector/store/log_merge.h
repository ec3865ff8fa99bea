// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <cstdint>
#include <string>
#include <vector>

#include "collector/store/log/log_reader.h"
#include "collector/store/profile_writer.h"
#include "collector/store/sqlite.h"

namespace flopsprof::store {

// How far a database has what is in the log.
struct MergedTo {
  uint64_t log_id = 0;
  uint64_t sequence = 0;
};

absl::StatusOr<MergedTo> ReadMergedTo(Database* database);

// What of the log is damaged and what a database could not take, as sentences.
absl::StatusOr<std::vector<std::string>> ReadLogLosses(Database* database);

// Takes records of a log into a database: collectors into profile.db, readers into a copy in
// memory. Each transaction also stores how far it has come, so that none is taken twice or left
// out, whenever a process ends. One thread.
class LogMerge {
 public:
  LogMerge(std::string run_id, Database* database, ProfileWriter* writer)
      : run_id_(std::move(run_id)), db_(*database), writer_(*writer) {}

  // One transaction, of what there is, which is ended after about `at_most`, at one record at the
  // earliest. True: there may be more. On failure the database is as it was; the reader has gone on
  // and is of no more use.
  absl::StatusOr<bool> Some(LogReader* reader, absl::Duration at_most);

 private:
  absl::StatusOr<bool> InTransaction(LogReader* reader, absl::Duration at_most);
  absl::Status Take(const LogRecord& record);
  absl::Status Store(const LogRecord& record);
  absl::Status NoteDamage(const LogDamage& damage);

  const std::string run_id_;
  Database& db_;
  ProfileWriter& writer_;
};

}  // namespace flopsprof::store
