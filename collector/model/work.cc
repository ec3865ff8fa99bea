// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/work.h"

#include <vector>

#include "collector/model/gradients.h"

namespace flopsprof::model {
namespace {

bool RanBackward(const v1::ProcessProfile& process) {
  if (process.info().backward_nodes() > 0) return true;
  for (const v1::CallRow& row : process.calls()) {
    if (row.phase() == v1::PHASE_BACKWARD) return true;
  }
  return false;
}

// Without CUPTI kernels run unseen wherever the program was.
void MarkUnseenPhases(const v1::ProcessProfile& process,
                      std::unordered_map<uint32_t, Tally>* tallies) {
  const bool backward = RanBackward(process);
  Tally& outside = (*tallies)[0];
  outside.MarkUnseen(v1::PHASE_OTHER);
  if (backward) outside.MarkUnseen(v1::PHASE_OPTIMIZER);
  for (const v1::ScopeCallRow& row : process.scope_calls()) {
    if (row.calls() == 0) continue;
    Tally& tally = (*tallies)[row.scope()];
    tally.MarkUnseen(PhaseIndex(row.phase()));
    if (backward && row.phase() == v1::PHASE_FORWARD) tally.MarkUnseen(v1::PHASE_BACKWARD);
  }
  for (const v1::CallRow& row : process.calls()) {
    if (IsExecutedProduct(row)) (*tallies)[row.scope()].MarkUnseen(PhaseIndex(row.phase()));
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

std::unordered_map<uint32_t, Tally> TallyScopes(const v1::RunInfo& run,
                                                const v1::ProcessProfile& process) {
  std::unordered_map<uint32_t, Tally> tallies;
  const std::vector<Gradient> gradients = GradientsOf(process);
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
  if (MayHaveUnseenKernels(process)) MarkUnseenPhases(process, &tallies);
  return tallies;
}

Work ToWork(const Tally& tally) {
  Work work;
  work.flops = tally.flop_counts();
  work.flops_modelled = tally.modelled_flop_counts();
  work.gpu_time_ns = tally.gpu_time_ns();
  work.unknown_gpu_time_ns = tally.unknown_gpu_time_ns();
  work.communication_ns = tally.communication_ns();
  work.gradients = tally.gradients();
  work.hidden_communication_ns = tally.hidden_communication_ns();
  work.provenance = ProvenanceOf(tally);
  const uint64_t time_ns = tally.measured_gpu_time_ns();
  const FlopCount flops = tally.counted_flops();
  // A rate needs flops and time of the same work.
  if (flops != 0 && time_ns != 0 && tally.calls_without_time() == 0) {
    work.flop_per_s = static_cast<double>(flops) / (static_cast<double>(time_ns) * 1e-9);
  }
  return work;
}

void AddFlopsByType(const v1::RunInfo& run, const v1::ProcessProfile& process, bool steps_only,
                    bool with_recompute, std::map<std::string, FlopCount>* by_type) {
  for (const v1::CallRow& row : process.calls()) {
    if (!IsExecutedProduct(row) || !row.flops_known() || !InWindow(run, row)) continue;
    if (steps_only && !row.in_step()) continue;
    if (!with_recompute && row.phase() == v1::PHASE_RECOMPUTE) continue;
    const FlopCount flops = ToFlopCount(row.flops());
    if (flops == 0) continue;
    (*by_type)[row.compute_type().empty() ? "unknown" : row.compute_type()] += flops;
  }
}

}  // namespace flopsprof::model
