// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "collector/model/rank_groups.h"

namespace flopsprof::model {

// Finds out why step 0 did more work than later steps. Calls that a library or a framework makes to
// find its fastest way look like any other call. So tuning is reported only if there is another
// sign of it.

// Evidence in a process that something tuned itself by running calls, as a part of a sentence: a
// mode that asks for it (note "tuning"), a range that the framework's tuning ran in, or shapes that
// a module used more often than it was called, if these are at least half of the additional work of
// step 0. "": there is no sign.
std::string TuningSign(const v1::ProcessProfile& process);

// The phase with most of the work that step 0 did beyond the median of the later steps. "": there
// is no step 0, no later step, or step 0 did not do more.
std::string PhaseOfFirstStep(const RankGroups& groups);

}  // namespace flopsprof::model
