// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "collector/model/summary.h"

namespace flopsprof::model {

// What is missing in the numbers, and why: ranks that ended, times or counts that did not come,
// work that nobody knows or that no module has. Reads the finished rest of the summary. Pure.
void AddLossFindings(const Summary& summary, std::vector<Finding>* findings);

}  // namespace flopsprof::model
