// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A sentence of the report about what is wrong, missing or slow. A part of the summary (summary.h).

#include <optional>
#include <string>

#include "collector/model/finding_kinds.h"

namespace flopsprof::model {

struct Finding {
  FindingKind kind = FindingKind::kNothingRecorded;
  std::string severity;  // "error", "warning", "note"
  std::string text;
  std::string evidence;
  std::string next;
  std::string gain = {};  // what it would gain at most; "": it is not about speed
  // The same as a share of the steps' time. Of all findings together at most 1.
  std::optional<double> gain_ratio = {};
};

// Something that is missing in the whole profile, with the evidence for it.
struct RunGap {
  FindingKind kind = FindingKind::kProfileIncomplete;
  std::string severity;  // as of a Finding
  std::string text;      // a sentence for a finding, and a reason of the coverage
  std::string evidence;
  std::string next;
};

}  // namespace flopsprof::model
