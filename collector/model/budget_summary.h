// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "collector/model/recording_figures.h"
#include "collector/model/run_profile.h"

namespace flopsprof::model {

// What --max-overhead has done, over all processes. The process with the highest cost may be one
// without a rank.
std::optional<BudgetSummary> SummarizeBudget(const RunProfile& run);

}  // namespace flopsprof::model
