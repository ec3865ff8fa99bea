// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "collector/model/judged_finding.h"
#include "collector/model/summary.h"

namespace flopsprof::model {

// What GPU time kernels take that they need not: work is repeated, kernels are small, products are
// far below the roofline, have odd sizes or are plain fp32. Needs the times of all kernels. Pure.
void AddKernelTimeFindings(const Summary& summary, std::vector<JudgedFinding>* judged);

}  // namespace flopsprof::model
