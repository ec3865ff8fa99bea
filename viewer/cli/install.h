// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace flopsprof::viewer {

// Where this program and its parts are.

// "0.1.0".
std::string Version();

// Absolute path of the running program; "" when /proc does not say.
std::string ProgramPath();

// libflopsprof_inject.so: in ../lib or ../lib/flopsprof of the program, or beside it; "" when it
// is in none of them.
std::string InjectorPath();
// Those folders, for a message.
std::string InjectorSearchText();

}  // namespace flopsprof::viewer
