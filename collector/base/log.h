// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <spdlog/spdlog.h>

namespace flopsprof::base {

// The program's own words: one line each on stderr, "flopsprof: ..."; stdout belongs to the job
// or to the result. Any thread. Use: base::Log().warn("cannot open {}: {}", path, reason);
spdlog::logger& Log();

// trace, debug, info, warn (default), error or off. False: no such level, nothing changed.
bool SetLogLevel(std::string_view level);

}  // namespace flopsprof::base
