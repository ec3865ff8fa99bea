// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "collector/model/rank_figures.h"
#include "collector/model/rank_groups.h"
#include "collector/model/step_figures.h"
#include "collector/model/step_summary.h"
#include "collector/model/work_figures.h"

namespace flopsprof::model {

// How far a rank is from the peak of its card. MFU has the flops of the model, without
// recomputation and without products that an optimizer makes itself. HFU has all executed flops.
// Each type of product is compared with its own dense peak. Both are taken over the complete steps.
// Step 0 is left out if there are others, because it contains compilation and tuning. Both are
// absent, with `why`, when the card or the peak of one of the types is not known.
Utilisation UtilisationOf(const v1::RunInfo& run, const RankGroup& group, const RankSummary& rank);

// `why` of a stand-in's card, whose peak nobody can give.
inline constexpr std::string_view kSimulatedCard = "the card is simulated";

// All ranks together: time at peak over available time. Absent when it is absent for one rank.
Utilisation Together(const std::vector<RankSummary>& ranks);

// The same for each step, from the mix of types of all steps. Steps that are complete in every
// rank that has them.
std::vector<StepUtilisation> UtilisationBySteps(const RankGroups& groups,
                                                const std::vector<RankSummary>& ranks);

}  // namespace flopsprof::model
