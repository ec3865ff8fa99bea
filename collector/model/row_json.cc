// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/row_json.h"

#include "collector/model/work_json.h"

namespace flopsprof::model {
namespace {

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

void WriteSizes(const std::optional<ParameterSizes>& sizes, JsonFields* json) {
  json->Key("parameters");
  if (!sizes.has_value()) return json->Null();
  json->BeginObject();
  json->Unsigned("own", sizes->own);
  json->Unsigned("trainable", sizes->trainable);
  json->Unsigned("local", sizes->local);
  json->Unsigned("buffers", sizes->buffers);
  json->Unsigned("experts", sizes->experts);
  json->Maybe("active", sizes->active == 0 ? std::nullopt : std::optional<uint64_t>(sizes->active),
              &JsonWriter::Uint);
  json->Unsigned("bytes", sizes->bytes);
  json->EndObject();
}

void WriteStackFrame(const StackFrameSummary& frame, JsonFields* json) {
  json->Text("kind", frame.kind);
  json->Text("function", frame.function);
  json->Text("where", frame.where);
}

void WriteNumbers(const NumbersSummary& numbers, JsonFields* json) {
  json->Key("numbers");
  if (numbers.sum.empty()) return json->Null();
  json->BeginObject();
  json->Key("sum");
  json->Decimal(numbers.sum);
  json->Key("min");
  json->Decimal(numbers.min);
  json->Key("max");
  json->Decimal(numbers.max);
  json->Key("last");
  json->Decimal(numbers.last);
  json->EndObject();
}

}  // namespace

void WriteModule(const ModuleSummary& module, JsonFields* json) {
  json->Text("path", module.path);
  json->Integer("program", module.program);
  json->Text("program_path", module.program_path);
  json->Text("class", module.class_name);
  json->Unsigned("depth", module.depth);
  json->Maybe("params", module.params, &JsonWriter::Uint);
  WriteSizes(module.sizes, json);
  json->Maybe("calls", module.calls, &JsonWriter::Uint);
  json->Strings("also", module.aliases);
  json->Maybe("on_cpu", OnCpuName(module.on_cpu), &JsonWriter::String);
  json->Maybe("copy_of", module.copy_of, &JsonWriter::String);
  WriteWork(module.inclusive, json);
  WriteHidden(module.inclusive, json);
  json->Key("ranks");
  json->BeginObject();
  json->Maybe("min", module.ranks.min_ns, &JsonWriter::Seconds);
  json->Maybe("median", module.ranks.median_ns, &JsonWriter::Seconds);
  json->Maybe("max", module.ranks.max_ns, &JsonWriter::Seconds);
  json->Maybe("worst_rank", module.ranks.worst_rank, &JsonWriter::Int);
  json->EndObject();
  json->Key("self");
  json->BeginObject();
  WriteWork(module.self, json);
  WriteHidden(module.self, json);
  json->EndObject();
}

void WriteKernel(const KernelSummary& kernel, JsonFields* json) {
  json->Text("name", kernel.name);
  json->Text("kind", kernel.kind);
  json->Text("category", kernel.category);
  json->Text("phase", kernel.phase);
  json->Text("class", kernel.kernel_class);
  json->Unsigned("in_call", kernel.in_call);
  json->Unsigned("count", kernel.count);
  const auto known = [&kernel](uint64_t ns) {
    return kernel.max_ns == 0 ? std::nullopt : std::optional<uint64_t>(ns);
  };
  json->Maybe("gpu_time_s", known(kernel.gpu_time_ns), &JsonWriter::Seconds);
  json->Maybe("min_s", known(kernel.min_ns), &JsonWriter::Seconds);
  json->Maybe("max_s", known(kernel.max_ns), &JsonWriter::Seconds);
}

void WriteStack(const StackSummary& stack, JsonFields* json) {
  json->Text("path", stack.path);
  json->Text("kernel", stack.kernel);
  json->Text("kind", stack.kind);
  json->Text("category", stack.category);
  json->Text("phase", stack.phase);
  json->Unsigned("samples", stack.samples);
  json->Unsigned("launches", stack.launches);
  json->Maybe("gpu_time_s",
              stack.gpu_time_ns == 0 ? std::nullopt : std::optional<uint64_t>(stack.gpu_time_ns),
              &JsonWriter::Seconds);
  json->List("frames", stack.frames, WriteStackFrame);
}

void WriteCollective(const CollectiveSummary& collective, JsonFields* json) {
  json->Text("api", collective.api);
  json->Text("detail", collective.detail);
  json->Text("phase", collective.phase);
  json->Unsigned("calls", collective.calls);
  json->Unsigned("bytes", collective.bytes);
  json->Duration("gpu_time_s", collective.gpu_time_ns);
  json->Text("module", collective.module);
  json->Text("ranks", collective.ranks);
  json->Unsigned("matched_calls", collective.matched_calls);
  const auto known = [&collective](uint64_t ns) {
    return collective.matched_calls == 0 ? std::nullopt : std::optional<uint64_t>(ns);
  };
  json->Maybe("wait_s", known(collective.wait_ns), &JsonWriter::Seconds);
  json->Maybe("transfer_s", known(collective.matched_time_ns - collective.wait_ns),
              &JsonWriter::Seconds);
  WriteExposed("exposed_s", collective.gpu_time_ns, collective.known_hidden_ns(), json);
  json->Maybe("hidden_s", collective.known_hidden_ns(), &JsonWriter::Seconds);
}

void WriteRange(const RangeSummary& range, JsonFields* json) {
  json->Text("module", range.module);
  json->Text("range", range.range);
  json->Text("domain", range.domain);
  json->Unsigned("category", range.category);
  json->Text("category_name", range.category_name);
  json->Unsigned("entries", range.entries);
  WriteNumbers(range.numbers, json);
}

void WriteMark(const MarkSummary& mark, JsonFields* json) {
  json->Text("name", mark.name);
  json->Text("module", mark.module);
  json->Text("range", mark.range);
  json->Text("domain", mark.domain);
  json->Unsigned("category", mark.category);
  json->Text("category_name", mark.category_name);
  json->Unsigned("count", mark.count);
  json->Unsigned("in_steps", mark.in_steps);
  json->Maybe("first_step", mark.first_step, &JsonWriter::Uint);
  json->Maybe("last_step", mark.last_step, &JsonWriter::Uint);
  WriteNumbers(mark.numbers, json);
}

void WriteOptimizer(const OptimizerSummary& optimizer, JsonFields* json) {
  json->Text("name", optimizer.name);
  json->Unsigned("steps", optimizer.steps);
  json->Maybe("gpu_time_s", optimizer.gpu_time_ns, &JsonWriter::Seconds);
  json->Flops("flops", optimizer.flops);
}

void WriteFinding(const Finding& finding, JsonFields* json) {
  json->Text("kind", NameOf(finding.kind));
  json->Text("severity", finding.severity);
  json->Text("text", finding.text);
  json->Text("evidence", finding.evidence);
  json->Text("next", finding.next);
  json->Text("gain", finding.gain);
  json->Maybe("gain_ratio", finding.gain_ratio, &JsonWriter::Double);
}

}  // namespace flopsprof::model
