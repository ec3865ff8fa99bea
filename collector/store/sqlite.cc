// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/sqlite.h"

#include <absl/strings/str_cat.h>

#include "collector/store/number_text.h"

namespace flopsprof::store {
namespace {

absl::Status ToStatus(sqlite3* db, std::string_view what) {
  const std::string text =
      absl::StrCat(std::string(what), ": ", db == nullptr ? "out of memory" : sqlite3_errmsg(db));
  switch (db == nullptr ? SQLITE_NOMEM : sqlite3_errcode(db) & 0xff) {
    case SQLITE_FULL:
    case SQLITE_IOERR:
    case SQLITE_NOMEM:
      return absl::ResourceExhaustedError(text);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return absl::UnavailableError(text);
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
      return absl::PermissionDeniedError(text);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return absl::DataLossError(text);
    // What is to be stored is at fault, and will be.
    case SQLITE_CONSTRAINT:
    case SQLITE_TOOBIG:
    case SQLITE_MISMATCH:
      return absl::InvalidArgumentError(text);
    default:
      return absl::InternalError(text);
  }
}

}  // namespace

absl::StatusOr<Database> Database::Open(const std::string& path, int flags) {
  sqlite3* raw = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &raw, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  Database database(raw);
  if (code != SQLITE_OK) return ToStatus(raw, absl::StrCat("cannot open ", path));
  sqlite3_extended_result_codes(raw, 1);
  sqlite3_busy_timeout(raw, 5000);
  if (AddNumberFunctions(raw) != SQLITE_OK)
    return ToStatus(raw, absl::StrCat("cannot open ", path));
  return database;
}

absl::Status Database::Execute(const std::string& sql) {
  if (sqlite3_exec(db_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK) {
    return ErrorStatus("SQL failed");
  }
  return absl::OkStatus();
}

absl::StatusOr<Statement> Database::Prepare(const std::string& sql) {
  sqlite3_stmt* raw = nullptr;
  const int code =
      sqlite3_prepare_v2(db_.get(), sql.c_str(), static_cast<int>(sql.size()), &raw, nullptr);
  if (code != SQLITE_OK) return ErrorStatus("SQL failed");
  return Statement(db_.get(), raw);
}

absl::StatusOr<int64_t> Database::QueryInt(const std::string& sql) {
  absl::StatusOr<Statement> statement = Prepare(sql);
  if (!statement.ok()) return statement.status();
  const absl::StatusOr<bool> row = statement->Step();
  if (!row.ok()) return row.status();
  if (!*row) return absl::NotFoundError("no row");
  return statement->Int(0);
}

absl::StatusOr<Database> Database::CopyToMemory() {
  absl::StatusOr<Database> memory = Open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
  if (!memory.ok()) return memory.status();
  sqlite3_backup* backup = sqlite3_backup_init(memory->db_.get(), "main", db_.get(), "main");
  if (backup == nullptr) return memory->ErrorStatus("cannot copy");
  const int code = sqlite3_backup_step(backup, -1);
  sqlite3_backup_finish(backup);
  if (code != SQLITE_DONE) return memory->ErrorStatus("cannot copy");
  return memory;
}

absl::Status Database::ErrorStatus(std::string_view what) const {
  return ToStatus(db_.get(), what);
}

int Database::last_code() const { return sqlite3_extended_errcode(db_.get()); }

void Statement::BindText(int index, std::string_view value) {
  // A null pointer would bind NULL instead of "".
  sqlite3_bind_text(get(), index, value.data() == nullptr ? "" : value.data(),
                    static_cast<int>(value.size()), SQLITE_STATIC);
}

void Statement::BindBlob(int index, std::string_view bytes) {
  sqlite3_bind_blob64(get(), index, bytes.data() == nullptr ? "" : bytes.data(), bytes.size(),
                      SQLITE_STATIC);
}

absl::Status Statement::Run() {
  int code;
  do {
    code = sqlite3_step(get());
  } while (code == SQLITE_ROW);
  const absl::Status status = code == SQLITE_DONE ? absl::OkStatus() : Error();
  sqlite3_reset(get());
  sqlite3_clear_bindings(get());
  return status;
}

absl::StatusOr<bool> Statement::Step() {
  const int code = sqlite3_step(get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return Error();
}

std::string_view Statement::TextView(int column) const {
  const unsigned char* text = sqlite3_column_text(get(), column);
  if (text == nullptr) return "";
  return std::string_view(reinterpret_cast<const char*>(text),
                          static_cast<size_t>(sqlite3_column_bytes(get(), column)));
}

std::string_view Statement::BlobView(int column) const {
  const void* bytes = sqlite3_column_blob(get(), column);
  if (bytes == nullptr) return "";
  return std::string_view(static_cast<const char*>(bytes),
                          static_cast<size_t>(sqlite3_column_bytes(get(), column)));
}

absl::Status Statement::Error() const { return ToStatus(db_, "SQL failed"); }

}  // namespace flopsprof::store
