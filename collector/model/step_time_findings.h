// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "collector/model/judged_finding.h"
#include "collector/model/summary.h"

namespace flopsprof::model {

// What the wall time of the steps loses: the GPU is idle, communication is exposed, a rank or a
// stage of a pipeline takes longer than the others. Pure.
void AddStepTimeFindings(const Summary& summary, const StepParts& parts,
                         std::vector<JudgedFinding>* judged);

}  // namespace flopsprof::model
