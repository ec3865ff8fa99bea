// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/summary_json.h"

#include <absl/time/time.h>

#include <algorithm>

#include "collector/model/coverage.h"
#include "collector/model/json_writer.h"

namespace flopsprof::model {
namespace {

// Phases in the order in which readers think of them.
constexpr int kPhaseOrder[kPhaseCount] = {
    v1::PHASE_FORWARD,    v1::PHASE_BACKWARD, v1::PHASE_RECOMPUTE,
    v1::PHASE_CLIPPING,   v1::PHASE_SCALING,  v1::PHASE_OPTIMIZER,
    v1::PHASE_EVALUATION, v1::PHASE_GENERATE, v1::PHASE_OTHER};

std::string_view ProvenanceName(Provenance provenance) {
  switch (provenance) {
    case Provenance::kExact:
      return "exact";
    case Provenance::kModelled:
      return "modelled";
    case Provenance::kMixed:
      return "mixed";
    case Provenance::kUnknown:
      break;
  }
  return "unknown";
}

std::optional<std::string_view> OnCpuName(OnCpu on_cpu) {
  switch (on_cpu) {
    case OnCpu::kAll:
      return "all";
    case OnCpu::kPart:
      return "part";
    case OnCpu::kNo:
      break;
  }
  return std::nullopt;
}

std::string UtcText(int64_t unix_ns) {
  return absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", absl::FromUnixNanos(unix_ns),
                          absl::UTCTimeZone());
}

class SummaryJson {
 public:
  std::string Write(const Summary& summary) {
    json_.BeginObject();
    Text("schema", "flopsprof.summary/1");
    Flag("simulated", summary.simulated);
    Flag("empty", summary.empty);
    WriteJob(summary.job);
    WriteRecording(summary.recording);
    WriteSteps(summary.steps);
    WriteCoverage(summary.coverage);
    WriteTotals(summary.totals);
    WriteList("ranks", summary.ranks, &SummaryJson::WriteRank);
    WriteList("processes", summary.processes, &SummaryJson::WriteProcess);
    WritePrograms(summary);
    WriteList("modules", summary.modules, &SummaryJson::WriteModule);
    WriteList("kernels", summary.kernels, &SummaryJson::WriteKernel);
    Unsigned("kernels_left_out", summary.kernels_left_out);
    WriteList("stacks", summary.stacks, &SummaryJson::WriteStack);
    Unsigned("stacks_left_out", summary.stacks_left_out);
    WriteList("collectives", summary.collectives, &SummaryJson::WriteCollective);
    WriteList("ranges", summary.ranges, &SummaryJson::WriteRange);
    Unsigned("ranges_left_out", summary.ranges_left_out);
    WriteList("marks", summary.marks, &SummaryJson::WriteMark);
    Unsigned("marks_left_out", summary.marks_left_out);
    WriteList("optimizers", summary.optimizers, &SummaryJson::WriteOptimizer);
    WriteList("findings", summary.findings, &SummaryJson::WriteFinding);
    WriteTexts("method", summary.method);
    WriteTexts("files", summary.files);
    json_.EndObject();
    return json_.text();
  }

 private:
  void Text(std::string_view key, std::string_view value) {
    json_.Key(key);
    json_.String(value);
  }
  void Flag(std::string_view key, bool value) {
    json_.Key(key);
    json_.Bool(value);
  }
  void Integer(std::string_view key, int64_t value) {
    json_.Key(key);
    json_.Int(value);
  }
  void Unsigned(std::string_view key, uint64_t value) {
    json_.Key(key);
    json_.Uint(value);
  }
  void Number(std::string_view key, double value) {
    json_.Key(key);
    json_.Double(value);
  }
  void Duration(std::string_view key, uint64_t ns) {
    json_.Key(key);
    json_.Seconds(ns);
  }
  template <typename T, typename Writer>
  void Maybe(std::string_view key, const std::optional<T>& value, Writer write) {
    json_.Key(key);
    if (value.has_value()) {
      (json_.*write)(*value);
    } else {
      json_.Null();
    }
  }

