// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/thin_profile.h"

#include <cstdint>
#include <set>
#include <utility>

#include "collector/model/flops/flop_count.h"
#include "collector/model/tally.h"

namespace flopsprof::model {
namespace {

// Flops of the backward and of the rest, each a row; one without anything where calls were made
// that are no products.
void SumCalls(v1::ProcessProfile* process) {
  if (process->calls().empty()) return;
  FlopCount sums[2] = {0, 0};
  for (const v1::CallRow& row : process->calls()) {
    if (!IsExecutedProduct(row)) continue;
    sums[row.phase() == v1::PHASE_BACKWARD ? 1 : 0] += ToFlopCount(row.flops());
  }
  process->clear_calls();
  for (const bool backward : {false, true}) {
    v1::CallRow& row = *process->add_calls();
    row.set_kind(v1::CALL_KIND_GEMM);
    row.set_phase(backward ? v1::PHASE_BACKWARD : v1::PHASE_FORWARD);
    ToProto(sums[backward ? 1 : 0], row.mutable_flops());
  }
}

// One that says whether any time came.
void KeepOneTime(v1::ProcessProfile* process) {
  if (process->times().empty()) return;
  v1::TimeRow kept = process->times(0);
  for (const v1::TimeRow& row : process->times()) {
    if (kept.activities() == 0) kept = row;
  }
  process->clear_times();
  *process->add_times() = std::move(kept);
}

void KeepRoots(v1::ProcessProfile* process) {
  std::set<uint32_t> modules;
  for (const v1::Scope& scope : process->scopes()) {
    if (scope.kind() == v1::SCOPE_KIND_MODULE) modules.insert(scope.id());
  }
  google::protobuf::RepeatedPtrField<v1::Scope> roots;
  for (v1::Scope& scope : *process->mutable_scopes()) {
    if (modules.count(scope.id()) == 0 || modules.count(scope.parent()) != 0) continue;
    *roots.Add() = std::move(scope);
  }
  process->mutable_scopes()->Swap(&roots);
  google::protobuf::RepeatedPtrField<v1::Module> described;
  for (v1::Module& module : *process->mutable_modules()) {
    if (module.path().empty()) *described.Add() = std::move(module);
  }
  process->mutable_modules()->Swap(&described);
}

void KeepGroups(v1::ProcessProfile* process) {
  std::set<std::pair<uint64_t, int32_t>> groups;
  for (const v1::CollectiveRow& row : process->collectives()) {
    groups.insert({row.group(), row.rank_count()});
  }
  process->clear_collectives();
  for (const auto& [group, rank_count] : groups) {
    v1::CollectiveRow& row = *process->add_collectives();
    row.set_group(group);
    row.set_rank_count(rank_count);
  }
}

}  // namespace

void MakeThin(v1::ProcessProfile* process) {
  SumCalls(process);
  KeepOneTime(process);
  KeepRoots(process);
  KeepGroups(process);
  process->clear_module_sizes();
  process->clear_module_weights();
  process->clear_module_aliases();
  process->clear_scope_calls();
  process->clear_kernels();
  process->clear_kernel_owners();
  process->clear_communications();
  process->clear_stacks();
  process->clear_stack_rows();
  process->clear_range_rows();
  process->clear_marks();
  process->clear_strings();
  process->clear_scope_kernels();
  process->clear_call_gradients();
  // What was cleared keeps its memory.
  v1::ProcessProfile thin(*process);
  process->Swap(&thin);
}

bool HasOneModel(const v1::ProcessProfile& thin) { return thin.scopes_size() == 1; }

}  // namespace flopsprof::model
