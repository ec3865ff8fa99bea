// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "collector/model/rank_claims.h"
#include "collector/model/run_profile.h"

namespace flopsprof::model {

// Processes of a job that are one program: the ranks of one launch, or one process without a rank.
// A shell script that starts several trainings is several programs.
struct Program {
  // Processes that used the GPU, oldest first.
  std::vector<const v1::ProcessProfile*> processes;
  // Processes without a rank of their own, each with the process that it works for.
  std::vector<std::pair<const v1::ProcessProfile*, const v1::ProcessProfile*>> works_for;
  bool launched = false;  // a launcher gave the ranks
};

// The programs of a run, the main one first. The main one is that of the launcher; without a
// launcher the one with most work in backward; without a backward the one with most work. The
// others follow in the order of their start.
//
// One program is: the ranks of one launch; or processes without a rank whose collectives are of one
// group; or processes without a rank that one parent started by multiprocessing with equal models.
// A rank may be claimed again on its node. That is another launch if the model is another, or if
// another parent started it after the first had ended. A child without modules of its own works for
// the process that started it. `all`: every process of the run; `used_gpu`: those that did GPU
// work, oldest first.
std::vector<Program> FindPrograms(const std::vector<const v1::ProcessProfile*>& all,
                                  const std::vector<const v1::ProcessProfile*>& used_gpu,
                                  const RankClaims& claims);

}  // namespace flopsprof::model
