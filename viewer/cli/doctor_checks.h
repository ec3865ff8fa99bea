// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace flopsprof::viewer {

enum class CheckState {
  kGood,
  kNote,     // a fact that changes what can be profiled
  kWarning,  // something will be missing from profiles
  kBad,      // nothing can be profiled
};

struct Check {
  std::string name;
  CheckState state = CheckState::kGood;
  std::string found;  // what is there, or why it is not
  std::string next;   // what to do; "" = nothing
};

// Looks at this machine as a job would find it: our own library, driver, the CUDA parts of the
// given python's torch, permissions, other tools in the way. Starts `python` once; opens no GPU.
std::vector<Check> RunChecks(const std::string& python);

}  // namespace flopsprof::viewer
