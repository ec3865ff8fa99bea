// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/judged_finding.h"

#include <absl/strings/str_format.h>

#include <optional>

namespace flopsprof::model {
namespace {

constexpr double kGraveOfStep = 0.2;

}  // namespace

std::string Percent(double share) { return absl::StrFormat("%.1f%%", 100 * share); }

std::string DurationText(double seconds) {
  if (seconds >= 1) return absl::StrFormat("%.3g s", seconds);
  if (seconds >= 1e-3) return absl::StrFormat("%.3g ms", seconds * 1e3);
  return absl::StrFormat("%.3g us", seconds * 1e6);
}

std::string SeverityOf(const Summary& summary, double share) {
  return share >= kGraveOfStep && !summary.simulated ? "warning" : "note";
}

double StepSeconds(const StepParts& parts) {
  return static_cast<double>(parts.wall_ns) * 1e-9 / static_cast<double>(parts.device_steps);
}

double ShareOfStep(const Summary& summary, double share_of_gpu_time) {
  const std::optional<StepParts>& parts = summary.steps.parts;
  if (!parts.has_value()) return share_of_gpu_time;
  return share_of_gpu_time * static_cast<double>(parts->busy_ns) /
         static_cast<double>(parts->wall_ns);
}

double ShareOfGpuTime(const Summary& summary, double ns) {
  const auto all_ns = static_cast<double>(summary.coverage.gpu_time_ns);
  return all_ns > 0 ? ns / all_ns : 0;
}

}  // namespace flopsprof::model