  template <typename T>
  void WriteList(std::string_view key, const std::vector<T>& items,
                 void (SummaryJson::*write)(const T&)) {
    json_.Key(key);
    json_.BeginArray();
    for (const T& item : items) {
      json_.BeginObject();
      (this->*write)(item);
      json_.EndObject();
    }
    json_.EndArray();
  }
  void WriteTexts(std::string_view key, const std::map<std::string, std::string>& texts) {
    json_.Key(key);
    json_.BeginObject();
    for (const auto& [name, text] : texts) Text(name, text);
    json_.EndObject();
  }

  void WriteCounts(std::string_view key, const PhaseCounts& counts, unsigned divisor) {
    json_.Key(key);
    json_.BeginObject();
    for (const int phase : kPhaseOrder) {
      json_.Key(PhaseName(phase));
      if (counts[phase].has_value()) {
        json_.Count(*counts[phase] / divisor);
      } else {
        json_.Null();
      }
    }
    json_.EndObject();
  }
  void WriteTimes(std::string_view key, const PhaseTimes& times) {
    json_.Key(key);
    json_.BeginObject();
    for (const int phase : kPhaseOrder) Maybe(PhaseName(phase), times[phase], &JsonWriter::Seconds);
    json_.EndObject();
  }
  void WriteTypes(const std::map<std::string, FlopCount>& flops_by_type) {
    json_.Key("flops_by_type");
    json_.BeginObject();
    for (const auto& [type, flops] : flops_by_type) {
      json_.Key(type);
      json_.Count(flops);
    }
    json_.EndObject();
  }
  void WriteWork(const Work& work) {
    WriteCounts("flops", work.flops, 1);
    WriteCounts("flops_modelled", work.flops_modelled, 1);
    WriteCounts("macs", work.flops, 2);
    WriteTimes("gpu_time_s", work.gpu_time_ns);
    json_.Key("gpu_time_incomplete");
    json_.BeginArray();
    for (const int phase : kPhaseOrder) {
      if (work.time_incomplete[phase]) json_.String(PhaseName(phase));
    }
    json_.EndArray();
    Duration("unknown_gpu_time_s", work.unknown_gpu_time_ns);
    Duration("communication_s", work.communication_ns);
    Maybe("flop_per_s", work.flop_per_s, &JsonWriter::Double);
    Text("provenance", ProvenanceName(work.provenance));
    WriteGradients(work);
  }
  void WriteGradients(const Work& work) {
    static constexpr std::pair<const char*, Gradient> kNames[] = {
        {"data", Gradient::kData},
        {"weight", Gradient::kWeight},
        {"not_told", Gradient::kNotTold},
    };
    json_.Key("gradients");
    json_.BeginObject();
    for (const auto& [name, gradient] : kNames) {
      const GradientWork& part = work.gradients[static_cast<size_t>(gradient)];
      json_.Key(name);
      json_.BeginObject();
      json_.Key("flops");
      json_.Count(part.flops);
      json_.Key("gpu_time_s");
      if (work.gpu_time_ns[v1::PHASE_BACKWARD].has_value()) {
        json_.Seconds(part.gpu_time_ns);
      } else {
        json_.Null();
      }
      json_.EndObject();
    }
    json_.EndObject();
  }

  // The rest of the communication, beside other work or not.
  void WriteHidden(const Work& work) {
    const std::optional<uint64_t>& hidden_ns = work.hidden_communication_ns;
    WriteExposed("exposed_communication_s", work.communication_ns, hidden_ns);
    Maybe("hidden_communication_s", hidden_ns, &JsonWriter::Seconds);
  }

  void WriteExposed(std::string_view key, uint64_t all_ns, std::optional<uint64_t> hidden_ns) {
    Maybe(key,
          hidden_ns.has_value() ? std::optional<uint64_t>(all_ns - std::min(*hidden_ns, all_ns))
                                : std::nullopt,
          &JsonWriter::Seconds);
  }

  void WriteJob(const JobSummary& job) {
    json_.Key("job");
    json_.BeginObject();
    Text("id", job.id);
    Text("name", job.name);
    Text("command", job.command);
    Text("start_utc", UtcText(job.start_utc_ns));
    Maybe("world_size", job.world_size, &JsonWriter::Int);
    Unsigned("nodes", job.nodes.size());
    json_.Key("node_names");
    json_.BeginArray();
    for (const std::string& node : job.nodes) json_.String(node);
    json_.EndArray();
    Maybe("exit_code", job.exit_code, &JsonWriter::Int);
    Text("version", job.version);
    json_.EndObject();
  }

