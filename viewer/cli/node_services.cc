// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/cli/node_services.h"

#include <malloc.h>

#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "collector/agent/agent.h"
#include "collector/server/collector.h"
#include "viewer/cli/install.h"

namespace flopsprof::viewer {
namespace {

v1::RunInfo MakeRunInfo(const NodeServices::Options& options) {
  v1::RunInfo run;
  run.set_job(options.job);
  run.set_command(options.command);
  run.set_start_utc_ns(absl::ToUnixNanos(options.start));
  run.set_node(options.node);
  run.set_version(Version());
  if (options.steps.has_value()) {
    run.set_first_step(options.steps->first);
    run.set_end_step(options.steps->end);
  }
  return run;
}

// Rows are made, sent and freed at every upload. Handed back to the system in between, their memory
// cost a tenth of the agent's time in page faults and calls.
void KeepFreedMemory() {
  constexpr int kKept = 4 << 20;  // of each thread's part of the heap
  constexpr int kGrowth = 1 << 20;
  mallopt(M_TRIM_THRESHOLD, kKept);
  mallopt(M_TOP_PAD, kGrowth);
  mallopt(M_MMAP_THRESHOLD, kKept);
}

}  // namespace

struct NodeServices::Parts {
  std::string run_id;
  // Before the agent: it uploads until it is gone.
  std::unique_ptr<server::Collector> collector;
  std::unique_ptr<agent::Agent> agent;
};

NodeServices::NodeServices() : parts_(std::make_unique<Parts>()) {}
NodeServices::~NodeServices() = default;

absl::StatusOr<std::unique_ptr<NodeServices>> NodeServices::Start(const Options& options) {
  std::unique_ptr<NodeServices> services(new NodeServices);
  Parts& parts = *services->parts_;
  KeepFreedMemory();
  parts.run_id = options.run_id;
  const v1::RunInfo run = MakeRunInfo(options);
  std::string target = options.collector_target;
  if (target.empty()) {
    target = absl::StrCat("unix:", options.collector_socket);
    server::Collector::Options settings;
    settings.listen = {target};
    settings.output = options.output;
    settings.run_id = options.run_id;
    settings.run = run;
    absl::StatusOr<std::unique_ptr<server::Collector>> collector =
        server::Collector::Create(settings);
    if (!collector.ok()) return collector.status();
    parts.collector = *std::move(collector);
  }
  agent::Agent::Options settings;
  settings.socket_path = options.agent_socket;
  settings.run_id = options.run_id;
  settings.run = run;
  settings.paused = options.paused;
  settings.leaves_processes = options.leaves_processes;
  settings.max_overhead = options.max_overhead;
  settings.segment.host_clock = options.host_clock;
  settings.control_socket = options.control_socket;
  // Who asks may be in another folder.
  std::error_code ignored;
  if (const std::string folder = services->folder(); !folder.empty()) {
    settings.folder = std::filesystem::absolute(folder, ignored);
  }
  settings.collector_target = target;
  settings.welcome_options =
      (options.times ? shm::kOptionCupti : 0u) | (options.modules ? shm::kOptionModules : 0u) |
      (options.graphs == GraphMode::kGraph ? shm::kOptionGraphLaunches : 0u) |
      (options.graphs == GraphMode::kAuto ? shm::kOptionGraphAuto : 0u) |
      (options.max_overhead > 0 ? shm::kOptionRest : 0u);
  settings.stacks_per_second = options.stacks_per_second;
  settings.formulas = options.formulas;
  if (options.steps.has_value()) {
    settings.window = agent::StepWindow{options.steps->first, options.steps->end};
  }
  absl::StatusOr<std::unique_ptr<agent::Agent>> agent = agent::Agent::Create(settings);
  if (!agent.ok()) return agent.status();
  parts.agent = *std::move(agent);
  return services;
}

std::string NodeServices::folder() const {
  return parts_->collector == nullptr ? "" : parts_->collector->run_folder(parts_->run_id);
}

ProgressFacts NodeServices::Progress() {
  const agent::Progress progress = parts_->agent->progress();
  ProgressFacts facts;
  facts.process_count = progress.processes;
  facts.rank_count = static_cast<uint32_t>(progress.ranks.size());
  if (progress.any_step) facts.step = progress.step;
  if (progress.last_step_s > 0) facts.step_seconds = progress.last_step_s;
  facts.lost_record_count = progress.drops;
  return facts;
}

absl::Status NodeServices::FinishAgent(std::optional<int> job_exit_code, absl::Duration timeout) {
  return parts_->agent->Finish(job_exit_code, timeout);
}

void NodeServices::LetProcessesGo() { parts_->agent.reset(); }

std::shared_ptr<store::RunFolder> NodeServices::FinishCollector() {
  if (parts_->collector == nullptr) return nullptr;
  parts_->collector->Stop();
  return parts_->collector->run(parts_->run_id);
}

}  // namespace flopsprof::viewer
