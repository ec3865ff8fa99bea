// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// How a ProcessRecorder gives out what it knows.

#include <algorithm>
#include <utility>

#include "collector/agent/processes/process_recorder.h"
#include "collector/agent/rows/history_rows.h"
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
  const HistoryStart before = HistoryStartOf(*profile);
  size_t emitted = definitions_.Emit(names_, max_rows, finished_, profile);
  emitted += aggregator_.Emit(names_, max_rows - emitted, finished_, profile);
  emitted += graphs_.Emit(max_rows - std::min(max_rows, emitted), profile);
  emitted += windows_.Emit(max_rows - std::min(max_rows, emitted), profile);
  emitted += aggregator_.EmitStacks(names_, max_rows - std::min(max_rows, emitted), finished_,
                                    now_ns_, profile);
  AddHistory(UtcNsAt(now_ns_), before, profile);
  if (more != nullptr) *more = emitted >= max_rows;
  ReadCounters();
  const bool info_changed = UpdateInfo();
  const bool epoch_changed = UpdateEpoch(/*complete=*/emitted < max_rows);
  const bool latency_changed = EmitLatency(profile);
  const bool changed =
      info_changed || epoch_changed || losses_changed_ || cost_changed_ || latency_changed;
  if (emitted == 0 && !changed) return false;
  *profile->mutable_key() = key_;
  v1::ProcessLife& life = *profile->add_process_lives();
  life.set_until_utc_ns(UtcNsAt(now_ns_));
  life.set_ancestor_pid(ancestor_pid_);
  if (info_changed) EmitInfo(profile);
  if (cost_changed_) EmitCost(profile);
  if (losses_changed_) EmitLosses(profile);
  if (epoch_.epoch() != 0) EmitEpoch(profile);
  if (epoch_.epoch() != 0) EmitEpochDevices(profile);
  return true;
}

void ProcessRecorder::SetSession(const v1::EpochRow& epoch) {
  epoch_ = epoch;
  info_.set_session(epoch.session());
  if (epoch.session() > 1) correlator_.EndWindow();
}

// Of what was read: neither in a row nor still on the way to one. Rows say the rest themselves.
bool ProcessRecorder::UpdateEpoch(bool complete) {
  uint64_t calls_waiting = aggregator_.pending_call_count() + waiting_calls_.size();
  for (const WaitingNamed& named : waiting_named_)
    calls_waiting += named.record.call != shm::kNoCall;
  const uint64_t calls_elsewhere = calls_waiting + aggregator_.recorded_call_count();
  const uint64_t activities_elsewhere = correlator_.waiting_count() +
                                        aggregator_.pending_activity_count() +
                                        aggregator_.recorded_activity_count();
  const v1::EpochRow before = epoch_;
  epoch_.set_calls_taken(calls_read_ - std::min(calls_read_, calls_elsewhere));
  epoch_.set_activities_taken(activities_read_ - std::min(activities_read_, activities_elsewhere));
  epoch_.set_launches_taken(launches_read_ - correlator_.open_launch_count());
  ReadEpochCounters();
  epoch_.set_final(finished_ && heard_out_ && complete);
  return epoch_.SerializeAsString() != before.SerializeAsString();
}

void ProcessRecorder::ReadEpochCounters() {
  constexpr auto kRelaxed = std::memory_order_relaxed;
  const shm::SegmentHeader& header = segment_.header();
  const auto loss = [&header](shm::LossCounter counter) {
    return header.loss[static_cast<uint32_t>(counter)].load(kRelaxed);
  };
  v1::EpochRow& now = epoch_;
  // Of a process that was killed between a record and its count the record counts.
  const uint64_t written = std::max(reader_.calls_written(), calls_read_);
  now.set_calls_before(std::max(now.calls_before(), header.calls_before.load(kRelaxed)));
  now.set_calls_unwritten(std::max(now.calls_unwritten(), header.calls_dropped.load(kRelaxed) +
                                                              header.calls_away.load(kRelaxed)));
  now.set_calls_made(
      std::max(now.calls_made(), now.calls_before() + written + now.calls_unwritten()));
  now.set_launches_made(std::max(now.launches_made(), header.launches.load(kRelaxed)));
  now.set_launches_unwritten(
      std::max(now.launches_unwritten(),
               loss(shm::LossCounter::kLaunchNotSeen) + header.launches_away.load(kRelaxed)));
  now.set_activities_made(std::max(now.activities_made(), header.activities.load(kRelaxed)));
  now.set_activities_unwritten(
      std::max(now.activities_unwritten(), header.activities_unwritten.load(kRelaxed)));
}

namespace {

// What came since; 0 while the rows have more than was read of it: the rest comes with the reading.
uint64_t TakeNew(uint64_t sent, uint64_t now) { return now - std::min(now, sent); }

}  // namespace

void ProcessRecorder::EmitEpoch(v1::ProcessProfile* profile) {
  v1::EpochRow& out = *profile->add_epochs();
  out = epoch_;
  out.set_until_mono_ns(now_ns_);
  v1::EpochRow sent = epoch_;
  out.set_calls_taken(TakeNew(sent_epoch_.calls_taken(), epoch_.calls_taken()));
  out.set_launches_taken(TakeNew(sent_epoch_.launches_taken(), epoch_.launches_taken()));
  out.set_activities_taken(TakeNew(sent_epoch_.activities_taken(), epoch_.activities_taken()));
  sent.set_calls_taken(sent_epoch_.calls_taken() + out.calls_taken());
  sent.set_launches_taken(sent_epoch_.launches_taken() + out.launches_taken());
  sent.set_activities_taken(sent_epoch_.activities_taken() + out.activities_taken());
  sent_epoch_ = std::move(sent);
}

