// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "viewer/deepspeed/figures.h"

namespace flopsprof::viewer::deepspeed {

// Numbers with their units, as a layout writes them; "unknown" for what is not known.
struct Units {
  std::string (*number)(const Count& count);
  std::string (*macs)(const Count& count);
  std::string (*rate)(const Count& flop_per_s);
  std::string (*params)(const Count& count);
  std::string (*duration)(const Seconds& seconds);  // of a module: no time is the integer 0
  std::string (*timer)(const Seconds& seconds);     // of a phase, or a mean: a float always
  std::string (*samples)(const Count& per_s);
  // "3.9%"; "3.90%" before 0.10.1.
  std::string (*share)(Seconds part, Seconds whole);
};

inline constexpr char kUnknown[] = "unknown";

// Since DeepSpeed 0.10.1. The number is rounded after its unit was chosen: 999999 is "1000 K".
const Units& NewestUnits();
// Before it, and in the stand-alone package: floats as Python has them, "k" for thousands of
// parameters, no T for MACs, 0 seconds without a unit.
const Units& OldUnits();

// Flops over seconds. No time gives 0, as DeepSpeed prints it; not known without both.
Count Rate(const Count& flops, const Seconds& seconds);
Count Times(double factor, const Count& count);
Count Product(const Count& a, const Count& b);
Count Added(const Count& a, const Count& b);
Seconds Sum(const Seconds& a, const Seconds& b);
Seconds Value(const Count& count);

}  // namespace flopsprof::viewer::deepspeed
