// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Calls of modules whose work ran in CUDA graphs: a replay runs the work of a module again, and
// calls nothing. A graph says which library calls it holds, not how often a module was called
// while it was captured, nor which modules without library calls were. So the number of calls that
// would belong to the work is not known, for no module of a model that was captured in part.

#include <set>
#include <string>

#include "collector/model/module_paths.h"
#include "collector/model/summary.h"
#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::model {

class ReplayedCalls {
 public:
  // Looks for models of which a part was replayed.
  void Add(const v1::ProcessProfile& process, const ModulePaths& paths);

  // Takes the calls of their lines away and says so in coverage.reasons.
  void Finish(Summary* summary) const;

 private:
  std::set<std::string> paths_;
};

}  // namespace flopsprof::model
