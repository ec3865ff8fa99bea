// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "collector/model/summary.h"

namespace flopsprof::model {

// What the numbers of a summary mean and how they were taken (`method` in summary.json). Pure;
// needs the ranks and the coverage of `summary`.
std::map<std::string, std::string> DescribeMethod(const Summary& summary);

}  // namespace flopsprof::model
