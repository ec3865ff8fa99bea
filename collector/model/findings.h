// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "collector/model/summary.h"

namespace flopsprof::model {

// What the user should know first, gravest first. Reads the finished rest of the summary.
std::vector<Finding> FindFindings(const Summary& summary, int ranks_numbered);

}  // namespace flopsprof::model
