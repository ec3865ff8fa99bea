// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>

#include "collector/model/flops/flop_count.h"
#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::testing {

// What of some work can be told from its records and from rows alike: plain sums, least and
// greatest by name.
struct Measures {
  std::map<std::string, model::FlopCount> sum;
  std::map<std::string, uint64_t> min, max;

  void Add(const std::string& name, model::FlopCount value) {
    if (value != 0) sum[name] += value;
  }
  void Bound(const std::string& name, uint64_t least, uint64_t greatest) {
    if (greatest == 0) return;
    const auto [found, added] = min.try_emplace(name, least);
    if (!added && least < found->second) found->second = least;
    uint64_t& largest = max[name];
    if (greatest > largest) largest = greatest;
  }
  void Add(const Measures& more) {
    for (const auto& [name, value] : more.sum) Add(name, value);
    for (const auto& [name, greatest] : more.max) Bound(name, more.min.at(name), greatest);
  }
  friend bool operator==(const Measures&, const Measures&) = default;
};

inline std::string Named(const char* what, const std::string& process, uint64_t id) {
  return process + "/" + what + "/" + std::to_string(id);
}

// Of the rows of a part, or of a process as it is read.
inline Measures MeasuresOf(const v1::ProcessProfile& profile) {
  Measures measures;
  const std::string process = std::to_string(profile.key().pid());
  for (const v1::CallRow& row : profile.calls()) {
    const std::string name = Named(row.api().c_str(), process, row.scope());
    measures.Add(name, row.calls());
    measures.Add(name + "/flops", model::ToFlopCount(row.flops()));
    measures.Add(name + "/bytes", row.bytes());
    measures.Add(name + "/ns", row.gpu_time_ns());
  }
  for (const v1::KernelRow& row : profile.kernels()) {
    const std::string name = process + "/" + row.name();
    measures.Add(name, row.count());
    measures.Add(name + "/ns", row.gpu_time_ns());
    measures.Bound(name, row.min_ns(), row.max_ns());
  }
  for (const v1::ScopeKernelRow& row : profile.scope_kernels()) {
    const std::string name = Named("placed", process, row.scope());
    measures.Add(name, row.count());
    measures.Add(name + "/ns", row.gpu_time_ns());
  }
  for (const v1::ScopeCallRow& row : profile.scope_calls()) {
    measures.Add(Named("entered", process, row.scope()), row.calls());
  }
  for (const v1::RangeRow& row : profile.range_rows()) {
    const std::string name = Named("range", process, row.scope());
    measures.Add(name, row.entries());
    measures.Add(name + "/sum", std::strtoull(row.sum().c_str(), nullptr, 10));
    measures.Bound(name, std::strtoull(row.min().c_str(), nullptr, 10),
                   std::strtoull(row.max().c_str(), nullptr, 10));
  }
  for (const v1::StepRow& row : profile.steps()) {
    const std::string name = Named("step", process, row.step());
    for (const v1::Count& flops : row.flops()) {
      measures.Add(name + "/flops", model::ToFlopCount(flops));
    }
    for (const uint64_t ns : row.gpu_time_ns()) measures.Add(name + "/ns", ns);
    measures.Add(name + "/activities", row.activities());
    measures.Add(name + "/busy", row.gpu_busy_ns());
  }
  for (const v1::StepLabelRow& row : profile.step_labels()) {
    measures.Add(Named("optimizer", process, row.step()), row.optimizer_steps());
  }
  for (const v1::DeviceTime& row : profile.device_times()) {
    measures.Add(Named("busy", process, row.device()), row.busy_ns());
    measures.Bound(Named("busy", process, row.device()), row.first_gpu_ns(), row.last_gpu_ns());
  }
  for (const v1::HistoryRow& row : profile.history()) {
    const std::string name = Named("history", process, row.phase());
    measures.Add(name + "/calls", row.calls());
    measures.Add(name + "/flops", model::ToFlopCount(row.flops()));
    measures.Add(name + "/activities", row.activities());
    measures.Add(name + "/ns", row.gpu_time_ns());
  }
  for (const v1::DeviceHistoryRow& row : profile.device_history()) {
    measures.Add(Named("history_busy", process, row.device()), row.busy_ns());
  }
  return measures;
}

}  // namespace flopsprof::testing