void ProcessRecorder::EmitInfo(v1::ProcessProfile* profile) {
  v1::ProcessInfo& out = *profile->mutable_info();
  out = info_;
  out.set_launches_without_activity(info_.launches_without_activity() -
                                    sent_counts_.launches_without_activity());
  out.set_activities_without_launch(info_.activities_without_launch() -
                                    sent_counts_.activities_without_launch());
  out.set_malformed_records(info_.malformed_records() - sent_counts_.malformed_records());
  sent_counts_ = info_;
}

void ProcessRecorder::EmitCost(v1::ProcessProfile* profile) {
  v1::CostRow& out = *profile->add_costs();
  out = cost_;
  out.set_wall_ns(cost_.wall_ns() - sent_cost_.wall_ns());
  out.set_cost_ns(cost_.cost_ns() - sent_cost_.cost_ns());
  out.set_full_ns(cost_.full_ns() - sent_cost_.full_ns());
  out.set_sampled_ns(cost_.sampled_ns() - sent_cost_.sampled_ns());
  out.set_paused_ns(cost_.paused_ns() - sent_cost_.paused_ns());
  out.set_level_changes(cost_.level_changes() - sent_cost_.level_changes());
  out.set_switches(cost_.switches() - sent_cost_.switches());
  out.set_recorded_ns(cost_.recorded_ns() - sent_cost_.recorded_ns());
  sent_cost_ = cost_;
  cost_changed_ = false;
}

// Where it was asked for there is a row, whether or not anything could be measured.
bool ProcessRecorder::EmitLatency(v1::ProcessProfile* profile) {
  if (!segment_.host_clock()) return false;
  const v1::LaunchLatencyRow& now = latency_.row();
  const v1::LaunchLatencyRow sent = sent_latency_.value_or(v1::LaunchLatencyRow());
  if (sent_latency_.has_value() && now.SerializeAsString() == sent.SerializeAsString()) {
    return false;
  }
  v1::LaunchLatencyRow& out = *profile->add_launch_latencies();
  out = now;
  out.set_launches(now.launches() - sent.launches());
  out.set_measured(now.measured() - sent.measured());
  out.set_sum_ns(now.sum_ns() - sent.sum_ns());
  out.set_clock_unsure(now.clock_unsure() - sent.clock_unsure());
  sent_latency_ = now;
  return true;
}

void ProcessRecorder::EmitEpochDevices(v1::ProcessProfile* profile) const {
  for (const v1::Device& device : profile->devices()) {
    v1::EpochDevice& out = *profile->add_epoch_devices();
    out.set_epoch(epoch_.epoch());
    out.set_ordinal(device.ordinal());
    out.set_uuid(device.uuid());
  }
}

void ProcessRecorder::EmitLosses(v1::ProcessProfile* profile) {
  for (auto& [name, loss] : losses_) {
    if (loss.of_process != loss.sent_of_process) {
      (*profile->mutable_loss())[name] = loss.sent_of_process = loss.of_process;
    }
    if (loss.of_agent != loss.sent_of_agent) {
      (*profile->mutable_agent_loss())[name] =
          loss.of_agent - std::exchange(loss.sent_of_agent, loss.of_agent);
    }
  }
  losses_changed_ = false;
}

void ProcessRecorder::SetLoss(const char* name, uint64_t count) {
  if (count == 0) return;
  uint64_t& known = losses_[name].of_process;
  if (count <= known) return;
  known = count;
  losses_changed_ = true;
}

void ProcessRecorder::SetAgentLoss(const char* name, uint64_t count) {
  if (count == 0) return;
  uint64_t& known = losses_[name].of_agent;
  if (count <= known) return;
  known = count;
  losses_changed_ = true;
}

uint64_t ProcessRecorder::loss_count() const {
  uint64_t sum = 0;
  for (const auto& [name, loss] : losses_) sum += loss.of_process + loss.of_agent;
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
  SetAgentLoss("captured_call", graphs.unlinked_calls);
  SetAgentLoss("graph_replay", graphs.unknown_replays);
  SetAgentLoss("invalid_timestamp", correlator_.counters().marked_bad_times);
  SetAgentLoss("graph_node_unknown", graphs.unknown_nodes);
  SetAgentLoss("graph_event_lost", graphs.lost_events);
  SetAgentLoss("ring_corrupt", reader_.corrupt_position_count());
  SetAgentLoss("unknown_record_type", decoder_.unknown_type_count());
  SetAgentLoss("blob_incomplete", decoder_.incomplete_blob_count());
  SetAgentLoss("malformed_record", decoder_.malformed_count());
  SetAgentLoss("names_refused", names_.refused_count());
  SetAgentLoss("names_lost", definitions_.names_lost_count() + aggregator_.names_lost_count());
  SetAgentLoss("rows_refused", definitions_.refused_count() + aggregator_.refused_count() +
                                   graphs_.refused_count() + windows_.refused_count());
  SetAgentLoss("formula_failed", aggregator_.calls().failed_formula_count());
  SetAgentLoss("formula_refused", aggregator_.kernel_formulas().refused_count());
  SetAgentLoss("plans_refused", aggregator_.calls().plans_refused_count());
  SetAgentLoss("steps_refused", aggregator_.steps().refused_count());
  SetAgentLoss("window_steps_wrong", aggregator_.belied_step_count());
  SetAgentLoss("communication_shared", aggregator_.shared_communication_count());
  SetAgentLoss("late_interval", aggregator_.late_count());
  SetAgentLoss("bad_times_unmarked", aggregator_.bad_times_count());
  SetAgentLoss("activity_outside_windows", correlator_.counters().activities_outside_windows);
  SetAgentLoss("replay_times_twice", correlator_.counters().replay_times_twice);
  SetAgentLoss("call_without_end", correlator_.counters().calls_without_end);
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
