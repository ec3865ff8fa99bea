// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "collector/agent/calls/collective_waits.h"
#include "collector/agent/control/control_server.h"
#include "collector/agent/control/run_control.h"
#include "collector/agent/control/run_governor.h"
#include "collector/agent/processes/agent_server.h"
#include "collector/agent/processes/process_recorder.h"
#include "collector/agent/upload/row_numbers.h"
#include "collector/agent/upload/uploader.h"
#include "collector/base/mutex.h"
#include "collector/model/flops/formula_registry.h"
#include "flopsprof/v1/ingest.pb.h"

namespace flopsprof::agent {

// What a progress line can say.
struct Progress {
  uint32_t processes = 0;  // that loaded the injector, ever
  uint32_t running = 0;
  std::set<int32_t> ranks;  // that said so, ever
  bool any_step = false;
  uint32_t step = 0;       // the newest that has begun in any process
  double last_step_s = 0;  // from the begin of the step before to the begin of this one
  uint64_t records = 0;
  uint64_t drops = 0;     // records that a full ring has cost
  double flop_count = 0;  // counted so far, rounded
};

// The node agent: gives each profiled process its shared memory, reads it, sums up and uploads.
// Threads of its own: one that talks to processes, one that drains and owns all sums, and the
// uploader's. Create and Finish on one thread; progress() on any.
class Agent {
 public:
  struct Options {
    std::string socket_path;  // for FLOPSPROF_SOCKET; its folder is made with mode 0700
    std::string run_id;
    v1::RunInfo run;
    std::string collector_target;  // "unix:/path" or "host:port"
    std::optional<StepWindow> window;
    bool paused = false;            // nothing is recorded until `flopsprof ctl start`
    double max_overhead = 0;        // share of the job's time that we may take; 0 = any
    std::string control_socket;     // "": no control; its folder is the user's alone
    bool leaves_processes = false;  // they live on when Finish is called, and are let go
    std::string folder;             // of the run, for who asks there; "" = not here
    std::shared_ptr<const model::FormulaRegistry> formulas;  // null: all are on
    SegmentOptions segment;
    uint32_t welcome_options = shm::kOptionCupti | shm::kOptionModules;
    uint32_t stacks_per_second = shm::kNoStacks;  // per thread
    // Between the first uploads. Later a tenth of the run lies between two, up to the longest.
    absl::Duration upload_period = absl::Seconds(1);
    absl::Duration longest_upload_period = absl::Seconds(5);
    // How long a process is remembered after its end, once all of it is acknowledged: others may
    // still wait for its collectives.
    absl::Duration keep_ended = absl::Seconds(30);
    // Called four times a second on the draining thread: must not wait.
    std::function<void(const Progress&)> on_progress;
  };
  static absl::StatusOr<std::unique_ptr<Agent>> Create(Options options);
  ~Agent();

  Progress progress() const;
  // Processes whose memory is kept.
  size_t kept_processes() const { return kept_processes_.load(std::memory_order_relaxed); }

  // After the job has ended: reads what is left, sends everything and waits for the
  // acknowledgement, at most `timeout`. Call it once.
  absl::Status Finish(std::optional<int> job_exit_code, absl::Duration timeout);

 private:
  struct Process {
    uint64_t id;
    std::unique_ptr<ProcessRecorder> recorder;
    uint64_t ended_ns = 0;
    uint64_t last_sequence = 0;  // of the newest request with something of it
    RowNumbers numbers = {};
  };
  // From the talking thread to the draining one.
  struct Events {
    std::vector<NewProcess> started;
    std::vector<std::pair<uint64_t, ProcessEnd>> ended;
  };

  explicit Agent(Options options) : options_(std::move(options)) {}
  void ServeLoop();
  void DrainLoop();
  bool stopping() const;
  void TakeEvents(uint64_t now_ns);
  bool DrainAll(uint64_t now_ns);
  void MatchCollectives();
  // False: the uploader takes no more now; the next call goes on with the next process.
  bool PostChanges();
  // Posts all that is new of the process. False: the uploader takes no more.
  bool PostProcess(Process* process);
  // Defines all anew where the collector lacks what was defined.
  void FollowLacks();
  // Frees what is kept of processes that have ended, once all of it is acknowledged. Only when
  // nothing was left to post.
  void RetireEnded(uint64_t now_ns);
  static void AddProgress(ProcessRecorder& recorder, Progress* progress, model::FlopCount* flops);
  void UpdateProgress();
  // On the control server's thread: handed to the draining one.
  v1::ControlReply Control(const v1::ControlRequest& request);
  void FollowControl(uint64_t now_ns, bool emptied);

  struct ControlExchange {
    v1::ControlRequest request;
    v1::ControlReply reply;
    bool asked = false;
    bool answered = false;
  };

  const Options options_;
  std::unique_ptr<AgentServer> server_;
  std::unique_ptr<Uploader> uploader_;
  CollectiveWaits waits_;                  // the draining thread's
  std::vector<Process> processes_;         // the draining thread's
  Progress retired_;                       // the draining thread's: of those that are gone
  model::FlopCount retired_flops_ = 0;     // the draining thread's
  std::unique_ptr<RunControl> control_;    // the draining thread's
  std::unique_ptr<RunGovernor> governor_;  // the draining thread's; null: no --max-overhead
  size_t next_to_post_ = 0;                // the draining thread's: in processes_
  uint32_t flush_posted_ = 0;              // the draining thread's: waits for its acknowledgement
  uint32_t numbering_ = 1;                 // the draining thread's: of all processes' rows

  mutable base::Mutex mutex_;
  base::CondVar wake_;
  base::CondVar answered_;  // exchange_
  Events events_ ABSL_GUARDED_BY(mutex_);
  Progress progress_ ABSL_GUARDED_BY(mutex_);
  absl::Time stop_serving_ ABSL_GUARDED_BY(mutex_) = absl::InfiniteFuture();
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
  ControlExchange exchange_ ABSL_GUARDED_BY(mutex_);
  uint32_t flushed_ ABSL_GUARDED_BY(mutex_) = 0;
  std::atomic<bool> pause_new_{false};
  std::atomic<size_t> kept_processes_{0};

  std::thread serve_thread_;
  std::thread drain_thread_;
  std::unique_ptr<ControlServer> control_server_;  // last: its thread uses all of the above
};

}  // namespace flopsprof::agent
