// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "collector/model/summary.h"

namespace flopsprof::model {

// What --max-overhead has done, of all processes: one without a rank may be the one that pays.
std::optional<BudgetSummary> SummarizeBudget(const RunProfile& run);

}  // namespace flopsprof::model
