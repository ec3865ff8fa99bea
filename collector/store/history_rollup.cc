// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/history_rollup.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "collector/base/status.h"
#include "collector/store/schema.h"
#include "proto/flopsprof/history.h"

namespace flopsprof::store {
namespace {

constexpr size_t kLevels = kHistoryWidthsNs.size();

bool IsSpan(int64_t begin_utc_ns, uint64_t width_ns) {
  return std::find(kHistoryWidthsNs.begin(), kHistoryWidthsNs.end(), width_ns) !=
             kHistoryWidthsNs.end() &&
         begin_utc_ns >= 0 && static_cast<uint64_t>(begin_utc_ns) % width_ns == 0;
}

// Adds the rows of one length up into the next: ?1 the process, ?2 the length, ?3 where those end
// that are moved, ?4 the next length.
std::string MoveSql(const RowTable& table) {
  std::string columns;
  for (const std::string& column : ColumnsOf(table.fields())) {
    absl::StrAppend(&columns, ",",
                    column == "begin_utc_ns" ? "begin_utc_ns / ?4 * ?4"
                    : column == "width_ns"   ? "?4"
                                             : QuotedColumn(column));
  }
  return MergeSql(table, absl::StrCat("SELECT process_id", columns, " FROM ", table.name,
                                      " WHERE process_id=?1 AND width_ns=?2 AND begin_utc_ns<?3"));
}

}  // namespace

absl::Status HistoryRollup::Check(const v1::ProcessProfile& process) {
  const auto check = [](const auto& rows) {
    return std::all_of(rows.begin(), rows.end(),
                       [](const auto& row) { return IsSpan(row.begin_utc_ns(), row.width_ns()); });
  };
  if (check(process.history()) && check(process.device_history())) return absl::OkStatus();
  return absl::InvalidArgumentError("a row of a history is of no span of time that there is");
}

uint64_t HistoryRollup::KeptSpans(uint64_t processes) {
  return std::clamp<uint64_t>(400'000 / std::max<uint64_t>(processes, 1), 30, 360);
}

absl::Status HistoryRollup::After(int64_t process_id, const v1::ProcessProfile& process) {
  int64_t newest_utc_ns = -1;
  for (const auto& row : process.history()) {
    newest_utc_ns = std::max(newest_utc_ns, row.begin_utc_ns());
  }
  for (const auto& row : process.device_history()) {
    newest_utc_ns = std::max(newest_utc_ns, row.begin_utc_ns());
  }
  if (newest_utc_ns < 0) return absl::OkStatus();
  const auto [known, added] = looked_at_utc_ns_.try_emplace(process_id, newest_utc_ns);
  constexpr auto kBetweenNs = static_cast<int64_t>(kSpansBetween * kHistoryWidthsNs.front());
  // Also after a clock that was ahead has been put back.
  if (!added && std::abs(newest_utc_ns - known->second) < kBetweenNs) return absl::OkStatus();
  known->second = newest_utc_ns;
  return RollUp(process_id, newest_utc_ns);
}

absl::Status HistoryRollup::RollUp(int64_t process_id, int64_t newest_utc_ns) {
  const absl::StatusOr<int64_t> processes = db_.QueryInt("SELECT max(id) FROM processes");
  if (!processes.ok()) return processes.status();
  const uint64_t kept = KeptSpans(static_cast<uint64_t>(*processes));
  for (size_t level = 0; level + 1 < kLevels; ++level) {
    const auto span_ns = static_cast<int64_t>(kept * kHistoryWidthsNs[level]);
    const auto next_ns = static_cast<int64_t>(kHistoryWidthsNs[level + 1]);
    if (newest_utc_ns < span_ns) continue;
    const int64_t before_utc_ns = (newest_utc_ns - span_ns) / next_ns * next_ns;
    for (const char* table : {"history", "device_history"}) {
      FLOPSPROF_RETURN_IF_ERROR(Move(process_id, table, level, before_utc_ns));
    }
  }
  return absl::OkStatus();
}

absl::Status HistoryRollup::Move(int64_t process_id, const std::string& table, size_t level,
                                 int64_t before_utc_ns) {
  const auto found = std::find_if(RowTables().begin(), RowTables().end(),
                                  [&](const RowTable& at) { return at.name == table; });
  const std::string remove = absl::StrCat(
      "DELETE FROM ", table, " WHERE process_id=?1 AND width_ns=?2 AND begin_utc_ns<?3");
  for (const std::string& sql : {MoveSql(*found), remove}) {
    absl::StatusOr<Statement> statement = db_.Prepare(sql);
    if (!statement.ok()) return statement.status();
    statement->BindInt(1, process_id);
    statement->BindInt(2, static_cast<int64_t>(kHistoryWidthsNs[level]));
    statement->BindInt(3, before_utc_ns);
    if (sql != remove) statement->BindInt(4, static_cast<int64_t>(kHistoryWidthsNs[level + 1]));
    const absl::Status status = statement->Run();
    // A sum beyond 64 bits, of somebody who made it up: these stay as they are.
    if (absl::IsInvalidArgument(status)) return absl::OkStatus();
    FLOPSPROF_RETURN_IF_ERROR(status);
  }
  return absl::OkStatus();
}

}  // namespace flopsprof::store
