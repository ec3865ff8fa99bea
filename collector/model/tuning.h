// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "collector/model/rank_groups.h"

namespace flopsprof::model {

// Why step 0 did more work than later steps. Calls that a library or a framework makes to find
// its fastest way look as any other call: that they were tuning needs a sign of its own.

// Evidence that something tuned itself by running calls, as a part of a sentence: a mode that asks
// for it (note "tuning"), a range that the framework's tuning ran in, or shapes that a module used
// more often than it was called, where that is at least half of what step 0 did more. "": none.
std::string TuningSign(const RankGroups& groups);

// Phase that holds most of what step 0 did more than the median of the later steps; "": no step 0,
// no later one, or it did not do more.
std::string PhaseOfFirstStep(const RankGroups& groups);

}  // namespace flopsprof::model
