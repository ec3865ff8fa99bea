// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "collector/model/report_sums.h"
#include "collector/model/run_profile.h"
#include "collector/model/summary.h"

namespace flopsprof::viewer::deepspeed {

// Steps that a page is of: from `first` to below `end`, numbered from 0.
struct StepRange {
  uint32_t first = 0;
  uint32_t end = 0;
};

// What was measured in some steps of a run or of one of its programs, all ranks together. Of
// modules a run has sums over all steps alone.
struct StepPart {
  uint64_t rank_steps = 0;   // steps of the range, each once for each rank; 0: none was recorded
  uint64_t whole_steps = 0;  // of them: begin and end are known
  uint64_t wall_ns = 0;      // of these
  uint64_t ranks = 0;        // that recorded one
  std::optional<uint32_t> first;  // that was recorded
  std::optional<uint32_t> last;
  model::WorkInSteps work;
  // All recorded steps, also those outside of the range, did equally many flops in forwards; and in
  // backwards with what is computed anew for them.
  bool same_forward = true;
  bool same_backward = true;
};

struct StepParts {
  StepPart run;
  std::vector<StepPart> programs;  // as those of the summary
};

// Pure. `summary` is that of `run`.
StepParts PartsOfSteps(const model::RunProfile& run, const model::Summary& summary,
                       StepRange range);

}  // namespace flopsprof::viewer::deepspeed
