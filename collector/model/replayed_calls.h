// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Removes numbers of module calls that CUDA graphs make meaningless. A replay runs the work of a
// module again, but calls no module. A graph says which library calls it has, but not how often a
// module was called during the capture, or which modules without library calls were called. So the
// number of calls is not known for any module of a model that was captured, in part or whole.

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
