// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/row_setters.h"

#include <unordered_map>

namespace flopsprof::store {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

template <typename Row, typename Value>
Value ValueOf(void (Row::*)(Value));

template <typename Row, auto kSet>
RowSetter IntSetter() {
  return {[](Message* row, int64_t value) {
            (static_cast<Row*>(row)->*kSet)(static_cast<decltype(ValueOf(kSet))>(value));
          },
          nullptr, nullptr};
}

template <typename Row, auto kMutable>
RowSetter TextSetter() {
  return {nullptr, [](Message* row) { return (static_cast<Row*>(row)->*kMutable)(); }, nullptr};
}

template <typename Row, auto kMutable>
RowSetter CountSetter() {
  return {nullptr, nullptr, [](Message* row) { return (static_cast<Row*>(row)->*kMutable)(); }};
}

using Setters = std::unordered_map<const FieldDescriptor*, RowSetter>;

#define FIELD(row, name) v1::row::descriptor()->FindFieldByName(#name)
#define INT(row, name) \
  { FIELD(row, name), IntSetter<v1::row, &v1::row::set_##name>() }
#define TEXT(row, name) \
  { FIELD(row, name), TextSetter<v1::row, &v1::row::mutable_##name>() }
#define COUNT(row, name) \
  { FIELD(row, name), CountSetter<v1::row, &v1::row::mutable_##name>() }

// Of the rows that a process has many of. A field that is not here is set by reflection.
const Setters& AllSetters() {
  static const auto* const kSetters = new Setters{
      INT(Scope, id),
      INT(Scope, parent),
      INT(Scope, kind),
      TEXT(Scope, name),
      TEXT(Scope, class_name),
      TEXT(Scope, domain),
      INT(Scope, object),
      INT(Scope, known),
      INT(Module, root_scope),
      TEXT(Module, path),
      TEXT(Module, class_name),
      INT(Module, object),
      INT(Module, order),
      INT(Module, own_params),
      INT(Module, total_params),
      INT(Module, trainable_params),
      INT(ModuleSizes, root_scope),
      TEXT(ModuleSizes, path),
      INT(ModuleSizes, local_params),
      INT(ModuleSizes, buffers),
      INT(ModuleSizes, expert_params),
      INT(ModuleSizes, active_params),
      INT(ModuleSizes, param_bytes),
      INT(ModuleWeights, root_scope),
      TEXT(ModuleWeights, path),
      TEXT(ModuleWeights, weights),
      INT(CallRow, scope),
      INT(CallRow, phase),
      INT(CallRow, kind),
      TEXT(CallRow, api),
      TEXT(CallRow, shape),
      TEXT(CallRow, compute_type),
      INT(CallRow, captured),
      INT(CallRow, in_step),
      INT(CallRow, calls),
      COUNT(CallRow, flops),
      INT(CallRow, flops_known),
      INT(CallRow, bytes),
      INT(CallRow, kernels),
      INT(CallRow, gpu_time_ns),
      INT(CallRow, min_gpu_time_ns),
      INT(CallRow, max_gpu_time_ns),
      TEXT(CallRow, detail),
      INT(TimeRow, scope),
      INT(TimeRow, phase),
      INT(TimeRow, category),
      INT(TimeRow, in_step),
      INT(TimeRow, activities),
      INT(TimeRow, gpu_time_ns),
      TEXT(KernelRow, name),
      INT(KernelRow, category),
      INT(KernelRow, phase),
      INT(KernelRow, count),
      INT(KernelRow, gpu_time_ns),
      INT(KernelRow, min_ns),
      INT(KernelRow, max_ns),
      TEXT(KernelRow, kind),
      INT(ScopeCallRow, scope),
      INT(ScopeCallRow, phase),
      INT(ScopeCallRow, calls),
      INT(StepRow, step),
      INT(StepRow, begin_mono_ns),
      INT(StepRow, end_mono_ns),
      INT(StepRow, gpu_busy_ns),
      INT(StepRow, exposed_communication_ns),
      INT(StepRow, activities),
      INT(StepRow, complete),
      INT(StackRow, stack),
      INT(StackRow, scope),
      INT(StackRow, phase),
      TEXT(StackRow, kernel),
      TEXT(StackRow, kind),
      INT(StackRow, category),
      INT(StackRow, samples),
      INT(StackRow, launches),
      INT(StackRow, gpu_time_ns),
      INT(CollectiveRow, scope),
      INT(CollectiveRow, phase),
      TEXT(CollectiveRow, api),
      TEXT(CollectiveRow, shape),
      INT(CollectiveRow, captured),
      INT(CollectiveRow, in_step),
      INT(CollectiveRow, group),
      INT(CollectiveRow, rank_count),
      INT(CollectiveRow, calls),
      INT(CollectiveRow, matched_calls),
      INT(CollectiveRow, matched_time_ns),
      INT(CollectiveRow, wait_ns),
      INT(StepLabelRow, step),
      INT(StepLabelRow, revision),
      INT(StepLabelRow, number),
      INT(StepLabelRow, optimizer_steps),
      INT(StepLabelRow, disturbed),
      INT(StepLabelRow, optimizer_end_mono_ns),
      INT(StepLabelRow, beside_mono_ns),
      INT(StepLabelRow, cut),
      INT(StepLabelRow, helped),
      INT(ScopeKernelRow, scope),
      INT(ScopeKernelRow, phase),
      INT(ScopeKernelRow, api),
      INT(ScopeKernelRow, name),
      TEXT(ScopeKernelRow, kind),
      INT(ScopeKernelRow, category),
      INT(ScopeKernelRow, in_step),
      INT(ScopeKernelRow, count),
      INT(ScopeKernelRow, gpu_time_ns),
      INT(ScopeKernelRow, first_step),
      INT(ScopeKernelRow, last_step),
      INT(CallGradient, scope),
      INT(CallGradient, phase),
      INT(CallGradient, kind),
      TEXT(CallGradient, api),
      TEXT(CallGradient, shape),
      TEXT(CallGradient, compute_type),
      INT(CallGradient, captured),
      INT(CallGradient, in_step),
      INT(CallGradient, gradient),
      INT(CommunicationRow, scope),
      INT(CommunicationRow, phase),
      TEXT(CommunicationRow, api),
      TEXT(CommunicationRow, shape),
      INT(CommunicationRow, in_step),
      INT(CommunicationRow, compared_ns),
      INT(CommunicationRow, hidden_ns),
  };
  return *kSetters;
}

}  // namespace

const RowSetter* FindRowSetter(const FieldDescriptor* field) {
  const auto found = AllSetters().find(field);
  return found == AllSetters().end() ? nullptr : &found->second;
}

}  // namespace flopsprof::store
