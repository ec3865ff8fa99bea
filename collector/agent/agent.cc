// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/agent.h"

#include <unistd.h>

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "collector/agent/processes/epoch_numbers.h"
#include "collector/agent/tables/name_table.h"
#include "collector/agent/upload/profile_split.h"
#include "collector/base/clock.h"
#include "collector/base/log.h"
#include "collector/base/thread.h"

namespace flopsprof::agent {
namespace {

constexpr absl::Duration kMinPause = absl::Microseconds(200);
constexpr absl::Duration kMaxPause = absl::Milliseconds(20);
constexpr absl::Duration kServeTick = absl::Milliseconds(100);
constexpr uint64_t kPostAgainNs = 100'000'000;  // where the collector is slower than we are
constexpr uint64_t kProgressPeriodNs = 250'000'000;
// For processes that end just after the job's own: most do within milliseconds.
constexpr absl::Duration kStragglers = absl::Seconds(1);
constexpr size_t kRowsPerRequest = 2000;  // about 200 KiB
// A collector takes 1 MiB; the facts of the run, and one row alone, may come to it.
constexpr size_t kMaxRequestBytes = 512 << 10;

// A node's name, a pid and a time may be those of another container; the number is nobody else's.
std::string MakeAgentId(const std::string& node) {
  return absl::StrCat(node, "/", ::getpid(), "/", base::Clock::Real().UtcNs(), "/",
                      absl::Hex(EpochNumbers().Next()));
}

// Each upload sends and stores every row that has changed, in a job of steps all of them.
uint64_t UploadPeriodNs(const Agent::Options& options, uint64_t running_ns) {
  const auto first = static_cast<uint64_t>(absl::ToInt64Nanoseconds(options.upload_period));
  const auto longest =
      static_cast<uint64_t>(absl::ToInt64Nanoseconds(options.longest_upload_period));
  return std::clamp(running_ns / 10, first, std::max(first, longest));
}

// What a user types may be no text, and longer than a collector takes.
void BoundTexts(v1::RunInfo* run) {
  run->set_job(BoundedUtf8(run->job(), kMaxTextBytes));
  run->set_command(BoundedUtf8(run->command(), kMaxTextBytes));
  run->set_node(BoundedUtf8(run->node(), kMaxTextBytes));
  run->set_version(BoundedUtf8(run->version(), kMaxTextBytes));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Agent>> Agent::Create(Options options) {
  BoundTexts(&options.run);
  std::unique_ptr<Agent> agent(new Agent(std::move(options)));
  const Options& o = agent->options_;
  AgentServer::Options server;
  server.socket_path = o.socket_path;
  server.node = o.run.node();
  server.segment = o.segment;
  server.welcome_options = o.welcome_options;
  server.stacks_per_second = o.stacks_per_second;
  Agent* self = agent.get();
  server.on_process = [self](NewProcess process) {
    base::MutexLock lock(&self->mutex_);
    self->events_.started.push_back(std::move(process));
    self->wake_.Signal();
  };
  server.on_end = [self](uint64_t id, ProcessEnd end) {
    base::MutexLock lock(&self->mutex_);
    self->events_.ended.emplace_back(id, end);
    self->wake_.Signal();
  };
  agent->control_ = std::make_unique<RunControl>(RunControl::Options{
      .paused = o.paused, .fixed_steps = o.window.has_value(), .governed = o.max_overhead > 0});
  if (o.max_overhead > 0) {
    agent->governor_ = std::make_unique<RunGovernor>(
        o.max_overhead, OverheadCosts(MeasureInstructionNs()), agent->control_.get());
  }
  agent->pause_new_ = agent->control_->NewAreToPause();
  server.pause = [self] { return self->pause_new_.load(std::memory_order_relaxed); };
  absl::StatusOr<std::unique_ptr<AgentServer>> created = AgentServer::Create(std::move(server));
  if (!created.ok()) return created.status();
  agent->server_ = std::move(*created);

  Uploader::Options uploader;
  uploader.target = o.collector_target;
  uploader.run_id = o.run_id;
  uploader.agent_id = MakeAgentId(o.run.node());
  uploader.run = o.run;
  agent->uploader_ = std::make_unique<Uploader>(std::move(uploader));
  agent->serve_thread_ = base::StartThread([self] { self->ServeLoop(); });
  agent->drain_thread_ = base::StartThread([self] { self->DrainLoop(); });
  if (!agent->uploader_->has_thread() || !agent->serve_thread_.joinable() ||
      !agent->drain_thread_.joinable()) {
    return absl::ResourceExhaustedError(
        "the machine allows the agent no further thread: raise its limit on processes (ulimit -u)");
  }
  if (!o.control_socket.empty()) {
    absl::StatusOr<std::unique_ptr<ControlServer>> control = ControlServer::Create(
        o.control_socket,
        [self](const v1::ControlRequest& request) { return self->Control(request); });
    // Without it the run is as good as one that nobody controls.
    if (!control.ok()) {
      base::Log().warn("no control socket: {}", std::string(control.status().message()));
    } else {
      agent->control_server_ = *std::move(control);
    }
  }
  return agent;
}

Agent::~Agent() {
  control_server_.reset();
  {
    base::MutexLock lock(&mutex_);
    stop_serving_ = absl::InfinitePast();
    stop_ = true;
    wake_.SignalAll();
  }
  if (serve_thread_.joinable()) serve_thread_.join();
  if (drain_thread_.joinable()) drain_thread_.join();
}

Progress Agent::progress() const {
  base::MutexLock lock(&mutex_);
  return progress_;
}

void Agent::ServeLoop() {
  while (true) {
    absl::Time deadline;
    {
      base::MutexLock lock(&mutex_);
      deadline = stop_serving_;
    }
    const bool finishing = deadline != absl::InfiniteFuture();
    if (finishing && (server_->running_count() == 0 || absl::Now() > deadline)) return;
    server_->Poll(finishing ? absl::Milliseconds(1) : kServeTick);
  }
}

bool Agent::stopping() const {
  base::MutexLock lock(&mutex_);
  return stop_;
}

void Agent::DrainLoop() {
  const base::Clock& clock = base::Clock::Real();
  absl::Duration pause = kMinPause;
  uint64_t next_progress_ns = 0;
  uint64_t next_upload_ns = 0;
  const uint64_t begin_ns = clock.MonoNs();
  while (!stopping()) {
    const uint64_t now_ns = clock.MonoNs();
    TakeEvents(now_ns);
    const bool more = DrainAll(now_ns);
    MatchCollectives();
    FollowControl(now_ns, /*emptied=*/!more);
    if (now_ns >= next_upload_ns) {
      // What does not fit is not lost: it is added to what comes.
      const bool posted = PostChanges();
      next_upload_ns =
          now_ns + (posted ? UploadPeriodNs(options_, now_ns - begin_ns) : kPostAgainNs);
      if (posted) RetireEnded(now_ns);
    }
    if (now_ns >= next_progress_ns) {
      UpdateProgress();
      next_progress_ns = now_ns + kProgressPeriodNs;
    }
    pause = more ? kMinPause : std::min(pause * 2, kMaxPause);
    if (more) continue;
    base::MutexLock lock(&mutex_);
    const bool news = stop_ || (exchange_.asked && !exchange_.answered) ||
                      !events_.started.empty() || !events_.ended.empty();
    if (!news) wake_.WaitWithTimeout(&mutex_, pause);
  }
}

void Agent::TakeEvents(uint64_t now_ns) {
  Events events;
  {
    base::MutexLock lock(&mutex_);
    std::swap(events, events_);
  }
  for (NewProcess& started : events.started) {
    processes_.push_back(
        {started.id, std::make_unique<ProcessRecorder>(
                         std::move(started.segment), std::move(started.key),
                         std::move(started.info), options_.window, options_.formulas)});
    processes_.back().numbers.Restart(numbering_);
    processes_.back().recorder->SetExecutable(started.executable);
    processes_.back().recorder->SetAncestor(started.ancestor_pid);
    started.epoch.set_job(options_.run.job());
    processes_.back().recorder->SetSession(started.epoch);
    kept_processes_.store(processes_.size(), std::memory_order_relaxed);
    control_->Adopt(processes_.back().recorder.get());
    if (governor_ != nullptr) governor_->Adopt(processes_.back().recorder.get(), now_ns);
  }
  for (const auto& [id, end] : events.ended) {
    for (Process& process : processes_) {
      if (process.id != id) continue;
      process.recorder->Finish(end, now_ns);
      process.ended_ns = now_ns;
    }
  }
}

v1::ControlReply Agent::Control(const v1::ControlRequest& request) {
  constexpr absl::Duration kPatience = absl::Seconds(5);
  const absl::Time deadline = absl::Now() + kPatience;
  base::MutexLock lock(&mutex_);
  exchange_ = {request, {}, /*asked=*/true, /*answered=*/false};
  wake_.SignalAll();
  while (!exchange_.answered && !stop_ && absl::Now() < deadline) {
    answered_.WaitWithTimeout(&mutex_, absl::Milliseconds(50));
  }
  v1::ControlReply reply = exchange_.reply;
  if (!exchange_.answered) {
    reply.set_error(stop_ ? "the run is ending" : "the agent is too busy to answer");
    reply.set_next(stop_ ? "its report is being written" : "try again");
  }
  exchange_.asked = false;
  reply.set_flushed(flushed_);
  return reply;
}

void Agent::FollowControl(uint64_t now_ns, bool emptied) {
  if (governor_ != nullptr) governor_->Follow(now_ns);
  control_->Follow(now_ns, emptied);
  pause_new_.store(control_->NewAreToPause(), std::memory_order_relaxed);
  if (const uint32_t flush = control_->TakeReadyFlush(); flush != 0) flush_posted_ = flush;
  const bool flushed = flush_posted_ != 0 && PostChanges() && uploader_->Idle();
  v1::ControlRequest request;
  {
    base::MutexLock lock(&mutex_);
    if (flushed) flushed_ = std::exchange(flush_posted_, 0);
    if (!exchange_.asked || exchange_.answered) return;
    request = exchange_.request;
  }
  v1::ControlReply reply = control_->Handle(request, now_ns);
  pause_new_.store(control_->NewAreToPause(), std::memory_order_relaxed);
  reply.set_run_id(options_.run_id);
  reply.set_job(options_.run.job());
  reply.set_folder(options_.folder);
  reply.set_launcher_pid(::getpid());
  base::MutexLock lock(&mutex_);
  exchange_.reply = std::move(reply);
  exchange_.answered = true;
  answered_.SignalAll();
}

bool Agent::DrainAll(uint64_t now_ns) {
  bool more = false;
  for (Process& process : processes_) {
    ProcessRecorder& recorder = *process.recorder;
    if (recorder.finished()) continue;
    recorder.Heartbeat(now_ns);
    more = recorder.Drain(now_ns) || more;
  }
  return more;
}

// After the end of a process too: its last records come with it.
void Agent::MatchCollectives() {
  std::vector<CollectiveWait> waits;
  for (Process& process : processes_) {
    for (const CollectiveTime& time : process.recorder->TakeCollectiveTimes()) {
      waits_.Add(process.id, time, &waits);
    }
  }
  if (waits.empty()) return;
  absl::flat_hash_map<uint64_t, ProcessRecorder*> recorders;
  for (const Process& process : processes_) recorders[process.id] = process.recorder.get();
  for (const CollectiveWait& wait : waits) {
    // Not there any more: the wait of a call in it stays unknown.
    if (const auto found = recorders.find(wait.process); found != recorders.end()) {
      found->second->AddWait(wait);
    }
  }
}

void Agent::FollowLacks() {
  if (uploader_->lacked_numbering() != numbering_) return;
  numbering_++;
  for (Process& process : processes_) process.numbers.Restart(numbering_);
}

bool Agent::PostProcess(Process* process) {
  bool more = true;
  while (more) {
    if (!uploader_->CanAccept()) return false;
    v1::ProcessProfile profile;
    if (!process->recorder->Emit(kRowsPerRequest, &profile, &more)) break;
    for (v1::ProcessProfile& part : SplitProfile(std::move(profile), kMaxRequestBytes)) {
      process->numbers.ToBlocks(&part);
      std::vector<v1::ProcessProfile> one;
      one.push_back(std::move(part));
      uploader_->Post(std::move(one));
    }
    process->last_sequence = uploader_->posted_sequence();
  }
  return true;
}

bool Agent::PostChanges() {
  FollowLacks();
  for (size_t count = processes_.size(); count > 0; count--) {
    if (next_to_post_ >= processes_.size()) next_to_post_ = 0;
    // One with many rows lets the others send first.
    if (!PostProcess(&processes_[next_to_post_++])) return false;
  }
  return true;
}

void Agent::RetireEnded(uint64_t now_ns) {
  const auto keep_ns = static_cast<uint64_t>(absl::ToInt64Nanoseconds(options_.keep_ended));
  for (size_t i = processes_.size(); i-- > 0;) {
    const Process& process = processes_[i];
    if (!process.recorder->finished() || now_ns < process.ended_ns + keep_ns ||
        !uploader_->IsDone(process.last_sequence)) {
      continue;
    }
    AddProgress(*process.recorder, &retired_, &retired_flops_);
    control_->Retire(process.recorder.get());
    if (governor_ != nullptr) governor_->Retire(process.recorder.get());
    processes_.erase(processes_.begin() + static_cast<ptrdiff_t>(i));
    if (next_to_post_ > i) next_to_post_--;
  }
  kept_processes_.store(processes_.size(), std::memory_order_relaxed);
}

void Agent::AddProgress(ProcessRecorder& recorder, Progress* progress, model::FlopCount* flops) {
  progress->processes++;
  progress->running += recorder.finished() ? 0 : 1;
  if (recorder.info().rank() >= 0) progress->ranks.insert(recorder.info().rank());
  progress->records += recorder.record_count();
  progress->drops += recorder.dropped_count();
  *flops += recorder.aggregator().flops();
  const StepRows& steps = recorder.aggregator().steps();
  if (!steps.any_begun()) return;
  if (!progress->any_step || steps.newest_step() >= progress->step) {
    progress->step = steps.newest_step();
    if (steps.last_step_ns() != 0) {
      progress->last_step_s = static_cast<double>(steps.last_step_ns()) / 1e9;
    }
  }
  progress->any_step = true;
}

void Agent::UpdateProgress() {
  Progress now = retired_;
  model::FlopCount flops = retired_flops_;
  now.last_step_s = progress().last_step_s;
  for (const Process& process : processes_) AddProgress(*process.recorder, &now, &flops);
  now.flop_count = static_cast<double>(flops);
  {
    base::MutexLock lock(&mutex_);
    progress_ = now;
  }
  if (options_.on_progress) options_.on_progress(now);
}

absl::Status Agent::Finish(std::optional<int> job_exit_code, absl::Duration timeout) {
  const absl::Time deadline = absl::Now() + timeout;
  control_server_.reset();
  {
    base::MutexLock lock(&mutex_);
    stop_serving_ = options_.leaves_processes ? absl::InfinitePast()
                                              : absl::Now() + std::min(kStragglers, timeout / 2);
  }
  serve_thread_.join();
  {
    base::MutexLock lock(&mutex_);
    stop_ = true;
    wake_.SignalAll();
  }
  drain_thread_.join();

  // The draining thread's things are ours now.
  const uint64_t now_ns = base::Clock::Real().MonoNs();
  TakeEvents(now_ns);
  ProcessEnd end;
  if (options_.leaves_processes) {
    end.state = v1::PROCESS_STATE_RUNNING;
    end.heard_out = true;  // it stops recording for us, and takes no other agent
  }
  for (Process& process : processes_) {
    if (!process.recorder->finished()) process.recorder->Finish(end, now_ns);
  }
  MatchCollectives();
  if (governor_ != nullptr) governor_->Follow(now_ns, /*final=*/true);
  UpdateProgress();
  bool posted = PostChanges();
  while (!posted && absl::Now() < deadline) {
    absl::SleepFor(absl::Milliseconds(1));
    posted = PostChanges();
  }
  v1::RunInfo run = options_.run;
  run.set_job_exit_known(job_exit_code.has_value());
  run.set_job_exit_code(job_exit_code.value_or(0));
  const absl::Status sent = uploader_->Finish(
      run, /*complete=*/posted, std::max(deadline - absl::Now(), absl::Milliseconds(100)));
  if (!sent.ok() || posted) return sent;
  return absl::DeadlineExceededError(absl::StrCat("the collector at ", options_.collector_target,
                                                  " is too slow: not everything was sent"));
}

}  // namespace flopsprof::agent
