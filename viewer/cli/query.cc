// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "collector/store/log_merge.h"
#include "collector/store/run_database.h"
#include "viewer/cli/exit_codes.h"
#include "viewer/cli/messages.h"
#include "viewer/cli/query_functions.h"
#include "viewer/cli/verb_functions.h"
#include "viewer/report/csv.h"
#include "viewer/report/table.h"
#include "viewer/report/text.h"

namespace flopsprof::viewer {
namespace {

constexpr size_t kMostLossesSaid = 8;

using Statement = std::unique_ptr<sqlite3_stmt, decltype(&sqlite3_finalize)>;

std::string TextAt(sqlite3_stmt* statement, int column) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement, column));
  return text == nullptr ? "" : std::string(text, sqlite3_column_bytes(statement, column));
}

std::string NameOf(sqlite3_stmt* statement, int column) {
  const char* name = sqlite3_column_name(statement, column);
  return name == nullptr ? "" : name;
}

nlohmann::ordered_json JsonAt(sqlite3_stmt* statement, int column) {
  switch (sqlite3_column_type(statement, column)) {
    case SQLITE_INTEGER:
      return sqlite3_column_int64(statement, column);
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, column);
    case SQLITE_NULL:
      return nullptr;
    default:
      return CleanText(TextAt(statement, column));
  }
}

void PrintCsv(sqlite3_stmt* statement) {
  const int count = sqlite3_column_count(statement);
  std::string text;
  const auto end_field = [&](int i) { text += i + 1 < count ? "," : "\r\n"; };
  for (int i = 0; i < count; ++i) {
    text += CsvText(NameOf(statement, i));
    end_field(i);
  }
  while (sqlite3_step(statement) == SQLITE_ROW) {
    for (int i = 0; i < count; ++i) {
      text += CsvText(TextAt(statement, i));
      end_field(i);
    }
  }
  WriteAll(STDOUT_FILENO, text);
}

void PrintJson(sqlite3_stmt* statement) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  while (sqlite3_step(statement) == SQLITE_ROW) {
    nlohmann::ordered_json row = nlohmann::ordered_json::object();
    for (int i = 0; i < sqlite3_column_count(statement); ++i) {
      row[CleanText(NameOf(statement, i))] = JsonAt(statement, i);
    }
    rows.push_back(std::move(row));
  }
  WriteAll(STDOUT_FILENO,
           rows.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
}

void PrintTable(sqlite3_stmt* statement) {
  const int count = sqlite3_column_count(statement);
  Terminal terminal = DetectTerminal(STDOUT_FILENO, ColourMode::kAuto, false);
  // Rows of a query are data: shown whole, whatever the width.
  terminal.width = std::string::npos / 2;
  std::vector<std::vector<Cell>> rows;
  std::vector<bool> is_number(static_cast<size_t>(count), true);
  while (sqlite3_step(statement) == SQLITE_ROW) {
    std::vector<Cell> row;
    for (int i = 0; i < count; ++i) {
      const int type = sqlite3_column_type(statement, i);
      if (type == SQLITE_TEXT || type == SQLITE_BLOB) is_number[static_cast<size_t>(i)] = false;
      row.push_back(
          {type == SQLITE_NULL ? "null" : terminal.Clean(TextAt(statement, i)), Tone::kPlain});
    }
    rows.push_back(std::move(row));
  }
  std::vector<Column> columns;
  for (int i = 0; i < count; ++i) {
    columns.push_back({.header = terminal.Clean(NameOf(statement, i)),
                       .right = is_number[static_cast<size_t>(i)]});
  }
  Table table(std::move(columns));
  for (auto& row : rows) table.AddRow(std::move(row));
  WriteAll(STDOUT_FILENO, table.Render(terminal, 0));
}

int SqlError(sqlite3* database, const std::string& what) {
  SayError("query: " + what + ": " + sqlite3_errmsg(database),
           {"tables: flopsprof query RUN \"select name from sqlite_schema\""});
  return kExitUsage;
}

}  // namespace

int QueryVerb(const QueryOptions& options) {
  if (options.folder.empty() || options.sql.empty()) {
    SayError("query: a run folder and a statement are needed",
             {"usage: flopsprof query RUN \"select ...\"", "help: flopsprof help query"});
    return kExitUsage;
  }
  const auto run = store::RunDatabase::Open(options.folder);
  if (absl::IsNotFound(run.status())) {
    SayError(absl::StrCat("query: ", run.status().message()),
             {"a run folder is what flopsprof-run writes: flopsprof-JOB-TIME or the -o DIR"});
    return kExitNothing;
  }
  if (!run.ok()) {
    SayError(absl::StrCat("query: ", run.status().message()),
             {"a run folder holds a profile.db; is this one?"});
    return kExitNotPermitted;
  }
  for (const std::string& problem : (*run)->problems()) {
    SayError(absl::StrCat("query: ", problem), {"what is read is not complete"});
  }
  // As the report does.
  const auto losses = store::ReadLogLosses((*run)->database());
  for (size_t i = 0; losses.ok() && i < losses->size() && i < kMostLossesSaid; ++i) {
    SayError(absl::StrCat("query: ", (*losses)[i]), {"what is read is not complete"});
  }
  sqlite3* opened = (*run)->database()->handle();
  if (AddQueryFunctions(opened) != SQLITE_OK) return SqlError(opened, "flops_sum is not there");
  sqlite3_stmt* prepared = nullptr;
  const char* rest = nullptr;
  if (sqlite3_prepare_v2(opened, options.sql.c_str(), -1, &prepared, &rest) != SQLITE_OK) {
    return SqlError(opened, "the statement does not compile");
  }
  const Statement statement(prepared, &sqlite3_finalize);
  if (prepared == nullptr || std::string(rest).find_first_not_of("; \t\n") != std::string::npos) {
    SayError("query: exactly one statement is run", {});
    return kExitUsage;
  }
  if (sqlite3_stmt_readonly(prepared) == 0) {
    SayError("query: the statement would write; runs are read only", {});
    return kExitUsage;
  }
  if (options.json) {
    PrintJson(prepared);
  } else if (options.csv) {
    PrintCsv(prepared);
  } else {
    PrintTable(prepared);
  }
  const int end = sqlite3_errcode(opened);
  if (end != SQLITE_OK && end != SQLITE_DONE && end != SQLITE_ROW) {
    return SqlError(opened, "the statement failed");
  }
  return kExitOk;
}

}  // namespace flopsprof::viewer
