// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// How a ProcessRecorder gives out what it knows.

#include <algorithm>

#include "collector/agent/processes/process_recorder.h"
#include "collector/base/clock.h"
#include "proto/shm/loss_counters.h"

namespace flopsprof::agent {
namespace {

int64_t UtcNsAt(uint64_t mono_ns) {
  const base::Clock& clock = base::Clock::Real();
  return clock.UtcNs() - static_cast<int64_t>(clock.MonoNs() - mono_ns);
}

}  // namespace

bool ProcessRecorder::Emit(size_t max_rows, v1::ProcessProfile* profile, bool* more) {
  size_t emitted = definitions_.Emit(names_, max_rows, finished_, profile);
  emitted += aggregator_.Emit(names_, max_rows - emitted, finished_, profile);
  emitted += graphs_.Emit(max_rows - std::min(max_rows, emitted), profile);
  emitted += windows_.Emit(max_rows - std::min(max_rows, emitted), profile);
  emitted += aggregator_.EmitStacks(names_, max_rows - std::min(max_rows, emitted), finished_,
                                    now_ns_, profile);
  if (more != nullptr) *more = emitted >= max_rows;
  ReadCounters();
  const bool info_changed = UpdateInfo();
  if (emitted == 0 && !info_changed && !losses_changed_ && !cost_changed_) return false;
  *profile->mutable_key() = key_;
  v1::ProcessLife& life = *profile->add_process_lives();
  life.set_until_utc_ns(UtcNsAt(now_ns_));
  life.set_ancestor_pid(ancestor_pid_);
  if (info_changed) *profile->mutable_info() = info_;
  if (cost_changed_) *profile->add_costs() = cost_;
  cost_changed_ = false;
  if (losses_changed_) {
    for (const auto& [name, count] : losses_) (*profile->mutable_loss())[name] = count;
    losses_changed_ = false;
  }
  return true;
}

void ProcessRecorder::SetLoss(const char* name, uint64_t count) {
  if (count == 0) return;
  uint64_t& known = losses_[name];
  if (count <= known) return;
  known = count;
  losses_changed_ = true;
}

uint64_t ProcessRecorder::loss_count() const {
  uint64_t sum = 0;
  for (const auto& [name, count] : losses_) sum += count;
  return sum;
}

void ProcessRecorder::ReadCounters() {
  const shm::SegmentHeader& header = segment_.header();
  for (uint32_t i = 0; i < shm::kLossCounterSlots; i++) {
    const char* name = shm::LossCounterName(i);
    if (name != nullptr) SetLoss(name, header.loss[i].load(std::memory_order_relaxed));
  }
  // The writer counts a full ring in both places, or in its slot only.
  SetLoss(shm::LossCounterName(static_cast<uint32_t>(shm::LossCounter::kRingFull)),
          reader_.dropped_count());
  const GraphReplays::Counters& graphs = graphs_.counters();
  const auto seen = [&header](shm::LossCounter counter) {
    return header.loss[static_cast<uint32_t>(counter)].load(std::memory_order_relaxed);
  };
  SetLoss("captured_call", seen(shm::LossCounter::kCapturedCall) + graphs.unlinked_calls);
  SetLoss("graph_replay", seen(shm::LossCounter::kGraphReplay) + graphs.unknown_replays);
  SetLoss("invalid_timestamp",
          seen(shm::LossCounter::kInvalidTimestamp) + correlator_.counters().marked_bad_times);
  SetLoss("graph_node_unknown", graphs.unknown_nodes);
  SetLoss("graph_event_lost", graphs.lost_events);
  SetLoss("ring_corrupt", reader_.corrupt_position_count());
  SetLoss("unknown_record_type", decoder_.unknown_type_count());
  SetLoss("blob_incomplete", decoder_.incomplete_blob_count());
  SetLoss("malformed_record", decoder_.malformed_count());
  SetLoss("names_refused", names_.refused_count());
  SetLoss("names_lost", definitions_.names_lost_count() + aggregator_.names_lost_count());
  SetLoss("rows_refused", definitions_.refused_count() + aggregator_.refused_count() +
                              graphs_.refused_count() + windows_.refused_count());
  SetLoss("formula_failed", aggregator_.calls().failed_formula_count());
  SetLoss("formula_refused", aggregator_.kernel_formulas().refused_count());
  SetLoss("plans_refused", aggregator_.calls().plans_refused_count());
  SetLoss("steps_refused", aggregator_.steps().refused_count());
  SetLoss("window_steps_wrong", aggregator_.belied_step_count());
  SetLoss("communication_shared", aggregator_.shared_communication_count());
  SetLoss("late_interval", aggregator_.late_count());
  SetLoss("bad_times_unmarked", aggregator_.bad_times_count());
  SetLoss("activity_outside_windows", correlator_.counters().activities_outside_windows);
  SetLoss("replay_times_twice", correlator_.counters().replay_times_twice);
  SetLoss("call_without_end", correlator_.counters().calls_without_end);
}

bool ProcessRecorder::UpdateInfo() {
  const shm::SegmentHeader& header = segment_.header();
  const auto newest = [](const std::atomic<uint64_t>& counter, uint64_t known) {
    return std::max(known, counter.load(std::memory_order_relaxed));
  };
  info_.set_hook_calls(newest(header.hook_calls, info_.hook_calls()));
  info_.set_module_calls(newest(header.module_calls, info_.module_calls()));
  info_.set_backward_nodes(newest(header.nodes, info_.backward_nodes()));
  info_.set_launches(newest(header.launches, info_.launches()));
  info_.set_activities(newest(header.activities, info_.activities()));
  info_.set_own_cpu_ns(newest(header.own_cpu_ns, info_.own_cpu_ns()));
  info_.set_cupti_overhead_ns(newest(header.cupti_overhead_ns, info_.cupti_overhead_ns()));
  info_.set_launches_without_activity(correlator_.counters().launches_without_activity);
  info_.set_activities_without_launch(correlator_.counters().activities_without_launch);
  info_.set_malformed_records(decoder_.malformed_count());
  info_.set_simulated(definitions_.simulated());
  info_.set_used_gpu(info_.launches() > 0 || info_.hook_calls() > 0 ||
                     aggregator_.activity_count() > 0 || aggregator_.calls().call_count() > 0);
  std::string now = info_.SerializeAsString();
  if (now == sent_info_) return false;
  sent_info_ = std::move(now);
  return true;
}

}  // namespace flopsprof::agent
