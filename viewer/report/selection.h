// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collector/model/run_profile.h"

namespace flopsprof::viewer {

// A part of a run: some of its ranks, some of its steps.

struct RankRange {
  int first = 0;
  int last = 0;

  friend bool operator==(const RankRange&, const RankRange&) = default;
};

// "3", "0,4-7". False with a sentence in `error`.
bool ParseRankRanges(const std::string& text, std::vector<RankRange>* ranges, std::string* error);
// "0,4-7".
std::string RankRangesText(const std::vector<RankRange>& ranges);

struct Selected {
  std::string error;  // "" = done; else a sentence, and the run is as it was
  size_t ranks = 0;   // that are left
  size_t of = 0;      // that there were
};

// Takes all other ranks out of the run: what is summed of it afterwards is of these alone.
Selected SelectRanks(const std::vector<RankRange>& ranges, model::RunProfile* run);

// Takes away all other steps, those from `end` on too. What is not kept by step stays as it was.
// The error says which steps there are, if it is none of these.
std::string SelectSteps(uint32_t first, uint32_t end, model::RunProfile* run);

}  // namespace flopsprof::viewer
