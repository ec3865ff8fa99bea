// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/schema.h"

#include <absl/strings/str_cat.h>
#include <google/protobuf/descriptor.h>

#include <initializer_list>
#include <map>
#include <utility>

#include "flopsprof/v1/profile.pb.h"
#include "proto/flopsprof/block_tables.h"

namespace flopsprof::store {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

struct Named {
  Rule rule;
  std::vector<const char*> fields;
  const char* by = "";
};

RowTable Make(const char* name, const FieldDescriptor* rows, const Descriptor* type,
              const std::vector<Named>& rules) {
  std::map<int, ColumnRule> columns;  // by place in the message
  for (const Named& named : rules) {
    for (const char* field : named.fields) {
      const FieldDescriptor* found = type->FindFieldByName(field);
      columns.emplace(found->index(), ColumnRule{found, named.rule, named.by});
    }
  }
  RowTable table{name, rows, type, {}, "", false};
  for (auto& [index, column] : columns) table.columns.push_back(std::move(column));
  table.merge_sql = MergeSql(table);
  table.is_live = rows != nullptr &&
                  FindBlockTable(static_cast<uint32_t>(rows->number())) < kBlockTables.size();
  return table;
}

RowTable Table(const char* name, const std::vector<Named>& rules) {
  const FieldDescriptor* rows = v1::ProcessProfile::descriptor()->FindFieldByName(name);
  return Make(name, rows, rows->message_type(), rules);
}

}  // namespace

std::string SchemaSql() {
  return absl::StrCat(TablesSql(), ViewsSql(), "PRAGMA user_version=", kSchemaVersion, ";");
}

std::vector<const FieldDescriptor*> RowTable::fields() const {
  std::vector<const FieldDescriptor*> fields;
  for (const ColumnRule& column : columns) fields.push_back(column.field);
  return fields;
}