  void WriteWindow(const WindowSummary& window) {
    Unsigned("number", window.number);
    Text("begin_utc", UtcText(window.begin_utc_ns));
    Text("end_utc", window.end_utc_ns == 0 ? "" : UtcText(window.end_utc_ns));
    Maybe("first_step", window.first_step, &JsonWriter::Uint);
    Maybe("end_step", window.end_step, &JsonWriter::Uint);
    Maybe("cut_step", window.cut_step, &JsonWriter::Uint);
    Unsigned("processes", window.processes);
    Flag("aligned", window.aligned);
  }

  void WriteInstant(const InstantSummary& mark) {
    Text("name", mark.name);
    Text("utc", UtcText(mark.utc_ns));
    Maybe("step", mark.step, &JsonWriter::Uint);
  }

  void WriteRecording(const RecordingSummary& recording) {
    json_.Key("recording");
    json_.BeginObject();
    Flag("paused_at_start", recording.paused_at_start);
    Maybe("share", recording.share, &JsonWriter::Double);
    Unsigned("whole_processes", recording.whole_processes);
    WriteList("windows", recording.windows, &SummaryJson::WriteWindow);
    WriteList("marks", recording.marks, &SummaryJson::WriteInstant);
    WriteBudget(recording.budget);
    json_.EndObject();
  }

  void WriteBudget(const std::optional<BudgetSummary>& budget) {
    json_.Key("budget");
    if (!budget.has_value()) return json_.Null();
    json_.BeginObject();
    Number("max_overhead", budget->budget);
    Maybe("estimate", budget->estimate, &JsonWriter::Double);
    Flag("kept", budget->IsKept());
    Maybe("judged_s", std::optional<uint64_t>(budget->wall_ns), &JsonWriter::Seconds);
    Maybe("judged_pid", budget->pid == 0 ? std::nullopt : std::optional<int>(budget->pid),
          &JsonWriter::Int);
    Maybe("judged_rank", budget->rank, &JsonWriter::Int);
    Maybe("full_s", std::optional<uint64_t>(budget->full_ns), &JsonWriter::Seconds);
    Maybe("sampled_s", std::optional<uint64_t>(budget->sampled_ns), &JsonWriter::Seconds);
    Maybe("paused_s", std::optional<uint64_t>(budget->paused_ns), &JsonWriter::Seconds);
    Unsigned("level_changes", budget->level_changes);
    Unsigned("switches", budget->switches);
    Number("instruction_ns", budget->instruction_ns);
    json_.EndObject();
  }

  void WriteParts(const std::optional<StepParts>& parts) {
    json_.Key("parts");
    if (!parts.has_value()) return json_.Null();
    json_.BeginObject();
    Unsigned("rank_steps", parts->rank_steps);
    Unsigned("device_steps", parts->device_steps);
    json_.Key("wall_s");
    json_.Seconds(parts->wall_ns);
    json_.Key("busy_s");
    json_.Seconds(parts->busy_ns);
    Maybe("exposed_communication_s", parts->exposed_communication_ns, &JsonWriter::Seconds);
    Unsigned("activities", parts->activities);
    Maybe("between_s", parts->between_ns, &JsonWriter::Seconds);
    Duration("between_idle_s", parts->between_idle_ns);
    json_.EndObject();
  }

