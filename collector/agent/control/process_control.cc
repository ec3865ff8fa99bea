// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/control/process_control.h"

namespace flopsprof::agent {
namespace {

// From the end of a window until CUPTI is given back, whatever has not come by then.
constexpr uint64_t kMaxSettleNs = 5'000'000'000;
// After the first activity of each launch: a replay of a graph has many.
constexpr uint64_t kLastActivitiesNs = 300'000'000;

}  // namespace

void ProcessControl::Prepare(uint32_t number) {
  recorder_->EndWindow();
  settling_since_ns_ = 0;
  windows_before_ = header().windows.load(std::memory_order_relaxed);
  header().times_wanted.store(number, std::memory_order_release);
}

bool ProcessControl::prepared() const {
  return header().times_answer.load(std::memory_order_acquire) ==
         header().times_wanted.load(std::memory_order_relaxed);
}

void ProcessControl::WantSteps(shm::StepsWanted steps) {
  header().steps_wanted.store(shm::PackSteps(steps), std::memory_order_release);
}

bool ProcessControl::Settle(uint64_t now_ns) {
  if (!live() || header().times_wanted.load(std::memory_order_relaxed) == 0) return true;
  if (settling_since_ns_ == 0) {
    settling_since_ns_ = now_ns;
    all_came_ns_ = 0;
  }
  if (recorder_->open_launch_count() > 0) {
    all_came_ns_ = 0;
  } else if (all_came_ns_ == 0) {
    all_came_ns_ = now_ns;
  }
  const bool all = all_came_ns_ != 0 && now_ns - all_came_ns_ >= kLastActivitiesNs;
  if (!all && now_ns - settling_since_ns_ < kMaxSettleNs) return false;
  header().times_wanted.store(0, std::memory_order_release);
  settling_since_ns_ = 0;
  return true;
}

void ProcessControl::WantFlush(uint32_t number) {
  header().flush_wanted.store(number, std::memory_order_release);
}

bool ProcessControl::flushed(uint32_t number) const {
  return header().flush_answer.load(std::memory_order_acquire) == number;
}

bool ProcessControl::recording() const {
  return recorder_ != nullptr &&
         shm::RecordsWork(header().recording.load(std::memory_order_acquire));
}

// Behind the end of a window that was not opened before: it is not opened any more.
uint32_t ProcessControl::step() const { return header().step.load(std::memory_order_acquire); }

shm::StepsWanted ProcessControl::steps_wanted() const {
  return shm::UnpackSteps(header().steps_wanted.load(std::memory_order_relaxed));
}

bool ProcessControl::opened() const {
  return header().windows.load(std::memory_order_relaxed) != windows_before_;
}

v1::RecordingState ProcessControl::state() const {
  if (!live()) return v1::RECORDING_STATE_ENDED;
  const shm::StepsWanted steps = steps_wanted();
  const bool any = steps.first != steps.end;
  // The last step of the window, or of a stop: it ends by itself.
  const bool last =
      !any || (steps.end != shm::kNoEnd && step() != shm::kNoStep && step() + 1 >= steps.end);
  if (recording()) {
    return last ? v1::RECORDING_STATE_STOPPING : v1::RECORDING_STATE_RECORDING;
  }
  if (!prepared()) {
    return header().times_wanted.load(std::memory_order_relaxed) == 0
               ? v1::RECORDING_STATE_STOPPING
               : v1::RECORDING_STATE_STARTING;
  }
  if (header().times_wanted.load(std::memory_order_relaxed) == 0) return v1::RECORDING_STATE_PAUSED;
  if (any && !opened()) return v1::RECORDING_STATE_WAITING;
  return opened() ? v1::RECORDING_STATE_STOPPING : v1::RECORDING_STATE_STARTING;
}

void ProcessControl::Retire() {
  Describe(&last_);
  recorder_ = nullptr;
}

void ProcessControl::Describe(v1::ControlProcess* process) const {
  if (recorder_ == nullptr) {
    *process = last_;
    return;
  }
  process->set_pid(recorder_->key().pid());
  process->set_rank(recorder_->info().rank());
  process->set_node(recorder_->key().node());
  process->set_state(state());
  process->set_has_step(step() != shm::kNoStep);
  process->set_step(step() == shm::kNoStep ? 0 : step());
  process->set_recorded_steps(static_cast<uint32_t>(recorder_->aggregator().steps().count()));
  const uint32_t opened = header().windows.load(std::memory_order_relaxed);
  process->set_windows(opened + (recorded_from_begin_ ? 1 : 0));
  process->set_records(recorder_->record_count());
  process->set_losses(recorder_->loss_count());
}

}  // namespace flopsprof::agent
