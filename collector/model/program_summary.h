// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/model/rank_groups.h"
#include "collector/model/summary.h"

namespace flopsprof::model {

// Of a run of several programs: what is summed up for each of them, and put together for the run.

// `own`: the summary of the program's ranks, `part`.
void AddProgram(int number, bool launched, const RankGroups& part, Summary own, Summary* summary);

// Modules, steps, ranges, stacks and collectives of the run are those of its programs, each in
// paths of its own; what would mix the times of unrelated steps is absent.
void MergePrograms(const SummaryOptions& options, Summary* summary);

// What is said of one program and not of the whole run.
void AddFindingsOfPrograms(Summary* summary);

}  // namespace flopsprof::model