  void WriteSteps(const StepsSummary& steps) {
    json_.Key("steps");
    json_.BeginObject();
    Unsigned("profiled", steps.profiled);
    Maybe("first", steps.first, &JsonWriter::Uint);
    Maybe("last", steps.last, &JsonWriter::Uint);
    Maybe("wanted_first", steps.wanted_first, &JsonWriter::Uint);
    Maybe("wanted_end", steps.wanted_end, &JsonWriter::Uint);
    Maybe("median_s", steps.median_ns, &JsonWriter::Seconds);
    Maybe("p95_s", steps.p95_ns, &JsonWriter::Seconds);
    WriteParts(steps.parts);
    json_.Key("bound_by");
    if (steps.bound_by.empty()) {
      json_.Null();
    } else {
      json_.String(steps.bound_by);
    }
    Unsigned("left_out", steps.left_out);
    Maybe("first_step_work_ratio", steps.first_step_work_ratio, &JsonWriter::Double);
    Text("first_step_phase", steps.first_step_phase);
    Text("tuning_sign", steps.tuning_sign);
    WriteList("utilisation", steps.utilisation, &SummaryJson::WriteStepUtilisation);
    json_.Key("taken_from");
    if (steps.taken_from.empty()) {
      json_.Null();
    } else {
      json_.String(steps.taken_from);
    }
    Unsigned("measured", steps.measured);
    Unsigned("disturbed", steps.disturbed);
    WriteList("list", steps.list, &SummaryJson::WriteStepLine);
    WriteList("beside", steps.beside, &SummaryJson::WriteStepLine);
    json_.EndObject();
  }

  void WriteCoverage(const Coverage& coverage) {
    json_.Key("coverage");
    json_.BeginObject();
    json_.Key("gpu_time_s");
    if (coverage.times_known) {
      json_.Seconds(coverage.gpu_time_ns);
    } else {
      json_.Null();
    }
    Flag("gpu_time_incomplete", coverage.times_incomplete);
    for (int category = v1::TIME_CATEGORY_EXACT; category <= v1::TIME_CATEGORY_COPY; ++category) {
      json_.Key(CategoryName(category));
      if (coverage.gpu_time_ns == 0) {
        json_.Null();
        continue;
      }
      const auto found = coverage.category_ns.find(category);
      const uint64_t ns = found == coverage.category_ns.end() ? 0 : found->second;
      json_.Double(static_cast<double>(ns) / static_cast<double>(coverage.gpu_time_ns));
    }
    Unsigned("records_lost", coverage.records_lost);
    Unsigned("invalid_timestamps", coverage.invalid_timestamps);
    Unsigned("calls_unmatched", coverage.calls_unmatched);
    json_.Key("graphs");
    json_.BeginArray();
    for (const GraphSummary& graph : coverage.graphs) {
      json_.BeginObject();
      json_.Key("state");
      json_.String(graph.state);
      Unsigned("graphs", graph.graphs);
      Unsigned("replays", graph.replays);
      Unsigned("calls", graph.calls);
      Unsigned("activities", graph.activities);
      json_.Key("gpu_time_s");
      json_.Seconds(graph.gpu_time_ns);
      json_.Key("shared_s");
      json_.Seconds(graph.shared_ns);
      json_.EndObject();
    }
    json_.EndArray();
    json_.Key("reasons");
    json_.BeginArray();
    for (const std::string& reason : coverage.reasons) json_.String(reason);
    json_.EndArray();
    json_.EndObject();
  }

  void WriteTotals(const Totals& totals) {
    json_.Key("totals");
    json_.BeginObject();
    WriteWork(totals.work);
    WriteTypes(totals.flops_by_type);
    json_.Key("gpu_busy_s");
    json_.BeginObject();
    Maybe("total", totals.gpu_busy_ns, &JsonWriter::Seconds);
    json_.EndObject();
    Maybe("idle_s", totals.idle_ns, &JsonWriter::Seconds);
    Maybe("exposed_communication_s", totals.exposed_communication_ns, &JsonWriter::Seconds);
    Maybe("hidden_communication_s", totals.hidden_communication_ns, &JsonWriter::Seconds);
    WriteUtilisation(totals.utilisation);
    json_.EndObject();
  }

  void WriteStepLine(const StepLine& line) {
    Unsigned("step", line.step);
    Unsigned("processes", line.processes);
    json_.Key("complete");
    json_.Bool(line.complete);
    json_.Key("disturbed");
    json_.Bool(line.disturbed);
    std::optional<uint64_t> wall_ns;
    if (line.wall_ns != 0) wall_ns = line.wall_ns;
    Maybe("wall_s", wall_ns, &JsonWriter::Seconds);
    json_.Key("gpu_busy_s");
    json_.Seconds(line.gpu_busy_ns);
    json_.Key("has_unknown");
    json_.Bool(line.has_unknown);
    WriteCounts("flops", line.flops, 1);
  }

