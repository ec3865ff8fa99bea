// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "collector/model/report_sums.h"
#include "collector/model/summary.h"
#include "viewer/deepspeed/figures.h"
#include "viewer/deepspeed/step_part.h"

namespace flopsprof::viewer::deepspeed {

// What a run does not record, and somebody may say.
struct GivenFacts {
  std::optional<uint32_t> mp_size;
  double recompute_fwd_factor = 0;
};

// GPU time of communication and of its waiting, which is in the latencies. Absent: not known.
struct Communication {
  bool any = false;
  Seconds forward, backward, weights_update;
};

// Figures of a run or of one of its programs, as DeepSpeed means them: of one step of one rank.
struct RunFigures {
  Figures figures;
  // What the figures are means over: steps of all ranks or, without steps, forwards of the model.
  std::optional<uint64_t> divisor;
  bool of_steps = false;
  bool mean_known = false;
  uint64_t whole_steps = 0;  // of all ranks: begin and end are known
  Seconds wall;              // mean of a step, over the same steps
  Communication communication;
  // Absent: the page is of all steps.
  std::optional<StepPart> part;
  // Forward and backward work of modules is all in steps: figures of each are those of a step.
  bool modules_in_steps = true;
  Count flops_outside;      // forward flops that are in no module
  Count flops_in_no_step;   // forward flops of no step, in the whole run
  uint64_t unknown_ns = 0;  // of kernels whose flops are not known, in the whole run
};

// What is wrong with the sizes that were given; "": nothing.
std::string ErrorInSizes(const model::Summary& summary, const GivenFacts& given);

// Without modules `figures.modules` is empty. `part`: totals and latencies are those of its steps,
// and modules' flops too, where these are known; absent: of all steps.
RunFigures FiguresOf(const model::Summary& summary, const model::ReportSums& sums,
                     const GivenFacts& given, const StepPart* part = nullptr);

}  // namespace flopsprof::viewer::deepspeed
