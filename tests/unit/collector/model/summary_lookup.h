// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "collector/model/summary.h"

namespace flopsprof::model {

inline bool HasFinding(const Summary& summary, const std::string& part) {
  for (const Finding& finding : summary.findings) {
    if (finding.text.find(part) != std::string::npos) return true;
  }
  return false;
}

inline RunProfile RunOf(const v1::ProcessProfile& process) {
  RunProfile run;
  run.processes.push_back(process);
  return run;
}

}  // namespace flopsprof::model
