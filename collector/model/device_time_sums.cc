// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/device_time_sums.h"

#include <algorithm>

#include "collector/model/rank_summary.h"
#include "collector/model/step_summary.h"
#include "collector/model/tally.h"
#include "collector/model/work.h"

namespace flopsprof::model {
namespace {

// Time of communication kernels during which other work ran on the device: of all steps where
// there are any, else of the whole run. Absent: some of it was not compared.
std::optional<uint64_t> HiddenCommunication(const RankGroup& group) {
  Tally in_steps;
  Tally in_run;
  bool any_step = false;
  for (const v1::ProcessProfile* process : group.processes) {
    any_step = any_step || process->steps_size() > 0;
    for (const v1::TimeRow& row : process->times()) {
      in_run.AddTime(row);
      if (row.in_step()) in_steps.AddTime(row);
    }
    for (const v1::CommunicationRow& row : process->communications()) {
      in_run.AddCommunication(row);
      if (row.in_step()) in_steps.AddCommunication(row);
    }
  }
  return any_step ? in_steps.hidden_communication_ns() : in_run.hidden_communication_ns();
}

}  // namespace

void DeviceTimeSums::Add(const RankGroup& group) {
  uint64_t busy_ns = 0;
  uint64_t span_ns = 0;
  uint64_t exposed_ns = 0;
  for (const v1::ProcessProfile* process : group.processes) {
    all_seen_ = all_seen_ && !MayHaveUnseenKernels(*process) && !LacksTimes(*process);
    exposed_known_ = exposed_known_ && process->loss().count("communication_shared") == 0;
    for (const v1::DeviceTime& time : process->device_times()) {
      busy_ns += time.busy_ns();
      span_ns += time.last_gpu_ns() - std::min(time.first_gpu_ns(), time.last_gpu_ns());
      exposed_ns += time.busy_ns() - std::min(time.not_communication_ns(), time.busy_ns());
    }
  }
  if (busy_ns == 0) return;
  any_ = true;
  const std::optional<uint64_t> hidden_ns = HiddenCommunication(group);
  if (!hidden_ns.has_value()) {
    hidden_ns_.reset();
  } else if (hidden_ns_.has_value()) {
    *hidden_ns_ += *hidden_ns;
  }
  busy_ns_ += busy_ns;
  const StepTime steps = CompleteSteps(group);
  if (steps.complete > 0) {
    const uint64_t available_ns = steps.wall_ns * DevicesInUse(group);
    idle_ns_ += available_ns - std::min(steps.busy_ns, available_ns);
    exposed_ns_ += steps.exposed_communication_ns;
  } else {
    idle_ns_ += span_ns - std::min(busy_ns, span_ns);
    exposed_ns_ += exposed_ns;
  }
}

void DeviceTimeSums::Finish(Totals* totals) const {
  if (!any_) return;
  totals->gpu_busy_ns = busy_ns_;
  if (!all_seen_) return;
  totals->idle_ns = idle_ns_;
  totals->hidden_communication_ns = hidden_ns_;
  if (exposed_known_) totals->exposed_communication_ns = exposed_ns_;
}

}  // namespace flopsprof::model
