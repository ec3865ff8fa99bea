// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "collector/model/summary.h"

namespace flopsprof::model {

// Why there are no steps, and what is odd about step 0. Pure.
void AddStepFindings(const Summary& summary, std::vector<Finding>* findings);

// Steps that --steps asked for and the job did not take. Pure.
void AddMissingSteps(const Summary& summary, std::vector<Finding>* findings);

}  // namespace flopsprof::model
