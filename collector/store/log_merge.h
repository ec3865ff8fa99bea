// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>
#include <absl/time/time.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collector/store/live_rows.h"
#include "collector/store/log/log_reader.h"
#include "collector/store/profile_writer.h"
#include "collector/store/sqlite.h"

namespace flopsprof::store {

// How far a database has what is in the log.
struct MergedTo {
  uint64_t log_id = 0;
  uint64_t sequence = 0;  // of the newest record of which it has all but live rows
  uint64_t saved = 0;     // and of which it surely has those too; not above it
};

absl::StatusOr<MergedTo> ReadMergedTo(Database* database);

// What of the log is damaged and what a database could not take, as sentences.
absl::StatusOr<std::vector<std::string>> ReadLogLosses(Database* database);

// Takes records of a log into a database: collectors into profile.db, readers into a copy in
// memory. Live rows (live_rows.h) are summed up in memory and stored now and then, all others at
// once. Each transaction also stores how far it has come, so that none is taken twice or left out,
// whenever a process ends. One thread.
class LogMerge {
 public:
  // `at`: where the database is. The first reader begins behind at.saved.
  LogMerge(std::string run_id, Database* database, ProfileWriter* writer, MergedTo at)
      : run_id_(std::move(run_id)),
        db_(*database),
        writer_(*writer),
        live_(database),
        merged_(at.sequence),
        saved_(at.saved),
        read_(at.saved) {}

  // One transaction, of what there is, which is ended after about `at_most`, at one record at the
  // earliest. True: there may be more. `save_for`: live rows are stored too, for about so long. On
  // failure the database is as it was (Cancelled: a process was set aside, try again); the reader
  // has gone on and is of no more use: the next one begins behind read().
  absl::StatusOr<bool> Some(LogReader* reader, absl::Duration at_most,
                            std::optional<absl::Duration> save_for);

  // Numbers of records: all but live rows are in the database; those too; all are in the database
  // or in memory.
  uint64_t merged() const { return merged_; }
  uint64_t saved() const { return saved_; }
  uint64_t read() const { return read_; }
  // False: a transaction has failed, and memory may be ahead of the database until the next one.
  bool is_settled() const { return is_settled_; }
  // Of the log's segment that was read when what is saved was begun.
  uint64_t saved_segment() const { return saved_segment_; }
  // Live rows are being stored, and are not all.
  bool is_saving() const { return live_.pass_is_open() || save_waits_; }
  // What it took to store all the last time.
  absl::Duration save_cost() const { return save_cost_; }
  // Of live rows. What is stored is let go of when there are more.
  size_t bytes() const { return live_.bytes(); }
  static constexpr size_t kMostBytes = 1536 << 20;  // of the 2 GB that a collector may take
  void LetGo() { live_.Committed(0); }
  // As LiveRows has them: between two transactions, all up to read().
  LiveRows::Frozen Freeze() { return live_.Freeze(); }
  void Thaw(LiveRows::Frozen frozen) { live_.Thaw(std::move(frozen)); }

  // Numberings (ProcessProfile.numbering) that rows have come with and that were not defined, by
  // agent. Since the last call.
  std::map<std::string, uint32_t> TakeLacks() { return std::exchange(lacks_, {}); }

 private:
  absl::StatusOr<bool> InTransaction(LogReader* reader, absl::Duration at_most);
  absl::Status Take(const LogRecord& record);
  absl::Status Store(const LogRecord& record);
  absl::Status StoreRequest(const LogRecord& record, v1::UploadRequest* parsed);
  void LetGoOf(const LogRecord& record, v1::UploadRequest* request);
  // What the database has, and the memory of this object has not: live rows alone.
  absl::Status StoreAgain(const LogRecord& record);
  absl::Status Prepare(const v1::UploadRequest& request, uint64_t record, int64_t copy, bool again);
  void Apply(uint64_t record);
  absl::StatusOr<bool> IsLeftOut(uint64_t record);
  absl::Status LeaveOut(uint64_t record);
  absl::Status NoteRefused(uint64_t record, const absl::Status& why);
  absl::Status NoteDamage(const LogDamage& damage);

  const std::string run_id_;
  Database& db_;
  ProfileWriter& writer_;
  LiveRows live_;
  uint64_t merged_;
  uint64_t saved_;
  uint64_t read_;
  uint64_t saved_segment_ = 0;
  bool is_settled_ = true;
  absl::Duration save_cost_;
  // Once a process was set aside. Processes are made and stored in two transactions:
  bool saves_apart_ = false;
  bool save_waits_ = false;  // for the next one, which takes no records
  // And transactions are short, so that little is done again where many processes are damaged.
  absl::Duration longest_ = absl::InfiniteDuration();
  std::map<std::string, uint32_t> lacks_;

  // Of the record that is being taken.
  struct Part {
    int64_t id = 0;
    LiveProcess* process = nullptr;  // nullptr: it has the record
    PreparedPart more;
  };
  static constexpr size_t kKeptBytes = 256 << 10;  // of a request whose memory is used again
  std::vector<Part> parts_;
  size_t part_count_ = 0;
};

}  // namespace flopsprof::store
