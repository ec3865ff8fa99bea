// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>

#include "absl/status/status.h"
#include "collector/store/sqlite.h"
#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::store {

// Keeps the histories of a run small: of each length of kHistoryWidthsNs a process keeps its
// newest spans, KeptSpans of them; older ones are added up into the next longer ones. Those of the
// last length stay. Sums stay as they are. Inside the caller's transaction; one thread at a time.
class HistoryRollup {
 public:
  explicit HistoryRollup(Database* db) : db_(*db) {}

  // INVALID_ARGUMENT: a row is of no span that there is.
  static absl::Status Check(const v1::ProcessProfile& process);
  // Its rows are written. Looks at the process when kSpansBetween newer spans have come.
  absl::Status After(int64_t process_id, const v1::ProcessProfile& process);

  // So that the rows of a run stay below some millions, however many processes there are.
  static uint64_t KeptSpans(uint64_t processes);

 private:
  static constexpr uint64_t kSpansBetween = 60;

  absl::Status RollUp(int64_t process_id, int64_t newest_utc_ns);
  absl::Status Move(int64_t process_id, const std::string& table, size_t level,
                    int64_t before_utc_ns);

  Database& db_;
  std::unordered_map<int64_t, int64_t> looked_at_utc_ns_;  // by process: its newest span then
};

}  // namespace flopsprof::store
