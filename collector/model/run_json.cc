// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/run_json.h"

#include <absl/time/time.h>

#include "collector/model/coverage.h"
#include "collector/model/work_json.h"

namespace flopsprof::model {
namespace {

std::string UtcText(int64_t unix_ns) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", absl::FromUnixNanos(unix_ns),
                          absl::UTCTimeZone());
}

void WriteWindow(const WindowSummary& window, JsonFields* json) {
  json->Unsigned("number", window.number);
  json->Text("begin_utc", UtcText(window.begin_utc_ns));
  json->Text("end_utc", window.end_utc_ns == 0 ? "" : UtcText(window.end_utc_ns));
  json->Maybe("first_step", window.first_step, &JsonWriter::Uint);
  json->Maybe("end_step", window.end_step, &JsonWriter::Uint);
  json->Maybe("cut_step", window.cut_step, &JsonWriter::Uint);
  json->Unsigned("processes", window.processes);
  json->Flag("aligned", window.aligned);
}

void WriteInstant(const InstantSummary& mark, JsonFields* json) {
  json->Text("name", mark.name);
  json->Text("utc", UtcText(mark.utc_ns));
  json->Maybe("step", mark.step, &JsonWriter::Uint);
}

void WriteBudget(const std::optional<BudgetSummary>& budget, JsonFields* json) {
  json->Key("budget");
  if (!budget.has_value()) return json->Null();
  json->BeginObject();
  json->Number("max_overhead", budget->budget);
  json->Maybe("estimate", budget->estimate, &JsonWriter::Double);
  json->Flag("kept", budget->IsKept());
  json->Maybe("judged_s", std::optional<uint64_t>(budget->wall_ns), &JsonWriter::Seconds);
  json->Maybe("judged_pid", budget->pid == 0 ? std::nullopt : std::optional<int>(budget->pid),
              &JsonWriter::Int);
  json->Maybe("judged_rank", budget->rank, &JsonWriter::Int);
  json->Maybe("full_s", std::optional<uint64_t>(budget->full_ns), &JsonWriter::Seconds);
  json->Maybe("sampled_s", std::optional<uint64_t>(budget->sampled_ns), &JsonWriter::Seconds);
  json->Maybe("paused_s", std::optional<uint64_t>(budget->paused_ns), &JsonWriter::Seconds);
  json->Unsigned("level_changes", budget->level_changes);
  json->Unsigned("switches", budget->switches);
  json->Number("instruction_ns", budget->instruction_ns);
  json->EndObject();
}

void WriteParts(const std::optional<StepParts>& parts, JsonFields* json) {
  json->Key("parts");
  if (!parts.has_value()) return json->Null();
  json->BeginObject();
  json->Unsigned("rank_steps", parts->rank_steps);
  json->Unsigned("device_steps", parts->device_steps);
  json->Duration("wall_s", parts->wall_ns);
  json->Duration("busy_s", parts->busy_ns);
  json->Maybe("exposed_communication_s", parts->exposed_communication_ns, &JsonWriter::Seconds);
  json->Unsigned("activities", parts->activities);
  json->Maybe("between_s", parts->between_ns, &JsonWriter::Seconds);
  json->Duration("between_idle_s", parts->between_idle_ns);
  json->EndObject();
}

void WriteStepLine(const StepLine& line, JsonFields* json) {
  json->Unsigned("step", line.step);
  json->Unsigned("processes", line.processes);
  json->Flag("complete", line.complete);
  json->Flag("disturbed", line.disturbed);
  std::optional<uint64_t> wall_ns;
  if (line.wall_ns != 0) wall_ns = line.wall_ns;
  json->Maybe("wall_s", wall_ns, &JsonWriter::Seconds);
  json->Duration("gpu_busy_s", line.gpu_busy_ns);
  json->Flag("has_unknown", line.has_unknown);
  WriteCounts("flops", line.flops, 1, json);
}

void WriteStepUtilisation(const StepUtilisation& step, JsonFields* json) {
  json->Unsigned("step", step.step);
  json->Maybe("mfu", step.mfu, &JsonWriter::Double);
  json->Maybe("hfu", step.hfu, &JsonWriter::Double);
}

}  // namespace

void WriteJob(const JobSummary& job, JsonFields* json) {
  json->Key("job");
  json->BeginObject();
  json->Text("id", job.id);
  json->Text("name", job.name);
  json->Text("command", job.command);
  json->Text("start_utc", UtcText(job.start_utc_ns));
  json->Maybe("world_size", job.world_size, &JsonWriter::Int);
  json->Unsigned("nodes", job.nodes.size());
  json->Strings("node_names", job.nodes);
  json->Maybe("exit_code", job.exit_code, &JsonWriter::Int);
  json->Text("version", job.version);
  json->EndObject();
}