// The one place that says how rows are merged. README.md has the same as a table.
const std::vector<RowTable>& RowTables() {
  using enum Rule;
  static const auto* const kTables = new std::vector<RowTable>{
      // Definitions: whoever sends one, sends all of it.
      Table(
          "devices",
          {{kKey, {"ordinal"}},
           {kNewest, {"name", "uuid", "major", "minor", "sm_count", "clock_khz", "memory_bytes"}}}),
      Table("scopes",
            {{kKey, {"id"}},
             {kNewest, {"parent", "kind", "name", "class_name", "domain", "object", "known"}}}),
      Table("modules", {{kKey, {"root_scope", "path"}},
                        {kNewest,
                         {"class_name", "object", "order", "own_params", "total_params",
                          "trainable_params"}}}),
      Table("module_sizes",
            {{kKey, {"root_scope", "path"}},
             {kNewest,
              {"local_params", "buffers", "expert_params", "active_params", "param_bytes"}}}),
      Table("module_aliases", {{kKey, {"root_scope", "alias"}}, {kNewest, {"path"}}}),
      Table("module_weights", {{kKey, {"root_scope", "path"}}, {kNewest, {"weights"}}}),
      Table("stacks", {{kKey, {"id"}}, {kNewest, {"frames"}}}),
      Table("instants", {{kKey, {"mono_ns", "name"}}, {kNewest, {"utc_ns", "step"}}}),
      Table("call_gradients",
            {{kKey,
              {"scope", "phase", "kind", "api", "shape", "compute_type", "captured", "in_step"}},
             {kNewest, {"gradient"}}}),
      // Sums.
      Table("calls", {{kKey,
                       {"scope", "phase", "kind", "api", "shape", "compute_type", "captured",
                        "in_step", "flops_known", "detail"}},
                      {kSum, {"calls", "flops", "bytes", "kernels", "gpu_time_ns"}},
                      {kMin, {"min_gpu_time_ns"}},
                      {kMax, {"max_gpu_time_ns"}}}),
      Table("times", {{kKey, {"scope", "phase", "category", "in_step"}},
                      {kSum, {"activities", "gpu_time_ns"}}}),
      Table("kernels", {{kKey, {"name", "category", "phase", "kind"}},
                        {kSum, {"count", "gpu_time_ns"}},
                        {kMin, {"min_ns"}},
                        {kMax, {"max_ns"}}}),
      Table("kernel_owners", {{kKey, {"name", "category", "phase"}}, {kSum, {"in_call"}}}),
      Table("scope_calls", {{kKey, {"scope", "phase"}}, {kSum, {"calls"}}}),
      Table("steps", {{kKey, {"step"}},
                      {kMin, {"begin_mono_ns"}},
                      {kMax, {"end_mono_ns"}},
                      {kSum, {"gpu_busy_ns", "not_communication_ns", "activities"}},
                      {kBeginAndEnd, {"complete"}}}),
      Table("step_facts", {{kKey, {"step"}}, {kOr, {"has_unknown", "exposed_unknown"}}}),
      Table("step_labels", {{kKey, {"step"}},
                            {kByRevision, {"number"}, "revision"},
                            {kSum, {"optimizer_steps"}},
                            {kOr, {"disturbed", "cut", "helped"}},
                            {kMax, {"revision", "optimizer_end_mono_ns", "beside_mono_ns"}}}),
      Table("device_times", {{kKey, {"device"}},
                             {kSum, {"busy_ns", "not_communication_ns"}},
                             {kMin, {"first_gpu_ns"}},
                             {kMax, {"last_gpu_ns"}}}),
      Table("graphs",
            {{kKey, {"state"}},
             {kSum, {"graphs", "replays", "calls", "activities", "gpu_time_ns", "shared_ns"}}}),
      Table("stack_rows", {{kKey, {"stack", "scope", "phase", "kernel", "kind", "category"}},
                           {kSum, {"samples", "launches", "gpu_time_ns"}}}),
      Table(
          "collectives",
          {{kKey, {"scope", "phase", "api", "shape", "captured", "in_step", "group", "rank_count"}},
           {kSum, {"calls", "matched_calls", "matched_time_ns", "wait_ns"}}}),
      Table("communications", {{kKey, {"scope", "phase", "api", "shape", "in_step"}},
                               {kSum, {"compared_ns", "hidden_ns"}}}),
      Table("range_rows", {{kKey, {"scope", "category", "payload_type"}},
                           {kNewestText, {"category_name", "last"}},
                           {kSum, {"entries"}},
                           {kNumberSum, {"sum"}, "payload_type"},
                           {kNumberMin, {"min"}, "payload_type"},
                           {kNumberMax, {"max"}, "payload_type"}}),
      Table("marks", {{kKey, {"scope", "domain", "name", "category", "payload_type", "loop"}},
                      {kNewestText, {"category_name", "last"}},
                      {kSum, {"count", "in_steps"}},
                      {kMin, {"first_step"}, "in_steps"},
                      {kMax, {"last_step"}},
                      {kNumberSum, {"sum"}, "payload_type"},
                      {kNumberMin, {"min"}, "payload_type"},
                      {kNumberMax, {"max"}, "payload_type"}}),
      Table("scope_kernels",
            {{kKey, {"scope", "phase", "api", "name", "kind", "category", "in_step", "loop"}},
             {kSum, {"count", "gpu_time_ns"}},
             {kMin, {"first_step"}, "count"},
             {kMax, {"last_step"}}}),
      Table("windows",
            {{kKey, {"begin_mono_ns"}},
             {kNewest,
              {"begin_utc_ns", "end_utc_ns", "first_step", "end_step", "process_begin_mono_ns"}},
             {kMax, {"end_mono_ns", "process_until_mono_ns"}}}),
      Table("history", {{kKey, {"begin_utc_ns", "width_ns", "phase"}},
                        {kSum,
                         {"calls", "unknown_calls", "flops", "activities", "gpu_time_ns",
                          "unknown_gpu_time_ns", "communication_ns"}}}),
      Table("device_history", {{kKey, {"begin_utc_ns", "width_ns", "device"}},
                               {kSum, {"busy_ns", "not_communication_ns"}}}),
      Table("process_lives", {{kMax, {"until_utc_ns"}}, {kNewest, {"ancestor_pid"}}}),
      Table("costs", {{kNewest, {"budget_ppm", "instruction_ps"}},
                      {kSum,
                       {"wall_ns", "cost_ns", "full_ns", "sampled_ns", "paused_ns", "level_changes",
                        "switches", "recorded_ns"}}}),
      Table("epochs",
            {{kKey, {"epoch"}},
             {kNewest,
              {"session", "begin_mono_ns", "begin_utc_ns", "boot", "rank", "world_size", "restart",
               "job"}},
             {kMax,
              {"until_mono_ns", "calls_made", "calls_unwritten", "calls_before", "launches_made",
               "launches_unwritten", "activities_made", "activities_unwritten"}},
             {kSum, {"calls_taken", "launches_taken", "activities_taken"}},
             {kOr, {"final"}}}),
      Table("epoch_devices", {{kKey, {"epoch", "ordinal"}}, {kNewestText, {"uuid"}}}),
      Table("launch_latencies", {{kSum, {"launches", "measured", "sum_ns", "clock_unsure"}},
                                 {kMin, {"min_ns"}, "measured"},
                                 {kMax, {"max_ns", "error_ns"}}}),
  };
  return *kTables;
}

const std::vector<const RowTable*>& LiveTables() {
  static const auto* const kTables = [] {
    auto* tables = new std::vector<const RowTable*>;
    for (const BlockTable& layout : kBlockTables) {
      for (const RowTable& table : RowTables()) {
        if (table.rows->number() == static_cast<int>(layout.rows)) tables->push_back(&table);
      }
    }
    return tables;
  }();
  return *kTables;
}

const RowTable& InfoTable() {
  using enum Rule;
  static const auto* const kTable = new RowTable(Make(
      "process_infos", nullptr, v1::ProcessInfo::descriptor(),
      {{kNewest,
        {"rank", "local_rank", "world_size", "node_rank", "restart", "identity_source", "command",
         "start_utc_ns", "parent_pid"}},
       // An agent that goes says that the process is lost to it; the next one may have spoken
       // before.
       {kByRevision, {"state", "exit_code_known", "exit_code", "exit_signal"}, "session"},
       {kOr, {"simulated", "used_gpu"}},
       {kMax,
        {"hook_calls", "module_calls", "backward_nodes", "launches", "activities", "own_cpu_ns",
         "cupti_overhead_ns", "session"}},
       {kSum, {"launches_without_activity", "activities_without_launch", "malformed_records"}}}));
  return *kTable;
}

std::vector<std::string> ColumnsOf(const std::vector<const FieldDescriptor*>& fields) {
  std::vector<std::string> columns;
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      columns.push_back(field->name() + "_high");
      columns.push_back(field->name() + "_low");
    } else {
      columns.push_back(field->name());
    }
  }
  return columns;
}

}  // namespace flopsprof::store
