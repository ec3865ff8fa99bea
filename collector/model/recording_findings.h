// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "collector/model/finding.h"
#include "collector/model/recording_figures.h"

namespace flopsprof::model {

// Findings about what windows and --max-overhead recorded and left out.
void AddRecordingFindings(const RecordingSummary& recording, std::vector<Finding>* findings);

}  // namespace flopsprof::model
