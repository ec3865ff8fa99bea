// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/rows/history_rows.h"

#include <array>
#include <cstddef>

#include "collector/model/flops/flop_count.h"
#include "proto/flopsprof/history.h"
#include "proto/shm/records.h"

namespace flopsprof::agent {
namespace {

struct PhaseWork {
  v1::HistoryRow row;
  model::FlopCount flops = 0;
};
using WorkByPhase = std::array<PhaseWork, shm::kPhaseCount>;

void AddCall(const v1::CallRow& call, WorkByPhase* phases) {
  if (call.captured() || call.kind() == v1::CALL_KIND_COLLECTIVE) return;
  PhaseWork& work = phases->at(static_cast<size_t>(call.phase()));
  work.row.set_calls(work.row.calls() + call.calls());
  if (call.flops_known()) {
    work.flops += model::ToFlopCount(call.flops());
  } else {
    work.row.set_unknown_calls(work.row.unknown_calls() + call.calls());
  }
}

void AddTime(const v1::TimeRow& time, WorkByPhase* phases) {
  v1::HistoryRow& row = phases->at(static_cast<size_t>(time.phase())).row;
  row.set_activities(row.activities() + time.activities());
  row.set_gpu_time_ns(row.gpu_time_ns() + time.gpu_time_ns());
  if (time.category() == v1::TIME_CATEGORY_UNKNOWN) {
    row.set_unknown_gpu_time_ns(row.unknown_gpu_time_ns() + time.gpu_time_ns());
  } else if (time.category() == v1::TIME_CATEGORY_COMMUNICATION) {
    row.set_communication_ns(row.communication_ns() + time.gpu_time_ns());
  }
}

}  // namespace

HistoryStart HistoryStartOf(const v1::ProcessProfile& part) {
  return {part.calls_size(), part.times_size(), part.device_times_size()};
}

void AddHistory(int64_t utc_ns, HistoryStart known, v1::ProcessProfile* part) {
  constexpr auto kWidth = static_cast<int64_t>(kHistoryWidthsNs.front());
  const int64_t begin_utc_ns = utc_ns / kWidth * kWidth;
  WorkByPhase phases;
  for (int i = known.calls; i < part->calls_size(); ++i) AddCall(part->calls(i), &phases);
  for (int i = known.times; i < part->times_size(); ++i) AddTime(part->times(i), &phases);
  for (size_t phase = 0; phase < phases.size(); ++phase) {
    PhaseWork& work = phases[phase];
    if (work.row.calls() == 0 && work.flops == 0 && work.row.activities() == 0) continue;
    work.row.set_begin_utc_ns(begin_utc_ns);
    work.row.set_width_ns(kWidth);
    work.row.set_phase(static_cast<v1::Phase>(phase));
    model::ToProto(work.flops, work.row.mutable_flops());
    *part->add_history() = std::move(work.row);
  }
  for (int i = known.device_times; i < part->device_times_size(); ++i) {
    const v1::DeviceTime& time = part->device_times(i);
    if (time.busy_ns() == 0) continue;
    v1::DeviceHistoryRow& row = *part->add_device_history();
    row.set_begin_utc_ns(begin_utc_ns);
    row.set_width_ns(kWidth);
    row.set_device(time.device());
    row.set_busy_ns(time.busy_ns());
    row.set_not_communication_ns(time.not_communication_ns());
  }
}

}  // namespace flopsprof::agent
