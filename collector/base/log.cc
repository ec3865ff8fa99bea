// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/base/log.h"

#include <spdlog/sinks/stdout_sinks.h>

#include <memory>
#include <string>

namespace flopsprof::base {

spdlog::logger& Log() {
  // Never destroyed: threads may log while the process exits.
  static auto* logger = [] {
    auto* made = new spdlog::logger("flopsprof", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("flopsprof: %v");
    made->set_level(spdlog::level::warn);
    made->flush_on(spdlog::level::trace);
    return made;
  }();
  return *logger;
}

bool SetLogLevel(std::string_view level) {
  for (int i = spdlog::level::trace; i < spdlog::level::n_levels; i++) {
    const auto candidate = static_cast<spdlog::level::level_enum>(i);
    const auto name = spdlog::level::to_string_view(candidate);
    const bool same = level == std::string_view(name.data(), name.size()) ||
                      (level == "warn" && candidate == spdlog::level::warn);
    if (same) {
      Log().set_level(candidate);
      return true;
    }
  }
  return false;
}

}  // namespace flopsprof::base
