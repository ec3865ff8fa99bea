// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// A rank, and a process that is none. A part of the summary (summary.h).

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "collector/model/peaks/peaks.h"
#include "collector/model/work_figures.h"

namespace flopsprof::model {

struct DeviceSummary {
  uint32_t ordinal = 0;
  std::string name;
  std::string uuid;
  std::optional<DevicePeaks> peaks;  // absent: card not known
};

struct Overhead {
  uint64_t hook_calls = 0;
  uint64_t module_calls = 0;
  uint64_t backward_nodes = 0;
  uint64_t launches = 0;
  uint64_t activities = 0;
  uint64_t own_cpu_ns = 0;
  uint64_t cupti_overhead_ns = 0;
  bool incomplete = false;  // a process runs, or was killed: the numbers are lower bounds
  // Numbers of hooks times OverheadCosts.
  double estimated_s = 0;
};

// From the calls of launches to the begin of their work on the GPU (LaunchLatencyRow).
struct LaunchLatency {
  uint64_t launches = 0;
  uint64_t measured = 0;
  FlopCount sum_ns = 0;  // of those that are measured, as all that follows; may exceed 64 bits
  uint64_t min_ns = 0;
  uint64_t max_ns = 0;
  uint64_t error_ns = 0;
  uint64_t clock_unsure = 0;

  void Add(const LaunchLatency& other);
};

struct RankSummary {
  int program = 0;
  int rank = 0;
  bool claimed_twice = false;  // other processes claim this rank, and lived at the same time
  std::string label;  // for sentences: "rank 3"; "program 2", "rank 3 of program 2" of several
  std::optional<int> local_rank;
  std::string node;
  int pid = 0;
  int restart = 0;
  std::string state;  // "exited", "signal 9", "lost", "running"
  std::optional<int> exit_code;
  std::vector<DeviceSummary> devices;
  Work work;
  std::map<std::string, FlopCount> flops_by_type;
  Utilisation utilisation;
  std::map<std::string, uint64_t> loss;  // counters that are not 0
  std::map<std::string, std::string> notes;
  Overhead overhead;
  std::optional<LaunchLatency> launch_latency;  // absent: nobody asked for it
};

// A process that loaded the injector and launched nothing: torchrun, a data loader.
struct ProcessSummary {
  std::string node;
  int pid = 0;
  int parent_pid = 0;
  std::optional<int> rank;
  std::string command;
  std::string state;
  std::optional<int> exit_code;
};

}  // namespace flopsprof::model
