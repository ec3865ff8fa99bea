// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <regex>

#include "collector/model/run_profile.h"

namespace flopsprof::viewer {

// True when a module path, or the names of ranges inside of one, matches and has launched
// something.
bool AnyInFocus(const model::RunProfile& run, const std::regex& focus);

}  // namespace flopsprof::viewer
