// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::agent {

// The same rows in parts of at most about `max_bytes`, each with the key: names are as long as
// the process likes, and a collector ends the stream of a message that is too large. A part is
// larger only when one row alone is.
std::vector<v1::ProcessProfile> SplitProfile(v1::ProcessProfile profile, size_t max_bytes);

}  // namespace flopsprof::agent
