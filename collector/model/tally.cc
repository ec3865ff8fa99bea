// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/tally.h"

namespace flopsprof::model {

std::string_view PhaseName(int phase) {
  static constexpr std::string_view kNames[kPhaseCount] = {"other",     "forward",    "backward",
                                                           "recompute", "optimizer",  "clipping",
                                                           "scaling",   "evaluation", "generate"};
  return kNames[phase];
}

int PhaseIndex(v1::Phase phase) {
  const int index = static_cast<int>(phase);
  return index >= 0 && index < kPhaseCount ? index : static_cast<int>(v1::PHASE_OTHER);
}

bool IsExecutedProduct(const v1::CallRow& row) {
  // A part of a call that belongs to another phase (QK^T made again) is a row without calls.
  const bool executed = row.calls() > 0 || ToFlopCount(row.flops()) != 0;
  return executed && !row.captured() && row.kind() != v1::CALL_KIND_COLLECTIVE;
}

void Tally::AddCall(const v1::CallRow& row, Gradient gradient) {
  if (!IsExecutedProduct(row)) return;
  PhaseTally& phase = Used(PhaseIndex(row.phase()));
  if (!row.flops_known()) {
    phase.has_unknown = true;
    return;
  }
  const FlopCount flops = ToFlopCount(row.flops());
  if (row.kind() == v1::CALL_KIND_MODELLED) {
    phase.modelled += flops;
    phase.has_modelled = true;
  } else {
    phase.exact += flops;
    phase.has_exact = true;
  }
  if (row.phase() == v1::PHASE_BACKWARD && flops != 0) {
    GradientWork& work = gradients_[static_cast<size_t>(gradient)];
    work.flops += flops;
    work.gpu_time_ns += row.gpu_time_ns();
  }
  // A call with an empty dimension launches nothing.
  if (flops != 0 && row.kernels() < row.calls()) {
    phase.calls_without_time += row.calls() - row.kernels();
  }
}

void Tally::AddTime(const v1::TimeRow& row) {
  PhaseTally& phase = Used(PhaseIndex(row.phase()));
  phase.gpu_time_ns += row.gpu_time_ns();
  if (row.category() == v1::TIME_CATEGORY_COMMUNICATION) communication_ns_ += row.gpu_time_ns();
  phase.has_time |= row.gpu_time_ns() > 0;
  phase.has_untimed |= row.activities() > 0 && row.gpu_time_ns() == 0;
  const bool unknown = row.category() == v1::TIME_CATEGORY_UNKNOWN ||
                       row.category() == v1::TIME_CATEGORY_UNSPECIFIED;
  if (unknown && row.activities() > 0) {
    phase.has_unknown = true;
    phase.unknown_gpu_time_ns += row.gpu_time_ns();
  }
}

void Tally::AddCommunication(const v1::CommunicationRow& row) {
  compared_communication_ns_ += row.compared_ns();
  hidden_communication_ns_ += row.hidden_ns();
}

std::optional<uint64_t> Tally::hidden_communication_ns() const {
  if (compared_communication_ns_ != communication_ns_) return std::nullopt;
  for (const PhaseTally& phase : phases_) {
    if (phase.has_unseen) return std::nullopt;
  }
  return hidden_communication_ns_;
}

void Tally::MarkUnseen(int phase) { Used(phase).has_unseen = true; }

void Tally::MarkTimesLost(int phase) {
  Used(phase).has_lost_times = true;
  // Of a phase without a single record nobody knows what its kernels were.
  if (!phases_[phase].has_time) phases_[phase].has_unseen = true;
}

void Tally::Add(const Tally& other) {
  communication_ns_ += other.communication_ns_;
  for (size_t i = 0; i < gradients_.size(); ++i) {
    gradients_[i].flops += other.gradients_[i].flops;
    gradients_[i].gpu_time_ns += other.gradients_[i].gpu_time_ns;
  }
  compared_communication_ns_ += other.compared_communication_ns_;
  hidden_communication_ns_ += other.hidden_communication_ns_;
  for (int i = 0; i < kPhaseCount; ++i) {
    if ((other.used_phases_ >> i & 1) == 0) continue;
    PhaseTally& to = Used(i);
    const PhaseTally& from = other.phases_[i];
    to.exact += from.exact;
    to.modelled += from.modelled;
    to.gpu_time_ns += from.gpu_time_ns;
    to.unknown_gpu_time_ns += from.unknown_gpu_time_ns;
    to.calls_without_time += from.calls_without_time;
    to.has_exact |= from.has_exact;
    to.has_modelled |= from.has_modelled;
    to.has_unknown |= from.has_unknown;
    to.has_time |= from.has_time;
    to.has_untimed |= from.has_untimed;
    to.has_unseen |= from.has_unseen;
    to.has_lost_times |= from.has_lost_times;
  }
}

PhaseCounts Tally::flop_counts() const {
  PhaseCounts counts;
  for (int i = 0; i < kPhaseCount; ++i) {
    const PhaseTally& phase = phases_[i];
    const bool counted = phase.has_exact || phase.has_modelled;
    if (counted || !(phase.has_unknown || phase.has_unseen)) {
      counts[i] = phase.exact + phase.modelled;
    }
  }
  return counts;
}

PhaseCounts Tally::modelled_flop_counts() const {
  PhaseCounts counts;
  for (int i = 0; i < kPhaseCount; ++i) counts[i] = phases_[i].modelled;
  return counts;
}

PhaseTimes Tally::gpu_time_ns() const {
  PhaseTimes times;
  for (int i = 0; i < kPhaseCount; ++i) {
    if (phases_[i].has_time || !phases_[i].LacksTime()) times[i] = phases_[i].gpu_time_ns;
  }
  return times;
}

PhaseFlags Tally::time_incomplete() const {
  PhaseFlags flags = {};
  for (int i = 0; i < kPhaseCount; ++i) flags[i] = phases_[i].LacksTime();
  return flags;
}

uint64_t Tally::unknown_gpu_time_ns() const {
  uint64_t sum = 0;
  for (const PhaseTally& phase : phases_) sum += phase.unknown_gpu_time_ns;
  return sum;
}

FlopCount Tally::counted_flops() const {
  FlopCount sum = 0;
  for (const PhaseTally& phase : phases_) sum += phase.exact + phase.modelled;
  return sum;
}

uint64_t Tally::measured_gpu_time_ns() const {
  uint64_t sum = 0;
  for (const PhaseTally& phase : phases_) sum += phase.gpu_time_ns;
  return sum;
}

bool Tally::any_exact() const {
  for (const PhaseTally& phase : phases_) {
    if (phase.has_exact) return true;
  }
  return false;
}

bool Tally::any_modelled() const {
  for (const PhaseTally& phase : phases_) {
    if (phase.has_modelled) return true;
  }
  return false;
}

bool Tally::any_unknown() const {
  for (const PhaseTally& phase : phases_) {
    if (phase.has_unknown || phase.has_unseen) return true;
  }
  return false;
}

uint64_t Tally::calls_without_time() const {
  uint64_t sum = 0;
  for (const PhaseTally& phase : phases_) sum += phase.calls_without_time;
  return sum;
}

}  // namespace flopsprof::model
