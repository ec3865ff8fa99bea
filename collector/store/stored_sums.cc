// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/stored_sums.h"

#include <absl/strings/str_cat.h>
#include <sys/random.h>
#include <zlib.h>

#include <string_view>
#include <utility>

#include "collector/base/status.h"

namespace flopsprof::store {
namespace {

// Made where sums are kept, not with the other tables: profiles without it are whole, and who does
// not know it passes it by.
constexpr char kMakeTable[] =
    "CREATE TABLE IF NOT EXISTS run_sums("
    "made_by TEXT NOT NULL, state INTEGER NOT NULL, schema INTEGER NOT NULL, "
    "file INTEGER NOT NULL, checksum INTEGER NOT NULL, bytes BLOB NOT NULL) STRICT;"
    "DELETE FROM run_sums";

// Where SQLite's file format has the number of changes, most significant byte first.
constexpr int kStateAt = 24;

int64_t ChecksumOf(std::string_view bytes) {
  return static_cast<int64_t>(
      crc32_z(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

// What a file that was written anew (VACUUM, a dump, a recovery) does not have with the old one,
// whose number of changes begins again and comes to that of the sums in time.
struct FileFacts {
  int64_t schema;  // goes up with VACUUM
  int64_t file;    // a random number that we gave it; 0 after a dump
};

absl::StatusOr<FileFacts> FactsOf(Database* database) {
  const absl::StatusOr<int64_t> schema = database->QueryInt("PRAGMA schema_version");
  if (!schema.ok()) return schema.status();
  const absl::StatusOr<int64_t> file = database->QueryInt("PRAGMA application_id");
  if (!file.ok()) return file.status();
  return FileFacts{*schema, *file};
}

std::optional<model::RunSums> FindInTransaction(Database* database) {
  const absl::StatusOr<std::optional<uint32_t>> state = StateOf(database);
  if (!state.ok() || !state->has_value()) return std::nullopt;
  absl::StatusOr<Statement> row =
      database->Prepare("SELECT made_by, state, schema, file, checksum, bytes FROM run_sums");
  if (!row.ok()) return std::nullopt;  // there is no such table
  const absl::StatusOr<bool> found = row->Step();
  if (!found.ok() || !*found) return std::nullopt;
  if (row->TextView(0) != model::SumsMadeBy() || row->Int(1) != int64_t{**state}) {
    return std::nullopt;
  }
  const absl::StatusOr<FileFacts> facts = FactsOf(database);
  if (!facts.ok() || row->Int(2) != facts->schema || row->Int(3) != facts->file) {
    return std::nullopt;
  }
  const std::string_view bytes = row->BlobView(5);
  if (row->Int(4) != ChecksumOf(bytes)) return std::nullopt;
  return model::FromBytes(bytes);
}

// In a transaction of the caller's.
absl::Status KeepSums(Database* database, const model::RunSums& sums, uint32_t state) {
  const absl::StatusOr<std::optional<uint32_t>> now = StateOf(database);
  if (!now.ok()) return now.status();
  if (*now != state) return absl::AbortedError("its rows have changed since they were added up");
  FLOPSPROF_RETURN_IF_ERROR(database->Execute(kMakeTable));
  uint32_t number = 0;
  if (::getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number) {
    return base::ErrnoStatus("no random number for the file");
  }
  FLOPSPROF_RETURN_IF_ERROR(
      database->Execute(absl::StrCat("PRAGMA application_id = ", number % 0x7fffffff + 1)));
  const absl::StatusOr<FileFacts> facts = FactsOf(database);
  if (!facts.ok()) return facts.status();
  absl::StatusOr<Statement> insert =
      database->Prepare("INSERT INTO run_sums VALUES(?1, ?2, ?3, ?4, ?5, ?6)");
  if (!insert.ok()) return insert.status();
  const std::string bytes = model::ToBytes(sums);
  insert->BindText(1, model::SumsMadeBy());
  insert->BindInt(2, static_cast<uint32_t>(state + 1));  // once this transaction has ended
  insert->BindInt(3, facts->schema);
  insert->BindInt(4, facts->file);
  insert->BindInt(5, ChecksumOf(bytes));
  insert->BindBlob(6, bytes);
  return insert->Run();
}

}  // namespace

absl::StatusOr<std::optional<uint32_t>> StateOf(Database* database) {
  absl::StatusOr<Statement> mode = database->Prepare("PRAGMA journal_mode");
  if (!mode.ok()) return mode.status();
  const absl::StatusOr<bool> row = mode->Step();
  if (!row.ok()) return row.status();
  if (!*row || mode->TextView(0) != "delete") return std::nullopt;
  // From the first read of a transaction to its end nobody else changes the file.
  FLOPSPROF_RETURN_IF_ERROR(database->QueryInt("SELECT count(*) FROM sqlite_schema").status());
  // Through SQLite's own descriptor: to close another one would end its locks.
  sqlite3_file* file = nullptr;
  unsigned char bytes[4] = {};
  if (sqlite3_file_control(database->handle(), "main", SQLITE_FCNTL_FILE_POINTER, &file) !=
          SQLITE_OK ||
      file == nullptr || file->pMethods == nullptr ||
      file->pMethods->xRead(file, bytes, sizeof bytes, kStateAt) != SQLITE_OK) {
    return std::nullopt;
  }
  uint32_t state = 0;
  for (const unsigned char byte : bytes) state = state << 8 | byte;
  return state;
}

std::optional<model::RunSums> FindSums(RunDatabase* run) {
  if (!run->is_file() || !run->finished() || !run->problems().empty()) return std::nullopt;
  Database* database = run->database();
  if (!database->Execute("BEGIN").ok()) return std::nullopt;
  std::optional<model::RunSums> sums = FindInTransaction(database);
  database->Execute("COMMIT").IgnoreError();
  return sums;
}

absl::Status KeepSumsOf(const std::string& folder, const model::RunSums& sums, uint32_t state) {
  absl::StatusOr<Database> database =
      Database::Open(absl::StrCat(folder, "/profile.db"), SQLITE_OPEN_READWRITE);
  if (!database.ok()) return database.status();
  FLOPSPROF_RETURN_IF_ERROR(database->Execute("BEGIN IMMEDIATE"));
  absl::Status status = KeepSums(&*database, sums, state);
  if (status.ok()) status = database->Execute("COMMIT");
  if (!status.ok()) database->Execute("ROLLBACK").IgnoreError();
  return status;
}

}  // namespace flopsprof::store
