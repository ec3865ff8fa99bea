// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Ranks and other processes in summary.json. Each function writes fields into the object that is
// open.

#include "collector/model/json_fields.h"
#include "collector/model/rank_figures.h"

namespace flopsprof::model {

void WriteRank(const RankSummary& rank, JsonFields* json);
void WriteProcess(const ProcessSummary& process, JsonFields* json);

}  // namespace flopsprof::model
