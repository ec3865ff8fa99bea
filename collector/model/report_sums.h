// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "collector/model/run_profile.h"
#include "collector/model/step_picture.h"
#include "collector/model/summary.h"

namespace flopsprof::model {

// One step number of all ranks, as the report shows it.
struct StepSums {
  uint32_t step = 0;
  uint64_t ranks = 0;
  // The ranks whose step is complete: how many there are, the sum and the longest of their
  // durations, and the sum of the two in the middle (twice the middle one of an odd number).
  uint64_t complete = 0;
  uint64_t wall_ns = 0;
  uint64_t slowest_ns = 0;
  uint64_t middle_two_ns = 0;
  uint64_t busy_ns = 0;
  uint64_t complete_busy_ns = 0;
  uint64_t exposed_ns = 0;
  FlopCount flops = 0;
  bool has_unknown = false;  // work whose flops are not known
  bool exposed_unknown = false;
  bool unseen_kernels = false;  // of a rank whose CUPTI was not ours all along, or lacks times
};

// Library calls with one name, sizes and type, captured into graphs or not.
struct CallSums {
  std::string api;
  std::string shape;
  std::string compute_type;
  bool captured = false;
  uint64_t calls = 0;
  FlopCount flops = 0;
  bool flops_known = true;
  uint64_t kernels = 0;
  uint64_t gpu_time_ns = 0;
  bool lacks_times = false;  // a rate needs the times of all calls
};

// What is counted in the steps of all ranks, by phase.
struct WorkInSteps {
  PhaseCounts flops;
  PhaseTimes gpu_time_ns;
};

// GPU time by phase and by v1::TimeCategory, in ns.
inline constexpr size_t kTimeCategories = v1::TimeCategory_MAX + 1;
using CategoryTimes = std::array<std::array<uint64_t, kTimeCategories>, kPhaseCount>;

// What a report shows beyond the summary: sums over the rows of a run, or of one of its programs.
struct ReportSums {
  // Steps of each rank, summed over ranks: what "per step and rank" divides by. 0 = no steps.
  uint64_t rank_steps = 0;
  WorkInSteps in_steps;
  uint64_t time_in_no_step_ns = 0;
  // Sums of durations over all ranks: in steps; of all that ran where there are no steps.
  CategoryTimes category_times = {};
  StepPicture picture;
  // Flops of the model, those of MFU, per second of wall time of one rank, over the same steps as
  // their median: complete, not the first, and none in which something was compiled or tuned.
  std::optional<double> speed_of_a_rank;
  std::vector<StepSums> steps;       // by number
  std::vector<CallSums> calls;       // the longest GPU time first; of the whole run only
  std::vector<ReportSums> programs;  // as those of the summary
};

// What of it is in the rows of a process.
class CallsAndTimes {
 public:
  void Add(const v1::ProcessProfile& process);
  std::vector<CallSums> Calls() const;  // the longest GPU time first
  uint64_t time_in_no_step_ns() const { return time_in_no_step_ns_; }
  const CategoryTimes& in_steps() const { return in_steps_; }
  const CategoryTimes& outside_steps() const { return outside_steps_; }

 private:
  std::map<std::tuple<std::string, std::string, std::string, bool>, CallSums> calls_;
  uint64_t time_in_no_step_ns_ = 0;
  CategoryTimes in_steps_ = {};
  CategoryTimes outside_steps_ = {};
};

// `summary` is that of `run`. Pure.
ReportSums SumForReport(const RunProfile& run, const Summary& summary);
// The same of thin processes. `rows`: of the run, and then of each program if there are several.
ReportSums SumForReport(const RunProfile& run, const Summary& summary,
                        const std::vector<CallsAndTimes>& rows);

}  // namespace flopsprof::model
