// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/control/run_control.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "collector/agent/tables/name_table.h"
#include "collector/base/clock.h"

namespace flopsprof::agent {
namespace {

// CUPTI may have to look at all that a process has loaded.
constexpr uint64_t kStartTimeoutNs = 10'000'000'000;
constexpr uint64_t kFlushTimeoutNs = 2'000'000'000;
// Between the reading of the processes' steps and their seeing what is planned, with room.
constexpr double kPlanSeconds = 0.1;
constexpr uint64_t kSpeedPeriodNs = 250'000'000;
constexpr uint32_t kMaxSteps = 1u << 30;
constexpr size_t kMaxNameBytes = 256;

}  // namespace

RunControl::RunControl(Options options)
    : options_(options),
      state_(options.paused ? State::kPaused : State::kRecording),
      number_(options.paused ? 0 : 1) {}

std::vector<ProcessControl*> RunControl::Live() {
  std::vector<ProcessControl*> live;
  for (const auto& process : processes_) {
    if (process->live()) live.push_back(process.get());
  }
  return live;
}

void RunControl::Adopt(ProcessRecorder* recorder) {
  processes_.push_back(std::make_unique<ProcessControl>(recorder));
  ProcessControl& process = *processes_.back();
  if (state_ == State::kPaused || state_ == State::kStopping) {
    process.WantSteps(shm::UnpackSteps(shm::kNoSteps));
    recorder->header().times_wanted.store(0, std::memory_order_release);
    return;
  }
  if (process.recording()) return;  // as the others, from its beginning
  process.Prepare(number_);
  if (state_ == State::kStarting) return;
  // A process that begins while all is recorded: from its own beginning.
  process.WantSteps(end_ == shm::kNoEnd ? shm::StepsWanted{0, shm::kNoEnd}
                                        : shm::StepsWanted{first_, end_});
}

void RunControl::Retire(const ProcessRecorder* recorder) {
  for (const auto& process : processes_) {
    if (process->recorder() != recorder) continue;
    process->Retire();
    ++retired_count_;
  }
  if (retired_count_ <= kMaxDescribed) return;
  const auto oldest = std::find_if(processes_.begin(), processes_.end(), [](const auto& process) {
    return process->recorder() == nullptr;
  });
  processes_.erase(oldest);
  --retired_count_;
  ++forgotten_count_;
}

v1::ControlReply RunControl::Handle(const v1::ControlRequest& request, uint64_t now_ns) {
  v1::ControlReply reply;
  std::string next;
  switch (request.verb()) {
    case v1::ControlRequest::VERB_STATUS:
      break;
    case v1::ControlRequest::VERB_START:
      reply.set_error(RefusalOfWindows(&next));
      if (reply.error().empty()) reply.set_error(Start(request.steps(), now_ns, &next));
      break;
    case v1::ControlRequest::VERB_STOP:
      reply.set_error(RefusalOfWindows(&next));
      if (reply.error().empty()) reply.set_error(Stop(request.now(), &next));
      break;
    case v1::ControlRequest::VERB_MARK:
      reply.set_error(Mark(request.name(), now_ns, &next));
      break;
    case v1::ControlRequest::VERB_FLUSH:
      ++flush_;
      flushing_ = true;
      flush_passes_ = 0;
      flush_deadline_ns_ = now_ns + kFlushTimeoutNs;
      for (ProcessControl* process : Live()) process->WantFlush(flush_);
      reply.set_flush(flush_);
      break;
    default:
      reply.set_error("this flopsprof does not know that request");
      next = "use the flopsprof that started the run";
  }
  reply.set_next(next);
  DescribeState(&reply);
  return reply;
}

std::string RunControl::RefusalOfWindows(std::string* next) const {
  if (options_.fixed_steps) {
    *next = "start the run with --paused instead of --steps";
    return "the run records the steps of its --steps";
  }
  if (options_.governed) {
    *next = "start the run with --paused instead of --max-overhead";
    return "the run records what its --max-overhead allows";
  }
  return "";
}

void RunControl::OpenWindow(uint64_t now_ns) {
  std::string next;
  if (state_ == State::kPaused) Start(0, now_ns, &next);
}

void RunControl::CloseWindow(bool now) {
  std::string next;
  if (state_ != State::kPaused) Stop(now, &next);
}

Governor::Window RunControl::window() const {
  if (state_ == State::kPaused) return Governor::Window::kClosed;
  if (state_ == State::kStopping) return Governor::Window::kClosing;
  // The first one of a run that was not paused is there before its processes.
  const bool from_the_start = !options_.paused && number_ == 1;
  if (state_ == State::kRecording && (from_the_start || AnyIsRecording())) {
    return Governor::Window::kOpen;
  }
  return Governor::Window::kWaiting;
}

bool RunControl::AnyIsRecording() const {
  return std::any_of(processes_.begin(), processes_.end(),
                     [](const auto& process) { return process->recording(); });
}

std::string RunControl::Start(uint32_t steps, uint64_t now_ns, std::string* next) {
  if (steps > kMaxSteps) return "more steps than can be";
  if (state_ == State::kRecording || state_ == State::kStarting) {
    *next = "flopsprof ctl stop ends it, flopsprof ctl status shows it";
    return "recording has been started already";
  }
  if (state_ == State::kStopping) {
    *next = "try again in a moment; flopsprof ctl status shows when";
    return "the last window is still being ended";
  }
  const std::vector<ProcessControl*> live = Live();
  if (live.empty() && !processes_.empty()) {
    *next = "start a new run";
    return "all profiled processes have ended";
  }
  ++number_;
  steps_asked_ = steps;
  start_deadline_ns_ = now_ns + kStartTimeoutNs;
  state_ = State::kStarting;
  for (ProcessControl* process : live) process->Prepare(number_);
  return "";
}

std::string RunControl::Stop(bool now, std::string* next) {
  if (state_ == State::kPaused) {
    *next = "flopsprof ctl start begins";
    return "nothing is being recorded";
  }
  uint32_t last = 0;
  for (ProcessControl* process : Live()) {
    if (process->recording() && process->step() != shm::kNoStep) {
      last = std::max(last, process->step());
    }
  }
  for (ProcessControl* process : Live()) {
    // The first window of a run that was not paused: CUPTI goes on for a while after it.
    process->recorder()->ExpectEndOfWindow();
    const bool waits = process->recording() && !now && process->step() != shm::kNoStep;
    // All to the end of the step that is the newest anywhere.
    process->WantSteps(waits ? shm::StepsWanted{process->steps_wanted().first, last + 1}
                             : shm::UnpackSteps(shm::kNoSteps));
  }
  state_ = State::kStopping;
  return "";
}

std::string RunControl::Mark(const std::string& name, uint64_t now_ns, std::string* next) {
  if (name.empty()) {
    *next = "flopsprof ctl mark NAME";
    return "a mark needs a name";
  }
  const std::vector<ProcessControl*> live = Live();
  if (live.empty()) {
    *next = "flopsprof ctl status shows what runs";
    return "no process that could be marked has begun to use the GPU";
  }
  const std::string text = BoundedUtf8(name, kMaxNameBytes);
  const int64_t utc_ns = base::Clock::Real().UtcNs();
  for (ProcessControl* process : live) {
    const uint32_t step = process->step();
    process->recorder()->Mark(text, now_ns, utc_ns, step == shm::kNoStep ? -1 : int64_t{step});
  }
  return "";
}

// Everybody is ready: from which step on? One that no process has begun, with the time in mind that
// passes until all of them know.
void RunControl::Plan(uint64_t now_ns) {
  MeasureSpeed(now_ns);
  bool any = false;
  uint32_t newest = 0;
  for (ProcessControl* process : Live()) {
    if (process->step() == shm::kNoStep) continue;
    any = true;
    newest = std::max(newest, process->step());
  }
  const auto margin = static_cast<uint32_t>(std::min(std::ceil(steps_per_s_ * kPlanSeconds), 1e6));
  first_ = any ? newest + 2 + margin : 0;
  end_ = steps_asked_ == 0 ? shm::kNoEnd : first_ + steps_asked_;
  for (ProcessControl* process : Live()) {
    const bool from_now = steps_asked_ == 0 && process->step() == shm::kNoStep;
    process->WantSteps({from_now ? 0 : first_, end_});
  }
  state_ = State::kRecording;
}

bool RunControl::WindowsHaveEnded(uint64_t now_ns, bool emptied) {
  bool any = false;
  bool all = true;
  for (ProcessControl* process : Live()) {
    const bool begun = process->step() != shm::kNoStep;
    const bool missed = begun && process->step() >= process->steps_wanted().end;
    if (!process->recording() && (process->opened() || missed)) {
      any = true;
      // Its part is done, whatever the others do.
      if (emptied) process->Settle(now_ns);
    } else if (process->recording() || begun) {
      all = false;  // else it has no steps: a launcher, which is not waited for
    }
  }
  return any && all;
}

void RunControl::MeasureSpeed(uint64_t now_ns) {
  if (now_ns - speed_since_ns_ < kSpeedPeriodNs) return;
  uint32_t newest = 0;
  for (ProcessControl* process : Live()) {
    if (process->step() != shm::kNoStep) newest = std::max(newest, process->step());
  }
  MeasureStep(now_ns, newest);
  const double seconds = static_cast<double>(now_ns - speed_since_ns_) / 1e9;
  steps_per_s_ = newest > speed_step_ ? (newest - speed_step_) / seconds : 0;
  if (speed_since_ns_ == 0) steps_per_s_ = 0;
  speed_since_ns_ = now_ns;
  speed_step_ = newest;
}

void RunControl::MeasureStep(uint64_t now_ns, uint32_t newest) {
  if (newest == timed_step_) return;
  const bool later = timed_step_ != shm::kNoStep && newest > timed_step_;
  if (later) step_ns_ = (now_ns - timed_since_ns_) / (newest - timed_step_);
  timed_step_ = newest;
  timed_since_ns_ = now_ns;
}

void RunControl::Follow(uint64_t now_ns, bool emptied) {
  MeasureSpeed(now_ns);
  FollowFlush(now_ns, emptied);
  const std::vector<ProcessControl*> live = Live();
  switch (state_) {
    case State::kPaused:
      return;
    case State::kStarting: {
      const bool ready = std::all_of(live.begin(), live.end(),
                                     [](const ProcessControl* p) { return p->prepared(); });
      if (ready || now_ns > start_deadline_ns_) Plan(now_ns);
      return;
    }
    case State::kRecording:
      if (end_ != shm::kNoEnd && WindowsHaveEnded(now_ns, emptied)) state_ = State::kStopping;
      return;
    case State::kStopping: {
      bool settled = true;
      for (ProcessControl* process : live) {
        if (process->recording() || !emptied) {
          settled = false;
        } else {
          settled = process->Settle(now_ns) && settled;
        }
      }
      if (!settled) return;
      for (ProcessControl* process : live) process->WantSteps(shm::UnpackSteps(shm::kNoSteps));
      state_ = State::kPaused;
      return;
    }
  }
}

void RunControl::FollowFlush(uint64_t now_ns, bool emptied) {
  if (!flushing_) return;
  const std::vector<ProcessControl*> live = Live();
  const bool answered =
      std::all_of(live.begin(), live.end(), [this](const auto* p) { return p->flushed(flush_); });
  if (!answered && now_ns < flush_deadline_ns_) return;
  if (emptied) ++flush_passes_;
  if (flush_passes_ < 3) return;  // names and replays are settled one pass later
  flushing_ = false;
  flush_ready_ = flush_;
}

uint32_t RunControl::TakeReadyFlush() { return std::exchange(flush_ready_, 0); }

void RunControl::DescribeState(v1::ControlReply* reply) {
  switch (state_) {
    case State::kPaused:
      reply->set_state(v1::RECORDING_STATE_PAUSED);
      break;
    case State::kStarting:
      reply->set_state(v1::RECORDING_STATE_STARTING);
      break;
    case State::kStopping:
      reply->set_state(v1::RECORDING_STATE_STOPPING);
      break;
    case State::kRecording: {
      const bool open = processes_.empty() || AnyIsRecording();
      reply->set_state(open ? v1::RECORDING_STATE_RECORDING : v1::RECORDING_STATE_WAITING);
      reply->set_has_window(!(first_ == 0 && end_ == shm::kNoEnd));
      reply->set_first_step(first_);
      reply->set_end_step(end_ == shm::kNoEnd ? 0 : end_);
      break;
    }
  }
  reply->set_process_count(static_cast<uint32_t>(processes_.size() + forgotten_count_));
  for (const auto& process : processes_) {
    if (reply->processes_size() >= static_cast<int>(kMaxDescribed)) break;
    process->Describe(reply->add_processes());
  }
}

}  // namespace flopsprof::agent
