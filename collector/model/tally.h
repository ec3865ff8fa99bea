// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "collector/model/flops/flop_count.h"
#include "collector/model/gradient_shapes.h"
#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::model {

inline constexpr int kPhaseCount = 9;
// In the order of v1::Phase.
std::string_view PhaseName(int phase);

// A value per phase, indexed by v1::Phase; absent = not known.
using PhaseCounts = std::array<std::optional<FlopCount>, kPhaseCount>;
using PhaseTimes = std::array<std::optional<uint64_t>, kPhaseCount>;
using PhaseFlags = std::array<bool, kPhaseCount>;

// The phase as an index; numbers that a newer agent may send count as "other".
int PhaseIndex(v1::Phase phase);

// Counted work of the backward, split by the kind of gradient that it computes; indexed by
// Gradient.
struct GradientWork {
  FlopCount flops = 0;
  uint64_t gpu_time_ns = 0;  // of these calls
};
using GradientWorks = std::array<GradientWork, 3>;

// What is summed up for one module, rank or run. Sums of tallies do not depend on their order.
class Tally {
 public:
  void AddCall(const v1::CallRow& row, Gradient gradient = Gradient::kNotTold);
  void AddTime(const v1::TimeRow& row);
  void AddCommunication(const v1::CommunicationRow& row);
  // GPU work of the phase may have run unseen. So the phase's time is missing, and everything that
  // was not counted is unknown.
  void MarkUnseen(int phase);
  // Times of some kernels of the phase may never have come. So the phase's time is a lower bound;
  // if no time came at all, it is missing.
  void MarkTimesLost(int phase);
  void Add(const Tally& other);

  // A phase is absent when nothing of it is counted and kernels ran that may hold products.
  PhaseCounts flop_counts() const;
  PhaseCounts modelled_flop_counts() const;
  // A phase is absent when all of its time is missing.
  PhaseTimes gpu_time_ns() const;
  // A phase is true when some of its time is missing, or all of it.
  PhaseFlags time_incomplete() const;
  uint64_t unknown_gpu_time_ns() const;
  uint64_t communication_ns() const { return communication_ns_; }
  const GradientWorks& gradients() const { return gradients_; }
  // The part of it that ran beside other work; absent when not all of it was seen and compared.
  std::optional<uint64_t> hidden_communication_ns() const;
  // Sum of what is counted, over all phases.
  FlopCount counted_flops() const;
  // Sum of what was measured, over all phases.
  uint64_t measured_gpu_time_ns() const;

  bool any_exact() const;
  bool any_modelled() const;
  bool any_unknown() const;
  // Counted calls whose kernels have no time: flops and time are not of the same work.
  uint64_t calls_without_time() const;

 private:
  struct PhaseTally {
    FlopCount exact = 0;
    FlopCount modelled = 0;
    uint64_t gpu_time_ns = 0;
    uint64_t unknown_gpu_time_ns = 0;
    uint64_t calls_without_time = 0;
    bool has_exact = false;
    bool has_modelled = false;
    bool has_unknown = false;
    bool has_time = false;
    bool has_untimed = false;  // activities, none of them with valid times
    bool has_unseen = false;
    bool has_lost_times = false;

    bool LacksTime() const {
      return has_unseen || has_untimed || has_lost_times || calls_without_time > 0;
    }
  };

  PhaseTally& Used(int phase) {
    used_phases_ |= 1u << phase;
    return phases_[phase];
  }

  std::array<PhaseTally, kPhaseCount> phases_;
  uint32_t used_phases_ = 0;  // a bit for each that is not as it was made
  uint64_t communication_ns_ = 0;
  GradientWorks gradients_;
  uint64_t compared_communication_ns_ = 0;
  uint64_t hidden_communication_ns_ = 0;
};

// True for rows that say how many flops were executed: neither captured nor collective.
bool IsExecutedProduct(const v1::CallRow& row);

}  // namespace flopsprof::model
