// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <string>

#include "collector/model/run_profile.h"

namespace flopsprof::store {

// The profile.db of a run folder, or of the path of one. NotFound: no run there, and why.
absl::StatusOr<std::string> DatabaseFile(const std::string& path);

// Reads a run folder, or its profile.db: finished, live, or left by a killed collector; also
// where nothing may be written. Every process is within model/profile_bounds.h. Changes no data;
// beside a run that is not finished SQLite may make its profile.db-shm. A consistent state: all of
// a request or none of it. NotFound: no run there. FailedPrecondition: made by a newer version.
// DataLoss: damaged.
absl::StatusOr<model::RunProfile> ReadRun(const std::string& path);

}  // namespace flopsprof::store
