// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "collector/store/run_folder.h"
#include "proto/shm/handshake.h"
#include "viewer/cli/arguments.h"
#include "viewer/cli/command_line.h"
#include "viewer/cli/progress.h"

namespace flopsprof::model {
class FormulaRegistry;
}

namespace flopsprof::viewer {

// What one launcher hosts beside the job: the agent of this node, and the collector of the run
// unless another one is named. Agent and collector talk gRPC over a private Unix socket, as they
// would between machines. One thread.
class NodeServices {
 public:
  struct Options {
    std::string agent_socket;
    std::string collector_socket;
    std::string control_socket;
    std::string collector_target;  // HOST:PORT; "" = our own collector
    std::string output;            // run folder; "" = flopsprof-<job>-<UTC time>
    std::string run_id;
    std::string job;
    std::string command;
    std::string node;
    absl::Time start;
    std::optional<StepWindowText> steps;
    bool paused = false;
    bool leaves_processes = false;  // those that run when the agent is finished live on
    double max_overhead = 0;        // 0 = any
    bool host_clock = false;
    bool times = true;
    bool modules = true;
    std::shared_ptr<const model::FormulaRegistry> formulas;  // null: all are on
    GraphMode graphs = GraphMode::kAuto;
    uint32_t stacks_per_second = shm::kNoStacks;
  };
  static absl::StatusOr<std::unique_ptr<NodeServices>> Start(const Options& options);
  ~NodeServices();

  // Path of the run folder; "" when the collector is elsewhere.
  std::string folder() const;
  ProgressFacts Progress();

  // After the end of the job: takes what is still in the rings and sends it.
  absl::Status FinishAgent(std::optional<int> job_exit_code, absl::Duration timeout);
  // After it: closes what connects the processes with the agent, which ends their sessions.
  void LetProcessesGo();
  // Stops the collector. Returns its folder, in which everything is stored that arrived; null when
  // the collector is elsewhere.
  std::shared_ptr<store::RunFolder> FinishCollector();

 private:
  NodeServices();
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace flopsprof::viewer
