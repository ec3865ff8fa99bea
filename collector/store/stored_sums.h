// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <cstdint>
#include <optional>
#include <string>

#include "collector/model/run_sums.h"
#include "collector/store/run_database.h"
#include "collector/store/sqlite.h"

namespace flopsprof::store {

// Sums of a finished run, kept in its profile.db beside the rows that they were made from, with two
// marks: which code has made them, and the number of the file's state. SQLite counts every
// transaction that changes a file without a write-ahead log, whoever writes it, in the file's
// header. Sums whose marks are not those of the reader and of the file are not read.

// The number of the state that this connection reads, within a transaction of its. nullopt: the
// database has a write-ahead log, or is no file.
absl::StatusOr<std::optional<uint32_t>> StateOf(Database* database);

// The kept sums of a run, which stand for its processes as they came. nullopt: there are none of
// this state and code, or they are damaged. The rows then tell everything.
std::optional<model::RunSums> FindSums(RunDatabase* run);

// Keeps the sums in profile.db of a finished run. `state`: of the file, with the rows that they
// were made from. Aborted: it has another state; nothing is kept.
absl::Status KeepSumsOf(const std::string& folder, const model::RunSums& sums, uint32_t state);

}  // namespace flopsprof::store
