// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/performance_findings.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collector/model/judged_finding.h"
#include "collector/model/kernel_time_findings.h"
#include "collector/model/step_time_findings.h"

namespace flopsprof::model {
namespace {

// What can be gained together is no more than there is: what an earlier one has is not counted
// again.
void AddGains(const Summary& summary, std::vector<JudgedFinding>* judged) {
  const std::optional<StepParts>& parts = summary.steps.parts;
  double left = 1;
  for (JudgedFinding& one : *judged) {
    const double gain = std::min(one.gain, left);
    left -= gain;
    one.finding.gain_ratio = gain;
    one.finding.gain = parts.has_value()
                           ? absl::StrCat("at most ", DurationText(gain * StepSeconds(*parts)),
                                          " of each step (", Percent(gain), ")")
                           : absl::StrCat("at most ", Percent(gain), " of GPU time");
    absl::StrAppend(&one.finding.gain, one.but,
                    gain < one.gain ? "; the rest is in the gains before this one" : "");
  }
}

}  // namespace

void AddPerformanceFindings(const Summary& summary, std::vector<Finding>* findings) {
  std::vector<JudgedFinding> judged;
  // Steps of programs that have nothing to do with each other have no common time.
  const std::optional<StepParts>& parts = summary.steps.parts;
  const bool one_job = summary.programs.empty();
  if (parts.has_value() && one_job) {
    AddStepTimeFindings(summary, *parts, &judged);
  }
  if (summary.coverage.times_known && !summary.coverage.times_incomplete && one_job) {
    AddKernelTimeFindings(summary, &judged);
  }
  std::stable_sort(
      judged.begin(), judged.end(),
      [](const JudgedFinding& a, const JudgedFinding& b) { return a.share > b.share; });
  AddGains(summary, &judged);
  for (JudgedFinding& one : judged) findings->push_back(std::move(one.finding));
}

std::string BoundBy(const Summary& summary) {
  const std::optional<StepParts>& parts = summary.steps.parts;
  if (!parts.has_value() || !summary.programs.empty()) return "";
  const uint64_t exposed_ns = parts->exposed_communication_ns.value_or(0);
  const uint64_t work_ns = parts->busy_ns - exposed_ns;
  const uint64_t idle_ns = parts->wall_ns - parts->busy_ns;
  if (work_ns >= exposed_ns && work_ns >= idle_ns) return "gpu_work";
  if (exposed_ns >= idle_ns) return "exposed_communication";
  for (const Finding& finding : summary.findings) {
    if (finding.kind == FindingKind::kIdle || finding.kind == FindingKind::kLaunchBound ||
        finding.kind == FindingKind::kInputBound) {
      return std::string(NameOf(finding.kind));
    }
  }
  return "idle";
}

}  // namespace flopsprof::model
