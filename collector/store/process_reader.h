// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "collector/store/sqlite.h"
#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::store {

// Which rows are read.
enum class RunParts {
  kAll,
  // Without those that no summary is made from: what was launched where (`scope_kernels`), and what
  // was worked out from the run (`call_gradients`).
  kForSummary,
  // The same, and then made thin (model/thin_profile.h).
  kThin,
};

// Processes with ids from `begin` to below `end`.
struct ProcessIds {
  int64_t begin = INT64_MIN;
  int64_t end = INT64_MAX;
};

// Reads the processes of a database one after the other, in the order of their ids. Every table is
// read once, in the order of its rows, which is that of processes. One thread; the database
// outlives it.
class ProcessReader {
 public:
  static absl::StatusOr<std::unique_ptr<ProcessReader>> Create(Database* database,
                                                               RunParts parts = RunParts::kAll,
                                                               ProcessIds ids = {});
  ~ProcessReader();

  // Sets `process`, an empty one, to the next process as it is stored. False: there is no further
  // one.
  absl::StatusOr<bool> Next(v1::ProcessProfile* process);

  // Begins anew, with these.
  absl::Status Seek(ProcessIds ids);

  // The id of the process that Next has read.
  int64_t id() const { return id_; }

  // The longest text that was read since the last Next began. Numbers do not count.
  size_t longest_text_bytes() const { return longest_text_bytes_; }

 private:
  // Rows of one table, from the next one on that no process has taken.
  class Cursor;
  using OnRow = void (*)(const Statement& row, Cursor* cursor, v1::ProcessProfile* process);

  explicit ProcessReader(ProcessIds ids);
  absl::Status AddTables(Database* database, RunParts parts);
  absl::Status AddMaps(Database* database);
  absl::Status Add(Database* database, std::unique_ptr<Cursor> cursor);

  ProcessIds ids_;
  int64_t id_ = 0;
  std::unique_ptr<Statement> processes_;
  std::vector<std::unique_ptr<Cursor>> cursors_;
  size_t longest_text_bytes_ = 0;
};

// What readers make of a process whose rows were stored in parts: bounded, with steps that have
// numbers. `longest_text_bytes`: as ProcessReader gives it.
void FinishProcess(size_t longest_text_bytes, v1::ProcessProfile* process);

}  // namespace flopsprof::store
