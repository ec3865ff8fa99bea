// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Flops and times of a module, a rank or the run, and how far they are from the peak. A part of the
// summary (summary.h).

#include <cstdint>
#include <optional>
#include <string>

#include "collector/model/tally.h"

namespace flopsprof::model {

enum class Provenance { kExact, kModelled, kMixed, kUnknown };

// Work of one module, rank or run.
struct Work {
  PhaseCounts flops;  // includes flops_modelled
  PhaseCounts flops_modelled;
  PhaseTimes gpu_time_ns;           // sum of durations
  PhaseFlags time_incomplete = {};  // the time of the phase is a lower bound, or absent
  uint64_t unknown_gpu_time_ns = 0;
  uint64_t communication_ns = 0;  // of the GPU time
  GradientWorks gradients;        // of the counted work of the backward
  // The part of it that ran while the device did anything but communication; absent: not known.
  std::optional<uint64_t> hidden_communication_ns;
  // Flops per GPU second of the same calls; absent when flops or times are not complete.
  std::optional<double> flop_per_s;
  Provenance provenance = Provenance::kExact;
};

// How far the work is from the peak. utilisation.h says which work and over which time.
struct Utilisation {
  std::optional<double> mfu;
  std::optional<double> hfu;
  std::string why;  // they are absent; "" when they are not
  // Share of GPU time without copies and communication whose flops are known: what the two
  // figures stand on.
  std::optional<double> counted_share;
  // Peak of the rank's mix of types: executed flops over their time at peak. Not of several ranks.
  std::optional<double> peak_flop_per_s;
  std::optional<double> model_peak_flop_per_s;  // of the flops in MFU alone
  // The parts of the two ratios.
  double available_s = 0;
  double model_peak_s = 0;
  double executed_peak_s = 0;
};

}  // namespace flopsprof::model