  void WriteStepUtilisation(const StepUtilisation& step) {
    Unsigned("step", step.step);
    Maybe("mfu", step.mfu, &JsonWriter::Double);
    Maybe("hfu", step.hfu, &JsonWriter::Double);
  }

  void WriteUtilisation(const Utilisation& utilisation) {
    Maybe("mfu", utilisation.mfu, &JsonWriter::Double);
    Maybe("hfu", utilisation.hfu, &JsonWriter::Double);
    Text("no_mfu_because", utilisation.why);
    Maybe("mfu_counted_share", utilisation.counted_share, &JsonWriter::Double);
  }

  void WriteDevice(const DeviceSummary& device) {
    Unsigned("ordinal", device.ordinal);
    Text("name", device.name);
    Text("uuid", device.uuid);
    json_.Key("peak_flop_per_s");
    if (!device.peaks.has_value()) return json_.Null();
    json_.BeginObject();
    for (const auto& [type, flop_per_s] : device.peaks->ByType()) Number(type, flop_per_s);
    json_.EndObject();
  }

  void WriteRank(const RankSummary& rank) {
    Integer("rank", rank.rank);
    Integer("program", rank.program);
    Maybe("local_rank", rank.local_rank, &JsonWriter::Int);
    Text("node", rank.node);
    Text("host", rank.node);
    Integer("pid", rank.pid);
    Integer("restart", rank.restart);
    Text("state", rank.state);
    Maybe("exit_code", rank.exit_code, &JsonWriter::Int);
    json_.Key("device");
    if (rank.devices.empty()) {
      json_.Null();
    } else {
      json_.BeginObject();
      WriteDevice(rank.devices.front());
      json_.EndObject();
    }
    WriteList("devices", rank.devices, &SummaryJson::WriteDevice);
    WriteWork(rank.work);
    WriteHidden(rank.work);
    WriteTypes(rank.flops_by_type);
    WriteUtilisation(rank.utilisation);
    json_.Key("loss");
    json_.BeginObject();
    for (const auto& [name, count] : rank.loss) Unsigned(name, count);
    json_.EndObject();
    WriteTexts("notes", rank.notes);
    json_.Key("overhead");
    json_.BeginObject();
    WriteOverhead(rank.overhead);
    json_.EndObject();
    WriteLatency(rank.launch_latency);
  }

  void WriteLatency(const std::optional<LaunchLatency>& latency) {
    json_.Key("launch_latency");
    if (!latency.has_value()) return json_.Null();
    const auto known = [&](uint64_t ns) {
      return latency->measured > 0 ? std::optional<uint64_t>(ns) : std::nullopt;
    };
    json_.BeginObject();
    Unsigned("launches", latency->launches);
    Unsigned("measured", latency->measured);
    Unsigned("clock_unsure", latency->clock_unsure);
    Maybe("mean_s", known(latency->sum_ns / std::max<uint64_t>(latency->measured, 1)),
          &JsonWriter::Seconds);
    Maybe("min_s", known(latency->min_ns), &JsonWriter::Seconds);
    Maybe("max_s", known(latency->max_ns), &JsonWriter::Seconds);
    Maybe("error_s", known(latency->error_ns), &JsonWriter::Seconds);
    json_.EndObject();
  }

  // A lower bound of 0 says nothing.
  void WriteOverhead(const Overhead& overhead) {
    const auto count = [&](std::string_view key, uint64_t value) {
      const bool unknown = overhead.incomplete && value == 0;
      Maybe(key, unknown ? std::nullopt : std::optional<uint64_t>(value), &JsonWriter::Uint);
    };
    Flag("incomplete", overhead.incomplete);
    count("hook_calls", overhead.hook_calls);
    count("module_calls", overhead.module_calls);
    count("backward_nodes", overhead.backward_nodes);
    count("launches", overhead.launches);
    count("activities", overhead.activities);
    const auto seconds = [&](std::string_view key, uint64_t ns) {
      const bool unknown = overhead.incomplete && ns == 0;
      Maybe(key, unknown ? std::nullopt : std::optional<uint64_t>(ns), &JsonWriter::Seconds);
    };
    seconds("own_cpu_s", overhead.own_cpu_ns);
    seconds("cupti_overhead_s", overhead.cupti_overhead_ns);
    const bool unknown = overhead.incomplete && overhead.estimated_s == 0;
    Maybe("estimated_s", unknown ? std::nullopt : std::optional<double>(overhead.estimated_s),
          &JsonWriter::Double);
  }

