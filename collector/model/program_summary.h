// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "collector/model/rank_groups.h"
#include "collector/model/summary.h"

namespace flopsprof::model {

// For a run of several programs: makes a summary for each program, and merges them into that of the
// run.

// `own`: the summary of the program's ranks, `part`.
void AddProgram(int number, bool launched, const RankGroups& part, Summary own, Summary* summary);

// Modules, steps, ranges, stacks and collectives of the run are those of all programs, each program
// under paths of its own. Numbers that would mix the times of unrelated steps are absent.
void MergePrograms(const SummaryOptions& options, Summary* summary);

// Adds findings that concern one program and not the whole run.
void AddFindingsOfPrograms(Summary* summary);

}  // namespace flopsprof::model
