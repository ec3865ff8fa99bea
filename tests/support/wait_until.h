// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <thread>

#include "tests/support/sanitizers.h"

namespace flopsprof::testing {

// Calls `condition` until it is true, at most ten seconds, a minute under a sanitizer: this only
// ends what would never end. False: it never was.
inline bool WaitUntil(const std::function<bool()>& condition) {
  constexpr std::chrono::seconds kPatience(test::kSanitized ? 60 : 10);
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

}  // namespace flopsprof::testing
