// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sqlite3.h>

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace flopsprof::store {

class Statement;

// One SQLite connection. One thread at a time; closes itself.
class Database {
 public:
  // `flags`: SQLITE_OPEN_...
  static absl::StatusOr<Database> Open(const std::string& path, int flags);

  // Between BEGIN and COMMIT.
  bool in_transaction() const { return sqlite3_get_autocommit(db_.get()) == 0; }

  // Runs one or more statements without results.
  absl::Status Execute(const std::string& sql);
  absl::StatusOr<Statement> Prepare(const std::string& sql);
  // First column of the first row of a query.
  absl::StatusOr<int64_t> QueryInt(const std::string& sql);

  // All of it, as it is between two commits.
  absl::StatusOr<Database> CopyToMemory();

  // For what this class does not have.
  sqlite3* handle() { return db_.get(); }

  // The last error of this connection as a Status: what was tried, and SQLite's reason.
  absl::Status ErrorStatus(std::string_view what) const;
  // SQLITE_... code of the last error.
  int last_code() const;

 private:
  struct Close {
    void operator()(sqlite3* db) const { sqlite3_close_v2(db); }
  };
  explicit Database(sqlite3* db) : db_(db) {}

  std::unique_ptr<sqlite3, Close> db_;
};

// A prepared statement; must not outlive its Database. Columns count from 0, parameters from 1.
class Statement {
 public:
  void BindInt(int index, int64_t value) { sqlite3_bind_int64(get(), index, value); }
  // The text must live until the statement is stepped.
  void BindText(int index, std::string_view value);
  void BindBlob(int index, std::string_view bytes);  // the same
  void BindNull(int index) { sqlite3_bind_null(get(), index); }

  // Before the first step again; parameters stay.
  void Reset() { sqlite3_reset(get()); }
  // Runs to the end and makes ready for the next set of parameters.
  absl::Status Run();
  // True: a row is there to be read. False: no further row.
  absl::StatusOr<bool> Step();

  int64_t Int(int column) const { return sqlite3_column_int64(get(), column); }
  std::string Text(int column) const { return std::string(TextView(column)); }
  // Until the next step.
  std::string_view TextView(int column) const;
  std::string_view BlobView(int column) const;
  bool IsNull(int column) const { return sqlite3_column_type(get(), column) == SQLITE_NULL; }

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  Statement(sqlite3* db, sqlite3_stmt* statement) : db_(db), statement_(statement) {}
  sqlite3_stmt* get() const { return statement_.get(); }
  absl::Status Error() const;

  sqlite3* db_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

}  // namespace flopsprof::store
