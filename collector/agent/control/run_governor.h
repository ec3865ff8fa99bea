// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "collector/agent/control/governor.h"
#include "collector/agent/control/overhead_costs.h"
#include "collector/agent/control/run_control.h"
#include "collector/agent/processes/process_recorder.h"

namespace flopsprof::agent {

// Keeps what we cost the processes of a node below --max-overhead: reads their counters once a
// second, and opens and closes the windows of all of them together, so that ranks record the same
// steps. The process that we cost most decides. One thread; owns neither processes nor control.
class RunGovernor {
 public:
  RunGovernor(double budget, const OverheadCosts& costs, RunControl* control);
  ~RunGovernor();

  void Adopt(ProcessRecorder* recorder, uint64_t now_ns);
  // It has ended, and its recorder goes.
  void Retire(const ProcessRecorder* recorder);
  // `final`: also what has come since the last second.
  void Follow(uint64_t now_ns, bool final = false);

  const Governor& governor() const { return governor_; }

 private:
  class Process;

  const uint32_t budget_ppm_;
  const OverheadCosts costs_;
  RunControl& control_;
  Governor governor_;
  uint64_t next_ns_ = 0;
  bool any_used_ = false;  // a process has cost something
  std::vector<std::unique_ptr<Process>> processes_;
};

}  // namespace flopsprof::agent
