// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <set>
#include <string>

#include "collector/model/run_profile.h"
#include "collector/model/run_sums.h"
#include "collector/store/process_reader.h"
#include "collector/store/run_database.h"

namespace flopsprof::store {

// Reads a run as RunDatabase opens it: all that was acknowledged. Every process is within
// model/profile_bounds.h. A consistent state: all of a request or none of it.
absl::StatusOr<model::RunProfile> ReadRun(const std::string& path, RunParts parts = RunParts::kAll);
absl::StatusOr<model::RunProfile> ReadRun(RunDatabase* run, RunParts parts);

// What a database says of its run beside the processes.
absl::Status ReadFacts(Database* database, model::RunProfile* profile);
// Problems of the report: tables of which not all rows could be read.
void NameDamagedTables(const std::set<std::string>& tables, model::RunProfile* profile);

struct SummedRun {
  model::RunSums sums;
  model::RunProfile profile;  // what they were made from
};

// So many processes are in memory at once with all rows that a summary is made from: mostly less
// than 2 GB.
inline constexpr int64_t kMostAtOnce = 4096;

// Reads a run and adds it up. One with more processes than `most_at_once` is added up one rank
// after the other: its rows are read twice, those of a few processes are in memory at a time, and
// the profile has thin processes (model/thin_profile.h). The sums are the same.
absl::StatusOr<SummedRun> SumRun(RunDatabase* run, const model::SummaryOptions& options = {},
                                 int64_t most_at_once = kMostAtOnce);

}  // namespace flopsprof::store
