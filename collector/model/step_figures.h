// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The steps of a run: what is known of each, where their time went, which rank or stage is slow. A
// part of the summary (summary.h).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collector/model/tally.h"

namespace flopsprof::model {

struct StepUtilisation {
  uint32_t step = 0;
  std::optional<double> mfu;  // absent: only work whose flops are not known
  std::optional<double> hfu;
};

// One step number, or the work after that step and before the next. All ranks together.
struct StepLine {
  uint32_t step = 0;
  uint32_t processes = 0;
  bool complete = true;    // in all of them
  bool disturbed = false;  // something was compiled or tuned in one of them
  uint64_t wall_ns = 0;    // the longest; 0 = not known
  uint64_t gpu_busy_ns = 0;
  bool has_unknown = false;
  PhaseCounts flops;
};

// Where the wall time of the measured steps went (StepsSummary::measured), that of each step once
// for each device of its rank.
struct StepParts {
  uint64_t rank_steps = 0;    // steps, each once for each rank
  uint64_t device_steps = 0;  // the same, once for each of its devices
  uint64_t wall_ns = 0;
  uint64_t busy_ns = 0;                              // at most wall_ns
  std::optional<uint64_t> exposed_communication_ns;  // of busy_ns; absent: not known
  uint64_t activities = 0;                           // kernels, copies and sets
  // From the optimizer's end to the end of the step, where the next forward begins, and how much of
  // it the devices were idle at least. Absent: of some step it is not known.
  std::optional<uint64_t> between_ns = {};
  uint64_t between_idle_ns = 0;
};

// Ranks compared by the GPU time of their measured steps without exposed communication. Ranks of a
// pipeline are compared with those of their own stage.
struct UnevenRanks {
  uint32_t most = 0;   // position in Summary::ranks
  uint64_t ranks = 0;  // that are compared with each other
  bool of_stage = false;
  uint64_t steps = 0;  // of each rank
  uint64_t most_ns = 0;
  uint64_t median_ns = 0;  // of an even number of ranks the lower one in the middle
  // Flops and GPU records of that rank over their medians. Absent: work whose flops are not known.
  std::optional<double> flops_ratio;
  double activities_ratio = 0;
};

// Stages of a pipeline, compared by the same time; that of a stage is the median of its ranks.
struct UnevenStages {
  uint32_t stages = 0;
  uint32_t most = 0;   // position in Summary::ranks: the first rank of the longest one
  uint64_t steps = 0;  // of each rank
  uint64_t most_ns = 0;
  uint64_t mean_ns = 0;               // of all stages
  std::optional<double> flops_ratio;  // over the mean; absent: work whose flops are not known
};

struct StepsSummary {
  // What began and ended steps: "optimizer", "flopsprof.step()", "passes" (backward passes),
  // "forwards", "" (there are none), or the name of --step-at.
  std::string taken_from;
  uint32_t measured = 0;         // steps of all ranks that median and p95 are over
  uint32_t disturbed = 0;        // step numbers in which something was compiled or tuned
  std::vector<StepLine> list;    // at most max_step_utilisations
  std::vector<StepLine> beside;  // the same; `step`: the one before
  uint32_t profiled = 0;         // different step numbers
  std::optional<uint32_t> first;
  std::optional<uint32_t> last;
  std::optional<uint32_t> wanted_first;  // of --steps
  std::optional<uint32_t> wanted_end;    // absent: open
  // Over the steps of all ranks that are complete, not step 0 and not disturbed.
  std::optional<uint64_t> median_ns;
  std::optional<uint64_t> p95_ns;
  std::optional<StepParts> parts;  // of the same steps; absent: times are not known
  // What takes most of their time: "gpu_work", or the name of a finding's kind:
  // "exposed_communication", "idle", "launch_bound", "input_bound". "": not known.
  std::string bound_by;
  // Absent: one rank, or several programs, or the ranks have not measured the same steps.
  std::optional<UnevenRanks> uneven;
  std::optional<UnevenStages> uneven_stages;  // absent also: no pipeline was seen
  uint32_t left_out = 0;                      // step numbers that no rank gave a duration for
  // Counted flops of step 0 over the median of the later steps, if there are any. It is well above
  // 1 when libraries or the framework tuned themselves by running calls again.
  std::optional<double> first_step_work_ratio;
  std::string first_step_phase;  // that holds most of what step 0 did more; "" = it did not
  std::string tuning_sign;       // evidence that something tuned itself by running; "" = none
  std::vector<StepUtilisation> utilisation;  // at most max_step_utilisations
};

}  // namespace flopsprof::model
