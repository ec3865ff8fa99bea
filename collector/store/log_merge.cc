// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/log_merge.h"

#include <absl/strings/str_cat.h>

#include "collector/base/clock.h"
#include "collector/base/status.h"

namespace flopsprof::store {

absl::StatusOr<MergedTo> ReadMergedTo(Database* database) {
  absl::StatusOr<Statement> row = database->Prepare("SELECT log_id, merged FROM log_position");
  if (!row.ok()) return row.status();
  const absl::StatusOr<bool> found = row->Step();
  if (!found.ok()) return found.status();
  if (!*found) return absl::DataLossError("it has no log_position");
  return MergedTo{static_cast<uint64_t>(row->Int(0)), static_cast<uint64_t>(row->Int(1))};
}

absl::StatusOr<bool> LogMerge::Some(LogReader* reader, absl::Duration at_most) {
  FLOPSPROF_RETURN_IF_ERROR(db_.Execute("BEGIN IMMEDIATE"));
  absl::StatusOr<bool> more = InTransaction(reader, at_most);
  absl::Status status = more.status();
  if (status.ok()) status = db_.Execute("COMMIT");
  if (status.ok()) return more;
  // SQLite may have rolled back by itself.
  db_.Execute("ROLLBACK").IgnoreError();
  return status;
}

absl::StatusOr<bool> LogMerge::InTransaction(LogReader* reader, absl::Duration at_most) {
  const uint64_t begin_ns = base::Clock::Real().MonoNs();
  const uint64_t before = reader->last_sequence();
  bool more = true;
  LogRecord record;
  do {
    const absl::StatusOr<bool> next = reader->Next(&record);
    if (!next.ok()) return next.status();
    more = *next;
    if (more) FLOPSPROF_RETURN_IF_ERROR(Take(record));
    for (const LogDamage& damage : reader->TakeDamage()) {
      FLOPSPROF_RETURN_IF_ERROR(NoteDamage(damage));
    }
  } while (more && absl::Nanoseconds(base::Clock::Real().MonoNs() - begin_ns) < at_most);
  if (reader->last_sequence() != before) {
    FLOPSPROF_RETURN_IF_ERROR(
        db_.Execute(absl::StrCat("UPDATE log_position SET merged=", reader->last_sequence())));
  }
  return more;
}

// A record that is refused for what is in it (sqlite.cc has the list) must not stop those behind
// it. All else passes when its cause does: the record is tried again.
absl::Status LogMerge::Take(const LogRecord& record) {
  FLOPSPROF_RETURN_IF_ERROR(db_.Execute("SAVEPOINT record"));
  const absl::Status status = Store(record);
  if (status.ok()) return db_.Execute("RELEASE record");
  if (!absl::IsInvalidArgument(status)) return status;
  FLOPSPROF_RETURN_IF_ERROR(db_.Execute("ROLLBACK TO record; RELEASE record"));
  absl::StatusOr<Statement> statement = db_.Prepare("INSERT INTO log_refused(text) VALUES(?)");
  if (!statement.ok()) return statement.status();
  const std::string text =
      absl::StrCat("update ", record.sequence, " of the log: ", std::string(status.message()));
  statement->BindText(1, text);
  return statement->Run();
}

absl::StatusOr<std::vector<std::string>> ReadLogLosses(Database* database) {
  std::vector<std::string> losses;
  for (const char* table : {"log_damage", "log_refused"}) {
    absl::StatusOr<Statement> rows =
        database->Prepare(absl::StrCat("SELECT text FROM ", table, " ORDER BY number"));
    if (!rows.ok()) return rows.status();
    while (true) {
      const absl::StatusOr<bool> row = rows->Step();
      if (!row.ok()) return row.status();
      if (!*row) break;
      losses.push_back(rows->Text(0));
    }
  }
  return losses;
}

absl::Status LogMerge::NoteDamage(const LogDamage& damage) {
  absl::StatusOr<Statement> statement =
      db_.Prepare("INSERT INTO log_damage(text, lost) VALUES(?,?)");
  if (!statement.ok()) return statement.status();
  const std::string text = ToText(damage);
  statement->BindText(1, text);
  statement->BindInt(2, static_cast<int64_t>(damage.lost_records));
  return statement->Run();
}

absl::Status LogMerge::Store(const LogRecord& record) {
  v1::UploadRequest request;
  if (!request.ParseFromString(record.payload)) {
    return absl::InvalidArgumentError("an upload in the log is no upload of flopsprof");
  }
  if (request.format() != v1::UPLOAD_FORMAT_INCREMENTS) {
    return absl::InvalidArgumentError(absl::StrCat("an upload in the log is of format ",
                                                   static_cast<int>(request.format()), ", not ",
                                                   static_cast<int>(v1::UPLOAD_FORMAT_INCREMENTS)));
  }
  const absl::StatusOr<bool> is_new = writer_.NoteUpload(request, record.utc_ns);
  if (!is_new.ok()) return is_new.status();
  if (!*is_new) return absl::OkStatus();
  if (request.has_run()) FLOPSPROF_RETURN_IF_ERROR(writer_.WriteRun(run_id_, request.run()));
  for (const v1::ProcessProfile& process : request.processes()) {
    FLOPSPROF_RETURN_IF_ERROR(writer_.WriteProcess(process));
  }
  return absl::OkStatus();
}

}  // namespace flopsprof::store