  void WriteProcess(const ProcessSummary& process) {
    Text("node", process.node);
    Integer("pid", process.pid);
    Integer("parent_pid", process.parent_pid);
    Maybe("rank", process.rank, &JsonWriter::Int);
    Text("command", process.command);
    Text("state", process.state);
    Maybe("exit_code", process.exit_code, &JsonWriter::Int);
  }

  // Always there: a run of one program is a list of one.
  void WritePrograms(const Summary& summary) {
    json_.Key("programs");
    json_.BeginArray();
    for (const ProgramSummary& program : summary.programs) {
      WriteProgram(program.number, program.command, program.own);
    }
    if (summary.programs.empty() && !summary.empty) {
      WriteProgram(0, summary.job.command, summary);
    }
    json_.EndArray();
  }

  void WriteProgram(int number, const std::string& command, const Summary& own) {
    json_.BeginObject();
    Integer("number", number);
    Text("command", command);
    json_.Key("ranks");
    json_.BeginArray();
    for (const RankSummary& rank : own.ranks) json_.Int(rank.rank);
    json_.EndArray();
    WriteSteps(own.steps);
    WriteTotals(own.totals);
    WriteList("optimizers", own.optimizers, &SummaryJson::WriteOptimizer);
    json_.EndObject();
  }

  void WriteSizes(const std::optional<ParameterSizes>& sizes) {
    json_.Key("parameters");
    if (!sizes.has_value()) return json_.Null();
    json_.BeginObject();
    Unsigned("own", sizes->own);
    Unsigned("trainable", sizes->trainable);
    Unsigned("local", sizes->local);
    Unsigned("buffers", sizes->buffers);
    Unsigned("experts", sizes->experts);
    Maybe("active", sizes->active == 0 ? std::nullopt : std::optional<uint64_t>(sizes->active),
          &JsonWriter::Uint);
    Unsigned("bytes", sizes->bytes);
    json_.EndObject();
  }

  void WriteModule(const ModuleSummary& module) {
    Text("path", module.path);
    Integer("program", module.program);
    Text("program_path", module.program_path);
    Text("class", module.class_name);
    Unsigned("depth", module.depth);
    Maybe("params", module.params, &JsonWriter::Uint);
    WriteSizes(module.sizes);
    Maybe("calls", module.calls, &JsonWriter::Uint);
    json_.Key("also");
    json_.BeginArray();
    for (const std::string& alias : module.aliases) json_.String(alias);
    json_.EndArray();
    Maybe("on_cpu", OnCpuName(module.on_cpu), &JsonWriter::String);
    Maybe("copy_of", module.copy_of, &JsonWriter::String);
    WriteWork(module.inclusive);
    WriteHidden(module.inclusive);
    json_.Key("ranks");
    json_.BeginObject();
    Maybe("min", module.ranks.min_ns, &JsonWriter::Seconds);
    Maybe("median", module.ranks.median_ns, &JsonWriter::Seconds);
    Maybe("max", module.ranks.max_ns, &JsonWriter::Seconds);
    Maybe("worst_rank", module.ranks.worst_rank, &JsonWriter::Int);
    json_.EndObject();
    json_.Key("self");
    json_.BeginObject();
    WriteWork(module.self);
    WriteHidden(module.self);
    json_.EndObject();
  }

  void WriteOptimizer(const OptimizerSummary& optimizer) {
    Text("name", optimizer.name);
    Unsigned("steps", optimizer.steps);
    Maybe("gpu_time_s", optimizer.gpu_time_ns, &JsonWriter::Seconds);
    json_.Key("flops");
    json_.Count(optimizer.flops);
  }

