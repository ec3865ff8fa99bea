// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/work.h"

#include <algorithm>

namespace flopsprof::model {
namespace {

bool RanBackward(const v1::ProcessProfile& process) {
  if (process.info().backward_nodes() > 0) return true;
  for (const v1::CallRow& row : process.calls()) {
    if (row.phase() == v1::PHASE_BACKWARD) return true;
  }
  return false;
}

// Without CUPTI, or where its records were lost, kernels run unseen wherever the program was.
void MarkPhases(const v1::ProcessProfile& process, void (Tally::*mark)(int),
                std::unordered_map<uint32_t, Tally>* tallies) {
  const bool backward = RanBackward(process);
  Tally& outside = (*tallies)[0];
  (outside.*mark)(v1::PHASE_OTHER);
  // Where an optimizer's steps were seen, its work is in their scopes.
  const bool steps =
      std::any_of(process.scope_calls().begin(), process.scope_calls().end(),
                  [](const v1::ScopeCallRow& row) { return row.phase() == v1::PHASE_OPTIMIZER; });
  if (backward && !steps) (outside.*mark)(v1::PHASE_OPTIMIZER);
  for (const v1::ScopeCallRow& row : process.scope_calls()) {
    if (row.calls() == 0) continue;
    Tally& tally = (*tallies)[row.scope()];
    (tally.*mark)(PhaseIndex(row.phase()));
    if (backward && row.phase() == v1::PHASE_FORWARD) (tally.*mark)(v1::PHASE_BACKWARD);
  }
  for (const v1::CallRow& row : process.calls()) {
    if (IsExecutedProduct(row)) ((*tallies)[row.scope()].*mark)(PhaseIndex(row.phase()));
  }
}

Provenance ProvenanceOf(const Tally& tally) {
  const bool counted = tally.any_exact() || tally.any_modelled();
  if (!counted) return tally.any_unknown() ? Provenance::kUnknown : Provenance::kExact;
  if (tally.any_unknown() || (tally.any_exact() && tally.any_modelled())) return Provenance::kMixed;
  return tally.any_exact() ? Provenance::kExact : Provenance::kModelled;
}

}  // namespace

bool HasTimes(const v1::ProcessProfile& process) {
  for (const v1::TimeRow& row : process.times()) {
    if (row.activities() > 0) return true;
  }
  return false;
}

bool MayHaveUnseenKernels(const v1::ProcessProfile& process) {
  if (!HasTimes(process)) return true;
  for (const char* counter : {"cupti_taken", "cupti_yielded", "cupti_unusable"}) {
    const auto found = process.loss().find(counter);
    if (found != process.loss().end() && found->second > 0) return true;
  }
  return false;
}

bool LacksTimes(const v1::ProcessProfile& process) {
  return process.info().launches_without_activity() > 0;
}

std::unordered_map<uint32_t, Tally> TallyScopes(const v1::RunInfo& run,
                                                const v1::ProcessProfile& process,
                                                const std::vector<Gradient>& gradients) {
  std::unordered_map<uint32_t, Tally> tallies;
  for (int i = 0; i < process.calls_size(); ++i) {
    const v1::CallRow& row = process.calls(i);
    if (!InWindow(run, row)) continue;
    tallies[row.scope()].AddCall(row, gradients[static_cast<size_t>(i)]);
  }
  for (const v1::TimeRow& row : process.times()) {
    if (InWindow(run, row)) tallies[row.scope()].AddTime(row);
  }
  for (const v1::CommunicationRow& row : process.communications()) {
    if (InWindow(run, row)) tallies[row.scope()].AddCommunication(row);
  }
  if (MayHaveUnseenKernels(process)) MarkPhases(process, &Tally::MarkUnseen, &tallies);
  if (LacksTimes(process)) MarkPhases(process, &Tally::MarkTimesLost, &tallies);
  return tallies;
}

Work ToWork(const Tally& tally) {
  Work work;
  work.flops = tally.flop_counts();
  work.flops_modelled = tally.modelled_flop_counts();
  work.gpu_time_ns = tally.gpu_time_ns();
  work.time_incomplete = tally.time_incomplete();
  work.unknown_gpu_time_ns = tally.unknown_gpu_time_ns();
  work.communication_ns = tally.communication_ns();
  work.gradients = tally.gradients();
  work.hidden_communication_ns = tally.hidden_communication_ns();
  work.provenance = ProvenanceOf(tally);
  const uint64_t time_ns = tally.measured_gpu_time_ns();
  const FlopCount flops = tally.counted_flops();
  // A rate needs flops and time of the same work.
  const bool all_timed = std::none_of(work.time_incomplete.begin(), work.time_incomplete.end(),
                                      [](bool b) { return b; });
  if (flops != 0 && time_ns != 0 && all_timed) {
    work.flop_per_s = static_cast<double>(flops) / (static_cast<double>(time_ns) * 1e-9);
  }
  return work;
}

void AddFlopsByType(const v1::RunInfo& run, const v1::ProcessProfile& process, bool steps_only,
                    bool all_phases, std::map<std::string, FlopCount>* by_type) {
  for (const v1::CallRow& row : process.calls()) {
    if (!IsExecutedProduct(row) || !row.flops_known() || !InWindow(run, row)) continue;
    if (steps_only && !row.in_step()) continue;
    if (!all_phases && !IsModelWork(row.phase())) continue;
    const FlopCount flops = ToFlopCount(row.flops());
    if (flops == 0) continue;
    (*by_type)[row.compute_type().empty() ? "unknown" : row.compute_type()] += flops;
  }
}

}  // namespace flopsprof::model
