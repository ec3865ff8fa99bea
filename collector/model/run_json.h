// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Parts of summary.json that a run has once. Each function writes one field, an object.

#include "collector/model/json_fields.h"
#include "collector/model/summary.h"

namespace flopsprof::model {

void WriteJob(const JobSummary& job, JsonFields* json);
void WriteRecording(const RecordingSummary& recording, JsonFields* json);
void WriteSteps(const StepsSummary& steps, JsonFields* json);
void WriteCoverage(const Coverage& coverage, JsonFields* json);
void WriteTotals(const Totals& totals, JsonFields* json);

}  // namespace flopsprof::model