void WriteRecording(const RecordingSummary& recording, JsonFields* json) {
  json->Key("recording");
  json->BeginObject();
  json->Flag("paused_at_start", recording.paused_at_start);
  json->Maybe("share", recording.share, &JsonWriter::Double);
  json->Unsigned("whole_processes", recording.whole_processes);
  json->List("windows", recording.windows, WriteWindow);
  json->List("marks", recording.marks, WriteInstant);
  WriteBudget(recording.budget, json);
  json->EndObject();
}

void WriteSteps(const StepsSummary& steps, JsonFields* json) {
  json->Key("steps");
  json->BeginObject();
  json->Unsigned("profiled", steps.profiled);
  json->Maybe("first", steps.first, &JsonWriter::Uint);
  json->Maybe("last", steps.last, &JsonWriter::Uint);
  json->Maybe("wanted_first", steps.wanted_first, &JsonWriter::Uint);
  json->Maybe("wanted_end", steps.wanted_end, &JsonWriter::Uint);
  json->Maybe("median_s", steps.median_ns, &JsonWriter::Seconds);
  json->Maybe("p95_s", steps.p95_ns, &JsonWriter::Seconds);
  WriteParts(steps.parts, json);
  json->TextOrNull("bound_by", steps.bound_by);
  json->Unsigned("left_out", steps.left_out);
  json->Maybe("first_step_work_ratio", steps.first_step_work_ratio, &JsonWriter::Double);
  json->Text("first_step_phase", steps.first_step_phase);
  json->Text("tuning_sign", steps.tuning_sign);
  json->List("utilisation", steps.utilisation, WriteStepUtilisation);
  json->TextOrNull("taken_from", steps.taken_from);
  json->Unsigned("measured", steps.measured);
  json->Unsigned("disturbed", steps.disturbed);
  json->List("list", steps.list, WriteStepLine);
  json->List("beside", steps.beside, WriteStepLine);
  json->EndObject();
}

void WriteCoverage(const Coverage& coverage, JsonFields* json) {
  json->Key("coverage");
  json->BeginObject();
  json->Key("gpu_time_s");
  if (coverage.times_known) {
    json->Seconds(coverage.gpu_time_ns);
  } else {
    json->Null();
  }
  json->Flag("gpu_time_incomplete", coverage.times_incomplete);
  for (int category = v1::TIME_CATEGORY_EXACT; category <= v1::TIME_CATEGORY_COPY; ++category) {
    json->Key(CategoryName(category));
    if (coverage.gpu_time_ns == 0) {
      json->Null();
      continue;
    }
    const auto found = coverage.category_ns.find(category);
    const uint64_t ns = found == coverage.category_ns.end() ? 0 : found->second;
    json->Double(static_cast<double>(ns) / static_cast<double>(coverage.gpu_time_ns));
  }
  json->Unsigned("records_lost", coverage.records_lost);
  json->Unsigned("invalid_timestamps", coverage.invalid_timestamps);
  json->Unsigned("calls_unmatched", coverage.calls_unmatched);
  json->Key("graphs");
  json->BeginArray();
  for (const GraphSummary& graph : coverage.graphs) {
    json->BeginObject();
    json->Text("state", graph.state);
    json->Unsigned("graphs", graph.graphs);
    json->Unsigned("replays", graph.replays);
    json->Unsigned("calls", graph.calls);
    json->Unsigned("activities", graph.activities);
    json->Duration("gpu_time_s", graph.gpu_time_ns);
    json->Duration("shared_s", graph.shared_ns);
    json->EndObject();
  }
  json->EndArray();
  json->Strings("reasons", coverage.reasons);
  json->EndObject();
}

void WriteTotals(const Totals& totals, JsonFields* json) {
  json->Key("totals");
  json->BeginObject();
  WriteWork(totals.work, json);
  WriteTypes(totals.flops_by_type, json);
  json->Key("gpu_busy_s");
  json->BeginObject();
  json->Maybe("total", totals.gpu_busy_ns, &JsonWriter::Seconds);
  json->EndObject();
  json->Maybe("idle_s", totals.idle_ns, &JsonWriter::Seconds);
  json->Maybe("exposed_communication_s", totals.exposed_communication_ns, &JsonWriter::Seconds);
  json->Maybe("hidden_communication_s", totals.hidden_communication_ns, &JsonWriter::Seconds);
  WriteUtilisation(totals.utilisation, json);
  json->EndObject();
}

}  // namespace flopsprof::model
