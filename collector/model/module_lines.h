// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "collector/model/module_paths.h"
#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::model {

// The lines of the module tree of one process, and where each of its scopes is in them. Pure.
// `raw_names` and `main_class`: as ModulePaths has them.
ModulePaths::Lines MakeLines(const v1::ProcessProfile& process, bool raw_names,
                             const std::string& main_class);

}  // namespace flopsprof::model
