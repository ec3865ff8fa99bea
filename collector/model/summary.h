// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "collector/model/finding.h"
#include "collector/model/module_figures.h"
#include "collector/model/peaks/peaks.h"
#include "collector/model/rank_figures.h"
#include "collector/model/recording_figures.h"
#include "collector/model/row_figures.h"
#include "collector/model/run_profile.h"
#include "collector/model/step_figures.h"
#include "collector/model/work_figures.h"

namespace flopsprof::model {

// The content of summary.json. Flop counts are exact sums over all profiled steps and ranks,
// times are ns; an absent value is not known. docs/summary.schema.json describes the file.

// Replays of CUDA graphs of all ranks; GraphRow of profile.proto.
struct GraphSummary {
  std::string state;
  uint64_t graphs = 0;
  uint64_t replays = 0;
  uint64_t calls = 0;
  uint64_t activities = 0;
  uint64_t gpu_time_ns = 0;
  uint64_t shared_ns = 0;
};

struct Coverage {
  uint64_t gpu_time_ns = 0;
  bool times_known = false;
  bool times_incomplete = false;  // times of some launches never came: shares are of what came
  // GPU time by v1::TimeCategory; the shares are these over gpu_time_ns.
  std::map<int, uint64_t> category_ns;
  uint64_t records_lost = 0;
  uint64_t invalid_timestamps = 0;
  uint64_t calls_unmatched = 0;
  uint64_t launches_without_activity = 0;
  uint64_t activities_without_launch = 0;
  std::vector<GraphSummary> graphs;  // by state
  std::vector<std::string> reasons;
};

struct Totals {
  Work work;
  std::map<std::string, FlopCount> flops_by_type;
  std::optional<uint64_t> gpu_busy_ns;
  std::optional<uint64_t> idle_ns;
  std::optional<uint64_t> exposed_communication_ns;
  // Time of communication kernels in steps while the device did anything but communication.
  std::optional<uint64_t> hidden_communication_ns;
  Utilisation utilisation;  // of all ranks together
};

struct JobSummary {
  std::string id;
  std::string name;
  std::string command;
  int64_t start_utc_ns = 0;
  std::optional<int> world_size;
  std::vector<std::string> nodes;
  std::optional<int> exit_code;
  std::string version;
};

struct ProgramSummary;

struct Summary {
  bool simulated = false;
  bool empty = false;
  JobSummary job;
  RecordingSummary recording;
  StepsSummary steps;
  Coverage coverage;
  Totals totals;
  std::vector<RankSummary> ranks;
  std::vector<ProcessSummary> processes;
  // In named_modules() order, "(outside)" last.
  std::vector<ModuleSummary> modules;
  std::vector<KernelSummary> kernels;  // by GPU time, longest first
  uint64_t kernels_left_out = 0;
  ProductsSummary products;          // findings are made of it
  std::vector<StackSummary> stacks;  // by GPU time, longest first; empty without --stacks
  uint64_t stacks_left_out = 0;
  std::vector<CollectiveSummary> collectives;
  std::vector<RangeSummary> ranges;  // most entries first
  uint64_t ranges_left_out = 0;
  std::vector<MarkSummary> marks;  // most first
  uint64_t marks_left_out = 0;
  std::vector<OptimizerSummary> optimizers;
  std::vector<RunGap> gaps;              // in findings and in coverage.reasons
  std::vector<ProgramSummary> programs;  // empty: the run is one program
  std::vector<Finding> findings;
  std::map<std::string, std::string> method;
  std::map<std::string, std::string> files;
};

// One of several programs of a job; programs.h says what one is.
struct ProgramSummary {
  struct Process {
    std::string node;
    int pid = 0;
    uint64_t start_ticks = 0;
    uint64_t image = 0;  // a process that runs another program stays the same pid and start
  };

  int number = 0;
  bool launched = false;  // a launcher gave the ranks
  std::string command;    // of its oldest process
  std::string state;      // of that process
  std::optional<int> exit_code;
  std::vector<Process> processes;
  Summary own;  // of this program alone; its ranks have the numbers of the whole run
};

// What one hooked call costs the job, measured by tests/bench on the build machine.
struct OverheadCosts {
  double hook_ns = 35;
  double module_call_ns = 120;
  double backward_node_ns = 100;

  friend bool operator==(const OverheadCosts&, const OverheadCosts&) = default;
};

struct SummaryOptions {
  size_t max_kernels = 1000;
  size_t max_stacks = 1000;
  size_t max_ranges = 1000;  // and so many marks
  bool raw_names = false;    // paths with the parts that wrappers add
  OverheadCosts costs;
  GivenPeaks peaks;  // in the place of those of the table
  size_t max_step_utilisations = 1000;

  friend bool operator==(const SummaryOptions&, const SummaryOptions&) = default;
};

// Pure: the same profile gives the same summary, whatever the order of its parts.
Summary Summarize(const RunProfile& run, const SummaryOptions& options = {});

// Summary::files where all of them are there.
std::map<std::string, std::string> FilesOfRun();

}  // namespace flopsprof::model
