// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Lines of the lists of summary.json. Each function writes fields into the object that is open.

#include "collector/model/finding.h"
#include "collector/model/json_fields.h"
#include "collector/model/module_figures.h"
#include "collector/model/row_figures.h"

namespace flopsprof::model {

void WriteModule(const ModuleSummary& module, JsonFields* json);
void WriteKernel(const KernelSummary& kernel, JsonFields* json);
void WriteStack(const StackSummary& stack, JsonFields* json);
void WriteCollective(const CollectiveSummary& collective, JsonFields* json);
void WriteRange(const RangeSummary& range, JsonFields* json);
void WriteMark(const MarkSummary& mark, JsonFields* json);
void WriteOptimizer(const OptimizerSummary& optimizer, JsonFields* json);
void WriteFinding(const Finding& finding, JsonFields* json);

}  // namespace flopsprof::model