  void WriteKernel(const KernelSummary& kernel) {
    Text("name", kernel.name);
    Text("kind", kernel.kind);
    Text("category", kernel.category);
    Text("phase", kernel.phase);
    Text("class", kernel.kernel_class);
    Unsigned("in_call", kernel.in_call);
    Unsigned("count", kernel.count);
    const auto known = [&kernel](uint64_t ns) {
      return kernel.max_ns == 0 ? std::nullopt : std::optional<uint64_t>(ns);
    };
    Maybe("gpu_time_s", known(kernel.gpu_time_ns), &JsonWriter::Seconds);
    Maybe("min_s", known(kernel.min_ns), &JsonWriter::Seconds);
    Maybe("max_s", known(kernel.max_ns), &JsonWriter::Seconds);
  }

  void WriteStackFrame(const StackFrameSummary& frame) {
    Text("kind", frame.kind);
    Text("function", frame.function);
    Text("where", frame.where);
  }

  void WriteStack(const StackSummary& stack) {
    Text("path", stack.path);
    Text("kernel", stack.kernel);
    Text("kind", stack.kind);
    Text("category", stack.category);
    Text("phase", stack.phase);
    Unsigned("samples", stack.samples);
    Unsigned("launches", stack.launches);
    Maybe("gpu_time_s",
          stack.gpu_time_ns == 0 ? std::nullopt : std::optional<uint64_t>(stack.gpu_time_ns),
          &JsonWriter::Seconds);
    WriteList("frames", stack.frames, &SummaryJson::WriteStackFrame);
  }

  void WriteCollective(const CollectiveSummary& collective) {
    Text("api", collective.api);
    Text("detail", collective.detail);
    Text("phase", collective.phase);
    Unsigned("calls", collective.calls);
    Unsigned("bytes", collective.bytes);
    Duration("gpu_time_s", collective.gpu_time_ns);
    Text("module", collective.module);
    Text("ranks", collective.ranks);
    Unsigned("matched_calls", collective.matched_calls);
    const auto known = [&collective](uint64_t ns) {
      return collective.matched_calls == 0 ? std::nullopt : std::optional<uint64_t>(ns);
    };
    Maybe("wait_s", known(collective.wait_ns), &JsonWriter::Seconds);
    Maybe("transfer_s", known(collective.matched_time_ns - collective.wait_ns),
          &JsonWriter::Seconds);
    WriteExposed("exposed_s", collective.gpu_time_ns, collective.known_hidden_ns());
    Maybe("hidden_s", collective.known_hidden_ns(), &JsonWriter::Seconds);
  }

  void WriteNumbers(const NumbersSummary& numbers) {
    json_.Key("numbers");
    if (numbers.sum.empty()) return json_.Null();
    json_.BeginObject();
    json_.Key("sum");
    json_.Decimal(numbers.sum);
    json_.Key("min");
    json_.Decimal(numbers.min);
    json_.Key("max");
    json_.Decimal(numbers.max);
    json_.Key("last");
    json_.Decimal(numbers.last);
    json_.EndObject();
  }

  void WriteRange(const RangeSummary& range) {
    Text("module", range.module);
    Text("range", range.range);
    Text("domain", range.domain);
    Unsigned("category", range.category);
    Text("category_name", range.category_name);
    Unsigned("entries", range.entries);
    WriteNumbers(range.numbers);
  }

  void WriteMark(const MarkSummary& mark) {
    Text("name", mark.name);
    Text("module", mark.module);
    Text("range", mark.range);
    Text("domain", mark.domain);
    Unsigned("category", mark.category);
    Text("category_name", mark.category_name);
    Unsigned("count", mark.count);
    Unsigned("in_steps", mark.in_steps);
    Maybe("first_step", mark.first_step, &JsonWriter::Uint);
    Maybe("last_step", mark.last_step, &JsonWriter::Uint);
    WriteNumbers(mark.numbers);
  }

  void WriteFinding(const Finding& finding) {
    Text("kind", NameOf(finding.kind));
    Text("severity", finding.severity);
    Text("text", finding.text);
    Text("evidence", finding.evidence);
    Text("next", finding.next);
    Text("gain", finding.gain);
    Maybe("gain_ratio", finding.gain_ratio, &JsonWriter::Double);
  }

  JsonWriter json_;
};

}  // namespace

std::string ToJson(const Summary& summary) { return SummaryJson().Write(summary); }

}  // namespace flopsprof::model
