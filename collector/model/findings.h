// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "collector/model/summary.h"

namespace flopsprof::model {

// What the user should know, in the order of OrderFindings. Reads the finished rest of the summary.
std::vector<Finding> FindFindings(const Summary& summary, int ranks_numbered);

// First what is wrong or missing, the gravest first; then what is slow, the most first; then facts.
void OrderFindings(std::vector<Finding>* findings);

}  // namespace flopsprof::model
