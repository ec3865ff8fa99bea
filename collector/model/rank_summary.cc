// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/rank_summary.h"

#include <algorithm>
#include <map>
#include <set>

#include "collector/model/utilisation.h"
#include "collector/model/work.h"

namespace flopsprof::model {
namespace {

std::optional<int> ExitCode(const v1::ProcessInfo& info) {
  if (info.state() == v1::PROCESS_STATE_SIGNALLED) return 128 + info.exit_signal();
  if (!info.exit_code_known()) return std::nullopt;
  return info.exit_code();
}

// The card itself: two processes may have different cards under one number, and one card under
// two.
std::string DeviceId(const v1::ProcessProfile& process, uint32_t ordinal) {
  for (const v1::Device& device : process.devices()) {
    if (device.ordinal() == ordinal && !device.uuid().empty()) return device.uuid();
  }
  return "#" + std::to_string(ordinal);
}

// Of the time of the rank's busiest device a hundredth.
constexpr uint64_t kTouchedOnly = 100;

// Without those that a process has only touched: a context on the first GPU that nobody meant.
std::set<std::string> BusyDevices(const RankGroup& group) {
  std::map<std::string, uint64_t> busy_ns;
  uint64_t longest_ns = 0;
  for (const v1::ProcessProfile* process : group.processes) {
    for (const v1::DeviceTime& time : process->device_times()) {
      uint64_t& sum_ns = busy_ns[DeviceId(*process, time.device())];
      sum_ns += time.busy_ns();
      longest_ns = std::max(longest_ns, sum_ns);
    }
  }
  std::set<std::string> busy;
  for (const auto& [id, ns] : busy_ns) {
    if (ns > 0 && ns >= longest_ns / kTouchedOnly) busy.insert(id);
  }
  return busy;
}

std::vector<DeviceSummary> DevicesOf(const RankGroup& group, const GivenPeaks& given) {
  const std::set<std::string> busy = BusyDevices(group);
  std::set<std::string> seen;
  std::vector<DeviceSummary> devices;
  for (const v1::ProcessProfile* process : group.processes) {
    for (const v1::Device& device : process->devices()) {
      const std::string id = DeviceId(*process, device.ordinal());
      if ((!busy.empty() && busy.count(id) == 0) || !seen.insert(id).second) continue;
      devices.push_back({device.ordinal(), device.name(), device.uuid(),
                         PeaksOf(device.name(), device.sm_count(), given)});
    }
  }
  std::stable_sort(
      devices.begin(), devices.end(),
      [](const DeviceSummary& a, const DeviceSummary& b) { return a.ordinal < b.ordinal; });
  return devices;
}

void AddInfo(const v1::ProcessInfo& info, Overhead* overhead) {
  overhead->hook_calls += info.hook_calls();
  overhead->module_calls += info.module_calls();
  overhead->backward_nodes += info.backward_nodes();
  overhead->launches += info.launches();
  overhead->activities += info.activities();
  overhead->own_cpu_ns += info.own_cpu_ns();
  overhead->cupti_overhead_ns += info.cupti_overhead_ns();
  overhead->incomplete |= info.state() != v1::PROCESS_STATE_EXITED;
}

std::optional<LaunchLatency> LatencyOf(const RankGroup& group) {
  std::optional<LaunchLatency> latency;
  for (const v1::ProcessProfile* process : group.processes) {
    for (const v1::LaunchLatencyRow& row : process->launch_latencies()) {
      if (!latency.has_value()) latency.emplace();
      latency->Add({row.launches(), row.measured(), row.sum_ns(), row.min_ns(), row.max_ns(),
                    row.error_ns(), row.clock_unsure()});
    }
  }
  return latency;
}

}  // namespace

void LaunchLatency::Add(const LaunchLatency& other) {
  launches += other.launches;
  clock_unsure += other.clock_unsure;
  if (other.measured == 0) return;
  min_ns = measured == 0 ? other.min_ns : std::min(min_ns, other.min_ns);
  measured += other.measured;
  sum_ns += other.sum_ns;
  max_ns = std::max(max_ns, other.max_ns);
  error_ns = std::max(error_ns, other.error_ns);
}

bool DevicesAreThoseInUse(const RankGroup& group, const std::vector<DeviceSummary>& devices) {
  const size_t busy_count = BusyDevices(group).size();
  return devices.size() == (busy_count > 0 ? busy_count : 1);
}

uint32_t DevicesInUse(const RankGroup& group) {
  return std::max<uint32_t>(1, static_cast<uint32_t>(BusyDevices(group).size()));
}

RankSummary SummarizeRank(const v1::RunInfo& run, const RankGroup& group, const Tally& tally,
                          const SummaryOptions& options) {
  const v1::ProcessProfile& first = *group.processes.front();
  RankSummary rank;
  rank.program = group.program;
  rank.rank = group.rank;
  rank.label = group.label;
  rank.restart = group.restart;
  if (first.has_info() && first.info().local_rank() >= 0) {
    rank.local_rank = first.info().local_rank();
  }
  rank.node = first.key().node();
  rank.pid = first.key().pid();
  rank.state = StateText(first.info());
  rank.exit_code = ExitCode(first.info());
  rank.devices = DevicesOf(group, options.peaks);
  rank.work = ToWork(tally);

  for (const v1::ProcessProfile* process : group.processes) {
    AddFlopsByType(run, *process, false, true, &rank.flops_by_type);
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
      1e-9 * (static_cast<double>(rank.overhead.hook_calls) * options.costs.hook_ns +
              static_cast<double>(rank.overhead.module_calls) * options.costs.module_call_ns +
              static_cast<double>(rank.overhead.backward_nodes) * options.costs.backward_node_ns);

  rank.launch_latency = LatencyOf(group);
  rank.utilisation = UtilisationOf(run, group, rank);
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
