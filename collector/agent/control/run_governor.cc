// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/control/run_governor.h"

#include <algorithm>
#include <cmath>

namespace flopsprof::agent {
namespace {

// The injector brings its counters up to date as often.
constexpr uint64_t kPeriodNs = 1'000'000'000;
// Events of a shorter time say little of what a second brings.
constexpr double kLeastRateNs = 1e9;

uint64_t ToNs(double ns) { return ns > 0 ? static_cast<uint64_t>(std::min(ns, 9e18)) : 0; }

}  // namespace

// The account of one process.
class RunGovernor::Process {
 public:
  Process(ProcessRecorder* recorder, const OverheadCosts* costs, uint64_t now_ns)
      : recorder_(*recorder),
        costs_(*costs),
        since_ns_(now_ns),
        counts_(ReadEventCounts(recorder->header())) {}

  // What it was made to pay since the last time, and how much time that is.
  void Follow(uint64_t now_ns, Governor::Tick* tick) {
    if (ended_) return;
    ended_ = recorder_.finished();  // its last events are in this look
    const shm::SegmentHeader& header = recorder_.header();
    const EventCounts counts = ReadEventCounts(header);
    const EventCounts events = Since(counts_, counts);
    counts_ = counts;
    const auto period_ns = static_cast<double>(now_ns - std::min(now_ns, since_ns_));
    since_ns_ = now_ns;
    const bool recording = ended_
                               ? was_recording_
                               : shm::RecordsWork(header.recording.load(std::memory_order_acquire));
    Learn(events, recording, period_ns);
    double spent_ns = costs_.RecordedNs(events);
    double floor_ns = 0;
    if (!recording) {
      const EventCounts unseen = per_ns_.Times(period_ns);
      floor_ns = costs_.PausedNs(unseen, header.resting.load(std::memory_order_relaxed) != 0);
      spent_ns += floor_ns;
      // Before the first step of a window, and until its last kernel has come.
      const bool subscribed = header.times_wanted.load(std::memory_order_relaxed) != 0;
      if (subscribed) spent_ns += costs_.CuptiNs(unseen);
    }
    wall_ns_ += period_ns;
    tick->counted_ns = std::max(tick->counted_ns, ToNs(period_ns));
    recorded_ns_ += recording ? period_ns : 0;
    cost_ns_ += spent_ns;
    used_ = used_ || spent_ns > 0;
    if (spent_ns <= tick->spent_ns) return;
    tick->spent_ns = spent_ns;
    tick->floor_ns = floor_ns;
  }

  const ProcessRecorder* recorder() const { return &recorder_; }
  bool used() const { return used_; }
  bool ended() const { return ended_; }

  void Tell(v1::CostRow cost) {
    if (!used_ || told_last_) return;
    told_last_ = ended_;
    cost.set_wall_ns(ToNs(wall_ns_));
    cost.set_cost_ns(ToNs(cost_ns_));
    cost.set_recorded_ns(ToNs(recorded_ns_));
    recorder_.SetCost(cost);
  }

 private:
  // How much a second brings is known of the newest window; counters are silent between windows.
  void Learn(const EventCounts& events, bool recording, double period_ns) {
    if (recording && !was_recording_) {
      seen_ = EventCounts();
      seen_ns_ = 0;
    }
    was_recording_ = recording;
    // Time without work, such as that of imports, says nothing of the work.
    const bool worked =
        events.hook_calls + events.module_calls + events.nodes + events.launches > 0;
    if (recording && worked) seen_ns_ += period_ns;
    seen_ += events;  // late ones too: they are of the window
    if (seen_ns_ >= kLeastRateNs) per_ns_ = seen_.Times(1 / seen_ns_);
  }

  ProcessRecorder& recorder_;
  const OverheadCosts& costs_;
  uint64_t since_ns_;
  EventCounts counts_;
  EventCounts seen_;  // in the newest window
  double seen_ns_ = 0;
  EventCounts per_ns_;
  bool was_recording_ = false;
  bool used_ = false;  // it has cost something
  bool ended_ = false;
  bool told_last_ = false;
  double wall_ns_ = 0;
  double recorded_ns_ = 0;
  double cost_ns_ = 0;
};

RunGovernor::RunGovernor(double budget, const OverheadCosts& costs, RunControl* control)
    : budget_ppm_(static_cast<uint32_t>(std::lround(budget * 1e6))),
      costs_(costs),
      control_(*control),
      governor_(budget) {}

RunGovernor::~RunGovernor() = default;

void RunGovernor::Adopt(ProcessRecorder* recorder, uint64_t now_ns) {
  processes_.push_back(std::make_unique<Process>(recorder, &costs_, now_ns));
}

void RunGovernor::Retire(const ProcessRecorder* recorder) {
  processes_.erase(
      std::remove_if(processes_.begin(), processes_.end(),
                     [&](const auto& process) { return process->recorder() == recorder; }),
      processes_.end());
}

void RunGovernor::Follow(uint64_t now_ns, bool final) {
  if (now_ns < next_ns_ && !final) return;
  next_ns_ = now_ns + kPeriodNs;
  Governor::Tick tick;
  tick.now_ns = now_ns;
  tick.window = control_.window();
  tick.step_ns = control_.step_ns();
  tick.any_live = false;
  tick.counted_ns = 0;
  for (const auto& process : processes_) {
    process->Follow(now_ns, &tick);
    tick.any_live |= !process->ended();
    any_used_ |= process->used();
  }
  if (!any_used_) tick.counted_ns = 0;
  switch (governor_.Follow(tick)) {
    case Governor::Action::kNone:
      break;
    case Governor::Action::kOpen:
      control_.OpenWindow(now_ns);
      break;
    case Governor::Action::kClose:
      control_.CloseWindow(/*now=*/false);
      break;
    case Governor::Action::kCloseNow:
      control_.CloseWindow(/*now=*/true);
      break;
  }
  v1::CostRow cost;
  cost.set_budget_ppm(budget_ppm_);
  cost.set_instruction_ps(ToNs(costs_.ns_per_instruction() * 1000));
  cost.set_full_ns(governor_.level_ns(CoverageLevel::kFull));
  cost.set_sampled_ns(governor_.level_ns(CoverageLevel::kSampled));
  cost.set_paused_ns(governor_.level_ns(CoverageLevel::kPaused));
  cost.set_level_changes(governor_.level_changes());
  cost.set_switches(governor_.switches());
  for (const auto& process : processes_) process->Tell(cost);
}

}  // namespace flopsprof::agent
