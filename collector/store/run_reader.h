// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <string>

#include "collector/model/run_profile.h"

namespace flopsprof::store {

// Reads a run as RunDatabase opens it: all that was acknowledged. Every process is within
// model/profile_bounds.h. A consistent state: all of a request or none of it.
absl::StatusOr<model::RunProfile> ReadRun(const std::string& path);

}  // namespace flopsprof::store
