// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// What was recorded of the run, and what recording cost. A part of the summary (summary.h).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace flopsprof::model {

// A part of the run in which work was recorded: the windows of all processes that have the same
// number.
struct WindowSummary {
  uint32_t number = 0;  // 1 ...
  int64_t begin_utc_ns = 0;
  int64_t end_utc_ns = 0;              // 0: open
  std::optional<uint32_t> first_step;  // absent: began without a step
  std::optional<uint32_t> end_step;    // not recorded any more; absent: open, or cut in a step
  std::optional<uint32_t> cut_step;    // in which it was cut: of this step a part is recorded
  uint32_t processes = 0;
  bool aligned = true;  // all processes recorded the same steps
};

struct InstantSummary {
  std::string name;
  int64_t utc_ns = 0;
  std::optional<uint32_t> step;  // the newest of all processes
};

// What --max-overhead has done; CostRow of profile.proto. Shares are of the process's time.
struct BudgetSummary {
  double budget = 0;
  std::optional<double> estimate;  // of the process that we cost most; absent: none was judged
  uint64_t wall_ns = 0;            // over which it was judged
  double instruction_ns = 0;       // as measured on its machine
  // Times at each level, of a process that was recorded in windows if there is one. All processes
  // of a node have the same.
  uint64_t full_ns = 0;
  uint64_t sampled_ns = 0;
  uint64_t paused_ns = 0;
  uint32_t level_changes = 0;
  uint32_t switches = 0;
  // The process that lost the largest share of its budget to us.
  int pid = 0;
  std::optional<int> rank;
  uint32_t processes = 0;        // that were judged
  bool spans_job = false;        // it lived about as long as the job
  bool follows_between = false;  // modules, while nothing is recorded too

  bool IsKept() const { return estimate.value_or(0) <= budget * kTolerance; }
  // The estimate itself is no better.
  static constexpr double kTolerance = 1.2;
};

// What `flopsprof ctl` or --max-overhead decided to record. Without windows either everything was
// recorded, or nothing.
struct RecordingSummary {
  bool paused_at_start = false;
  std::optional<double> share;   // of the processes' time, where there are windows
  uint32_t whole_processes = 0;  // that no window cut, beside others that have windows
  // The ranks of these processes, if they were recorded while other ranks were not.
  std::vector<std::string> whole_ranks;
  std::vector<WindowSummary> windows;
  std::vector<InstantSummary> marks;
  std::optional<BudgetSummary> budget;  // absent: there was no --max-overhead
};

}  // namespace flopsprof::model
