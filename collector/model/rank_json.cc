// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/rank_json.h"

#include <algorithm>

#include "collector/model/work_json.h"

namespace flopsprof::model {
namespace {

void WriteDevice(const DeviceSummary& device, JsonFields* json) {
  json->Unsigned("ordinal", device.ordinal);
  json->Text("name", device.name);
  json->Text("uuid", device.uuid);
  json->Key("peak_flop_per_s");
  if (!device.peaks.has_value()) return json->Null();
  json->BeginObject();
  for (const auto& [type, flop_per_s] : device.peaks->ByType()) json->Number(type, flop_per_s);
  json->EndObject();
}

// A lower bound of 0 says nothing.
void WriteOverhead(const Overhead& overhead, JsonFields* json) {
  const auto count = [&](std::string_view key, uint64_t value) {
    const bool unknown = overhead.incomplete && value == 0;
    json->Maybe(key, unknown ? std::nullopt : std::optional<uint64_t>(value), &JsonWriter::Uint);
  };
  json->Flag("incomplete", overhead.incomplete);
  count("hook_calls", overhead.hook_calls);
  count("module_calls", overhead.module_calls);
  count("backward_nodes", overhead.backward_nodes);
  count("launches", overhead.launches);
  count("activities", overhead.activities);
  const auto seconds = [&](std::string_view key, uint64_t ns) {
    const bool unknown = overhead.incomplete && ns == 0;
    json->Maybe(key, unknown ? std::nullopt : std::optional<uint64_t>(ns), &JsonWriter::Seconds);
  };
  seconds("own_cpu_s", overhead.own_cpu_ns);
  seconds("cupti_overhead_s", overhead.cupti_overhead_ns);
  const bool unknown = overhead.incomplete && overhead.estimated_s == 0;
  json->Maybe("estimated_s", unknown ? std::nullopt : std::optional<double>(overhead.estimated_s),
              &JsonWriter::Double);
}

void WriteLatency(const std::optional<LaunchLatency>& latency, JsonFields* json) {
  json->Key("launch_latency");
  if (!latency.has_value()) return json->Null();
  const auto known = [&](uint64_t ns) {
    return latency->measured > 0 ? std::optional<uint64_t>(ns) : std::nullopt;
  };
  json->BeginObject();
  json->Unsigned("launches", latency->launches);
  json->Unsigned("measured", latency->measured);
  json->Unsigned("clock_unsure", latency->clock_unsure);
  json->Maybe(
      "mean_s",
      known(static_cast<uint64_t>(latency->sum_ns / std::max<uint64_t>(latency->measured, 1))),
      &JsonWriter::Seconds);
  json->Maybe("min_s", known(latency->min_ns), &JsonWriter::Seconds);
  json->Maybe("max_s", known(latency->max_ns), &JsonWriter::Seconds);
  json->Maybe("error_s", known(latency->error_ns), &JsonWriter::Seconds);
  json->EndObject();
}

}  // namespace

void WriteRank(const RankSummary& rank, JsonFields* json) {
  json->Integer("rank", rank.rank);
  json->Integer("program", rank.program);
  json->Maybe("local_rank", rank.local_rank, &JsonWriter::Int);
  json->Text("node", rank.node);
  json->Text("host", rank.node);
  json->Integer("pid", rank.pid);
  json->Integer("restart", rank.restart);
  json->Text("state", rank.state);
  json->Maybe("exit_code", rank.exit_code, &JsonWriter::Int);
  json->Key("device");
  if (rank.devices.empty()) {
    json->Null();
  } else {
    json->BeginObject();
    WriteDevice(rank.devices.front(), json);
    json->EndObject();
  }
  json->List("devices", rank.devices, WriteDevice);
  WriteWork(rank.work, json);
  WriteHidden(rank.work, json);
  WriteTypes(rank.flops_by_type, json);
  WriteUtilisation(rank.utilisation, json);
  json->Key("loss");
  json->BeginObject();
  for (const auto& [name, count] : rank.loss) json->Unsigned(name, count);
  json->EndObject();
  json->Texts("notes", rank.notes);
  json->Key("overhead");
  json->BeginObject();
  WriteOverhead(rank.overhead, json);
  json->EndObject();
  WriteLatency(rank.launch_latency, json);
}

void WriteProcess(const ProcessSummary& process, JsonFields* json) {
  json->Text("node", process.node);
  json->Integer("pid", process.pid);
  json->Integer("parent_pid", process.parent_pid);
  json->Maybe("rank", process.rank, &JsonWriter::Int);
  json->Text("command", process.command);
  json->Text("state", process.state);
  json->Maybe("exit_code", process.exit_code, &JsonWriter::Int);
}

}  // namespace flopsprof::model
