// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "collector/model/summary.h"

namespace flopsprof::model {

// A finding about speed, with what it costs.
struct JudgedFinding {
  double share;     // of the step's time
  double gain = 0;  // the same: what it would gain at most
  Finding finding;
  std::string but = {};  // behind the gain
};

// Below this share of the step's time nothing is said.
inline constexpr double kNotableOfStep = 0.02;
// A kernel that is shorter takes less time than PyTorch needs on the CPU to launch one, about.
inline constexpr double kShortKernelNs = 1e4;

// "4.5%"
std::string Percent(double share);
// "17.2 ms"
std::string DurationText(double seconds);
// "warning" from a fifth of the step's time on, else "note". A note on the stand-in GPU: its times
// are a model, and nobody waits for it.
std::string SeverityOf(const Summary& summary, double share);

// Mean wall time of a step.
double StepSeconds(const StepParts& parts);
double ShareOfGpuTime(const Summary& summary, double ns);
// A share of GPU time as one of the steps' time; as it is where there are no steps.
double ShareOfStep(const Summary& summary, double share_of_gpu_time);

}  // namespace flopsprof::model
