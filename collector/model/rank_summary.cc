// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/rank_summary.h"

#include <algorithm>
#include <set>

#include "collector/model/step_summary.h"
#include "collector/model/work.h"

namespace flopsprof::model {
namespace {

std::optional<int> ExitCode(const v1::ProcessInfo& info) {
  if (info.state() == v1::PROCESS_STATE_SIGNALLED) return 128 + info.exit_signal();
  if (!info.exit_code_known()) return std::nullopt;
  return info.exit_code();
}

std::set<uint32_t> BusyOrdinals(const RankGroup& group) {
  std::set<uint32_t> busy;
  for (const v1::ProcessProfile* process : group.processes) {
    for (const v1::DeviceTime& time : process->device_times()) {
      if (time.busy_ns() > 0) busy.insert(time.device());
    }
  }
  return busy;
}

std::vector<DeviceSummary> DevicesOf(const RankGroup& group) {
  const std::set<uint32_t> busy = BusyOrdinals(group);
  std::map<uint32_t, DeviceSummary> devices;
  for (const v1::ProcessProfile* process : group.processes) {
    for (const v1::Device& device : process->devices()) {
      if (!busy.empty() && busy.count(device.ordinal()) == 0) continue;
      devices.emplace(device.ordinal(), DeviceSummary{device.ordinal(), device.name(),
                                                      device.uuid(), FindPeaks(device.name())});
    }
  }
  std::vector<DeviceSummary> result;
  for (auto& [ordinal, device] : devices) result.push_back(std::move(device));
  return result;
}

// Without GPU times all devices that the rank could see are listed: only one is surely the one
// that was used.
bool DevicesAreThoseInUse(const RankGroup& group, const std::vector<DeviceSummary>& devices) {
  const size_t busy_count = BusyOrdinals(group).size();
  return devices.size() == (busy_count > 0 ? busy_count : 1);
}

double ToDouble(FlopCount count) { return static_cast<double>(count); }

FlopCount Sum(const std::map<std::string, FlopCount>& by_type) {
  FlopCount sum = 0;
  for (const auto& [type, flops] : by_type) sum += flops;
  return sum;
}

// Seconds that the flops would take at peak on one device; absent where a peak is not known.
std::optional<double> SecondsAtPeak(const DevicePeaks& peaks,
                                    const std::map<std::string, FlopCount>& by_type) {
  double seconds = 0;
  for (const auto& [type, flops] : by_type) {
    const std::optional<double> peak = peaks.For(type);
    if (!peak.has_value()) return std::nullopt;
    seconds += ToDouble(flops) / *peak;
  }
  return seconds;
}

// The one kind of card that the rank used; nullptr when it is not known or they differ.
const DevicePeaks* CommonPeaks(const std::vector<DeviceSummary>& devices) {
  if (devices.empty()) return nullptr;
  for (const DeviceSummary& device : devices) {
    if (device.peaks != devices.front().peaks) return nullptr;
  }
  return devices.front().peaks;
}

// Utilisation over the complete steps: their flops at peak speed, over their wall time.
std::optional<double> Utilisation(const RankSummary& rank, const StepTime& steps,
                                  const std::map<std::string, FlopCount>& by_type,
                                  FlopCount flops_of_complete_steps) {
  const DevicePeaks* peaks = CommonPeaks(rank.devices);
  const FlopCount all = Sum(by_type);
  if (peaks == nullptr || steps.wall_ns == 0 || all == 0 || flops_of_complete_steps == 0) {
    return std::nullopt;
  }
  const std::optional<double> at_peak_s = SecondsAtPeak(*peaks, by_type);
  if (!at_peak_s.has_value()) return std::nullopt;
  // A step cut off by the end of the job has flops but no duration: its share is taken out.
  const double complete_share = ToDouble(flops_of_complete_steps) / ToDouble(all);
  const double available_s =
      static_cast<double>(steps.wall_ns) * 1e-9 * static_cast<double>(rank.devices.size());
  return *at_peak_s * complete_share / available_s;
}

void AddInfo(const v1::ProcessInfo& info, Overhead* overhead) {
  overhead->hook_calls += info.hook_calls();
  overhead->module_calls += info.module_calls();
  overhead->backward_nodes += info.backward_nodes();
  overhead->launches += info.launches();
  overhead->activities += info.activities();
  overhead->own_cpu_ns += info.own_cpu_ns();
  overhead->cupti_overhead_ns += info.cupti_overhead_ns();
}

}  // namespace

uint32_t DevicesInUse(const RankGroup& group) {
  return std::max<uint32_t>(1, static_cast<uint32_t>(BusyOrdinals(group).size()));
}

RankSummary SummarizeRank(const v1::RunInfo& run, const RankGroup& group, const Tally& tally,
                          const OverheadCosts& costs) {
  const v1::ProcessProfile& first = *group.processes.front();
  RankSummary rank;
  rank.rank = group.rank;
  rank.restart = group.restart;
  if (first.has_info() && first.info().local_rank() >= 0) {
    rank.local_rank = first.info().local_rank();
  }
  rank.node = first.key().node();
  rank.pid = first.key().pid();
  rank.state = StateText(first.info());
  rank.exit_code = ExitCode(first.info());
  rank.devices = DevicesOf(group);
  rank.work = ToWork(tally);

  std::map<std::string, FlopCount> model_by_type;
  std::map<std::string, FlopCount> executed_by_type;
  for (const v1::ProcessProfile* process : group.processes) {
    AddFlopsByType(run, *process, false, true, &rank.flops_by_type);
    AddFlopsByType(run, *process, true, false, &model_by_type);
    AddFlopsByType(run, *process, true, true, &executed_by_type);
    for (const auto& [name, count] : process->loss()) {
      if (count > 0) rank.loss[name] += count;
    }
    // The agent tells it in both places.
    if (process->info().malformed_records() > 0) {
      uint64_t& malformed = rank.loss["malformed_record"];
      malformed = std::max(malformed, process->info().malformed_records());
    }
    for (const auto& [name, value] : process->notes()) rank.notes.emplace(name, value);
    AddInfo(process->info(), &rank.overhead);
  }
  rank.overhead.estimated_s =
      1e-9 * (static_cast<double>(rank.overhead.hook_calls) * costs.hook_ns +
              static_cast<double>(rank.overhead.module_calls) * costs.module_call_ns +
              static_cast<double>(rank.overhead.backward_nodes) * costs.backward_node_ns);

  if (!DevicesAreThoseInUse(group, rank.devices)) return rank;
  const StepTime steps = CompleteSteps(group);
  rank.mfu = Utilisation(rank, steps, model_by_type, steps.model_flops);
  rank.hfu = Utilisation(rank, steps, executed_by_type, steps.model_flops + steps.recompute_flops);
  return rank;
}

ProcessSummary SummarizeProcess(const v1::ProcessProfile& process) {
  ProcessSummary summary;
  summary.node = process.key().node();
  summary.pid = process.key().pid();
  summary.parent_pid = process.info().parent_pid();
  if (process.has_info() && process.info().rank() >= 0) summary.rank = process.info().rank();
  summary.command = process.info().command();
  summary.state = StateText(process.info());
  summary.exit_code = ExitCode(process.info());
  return summary;
}

}  // namespace flopsprof::model
