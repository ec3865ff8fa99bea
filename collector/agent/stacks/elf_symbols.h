// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace flopsprof::agent {

// Functions of one ELF file by their addresses, as linked. The file is named by a profiled process:
// only a regular file is read, every size is checked, and nothing of it is mapped, since it may
// change meanwhile.

// Names of the functions that contain these addresses, mangled as they stand there; an address that
// no function contains is left out. `build_id`: lower-case hex that the file must have.
absl::StatusOr<std::map<uint64_t, std::string>> FindFunctions(
    const std::string& path, const std::string& build_id, const std::vector<uint64_t>& addresses);

}  // namespace flopsprof::agent
