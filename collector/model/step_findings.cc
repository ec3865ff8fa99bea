// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/step_findings.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <string>

namespace flopsprof::model {
namespace {

// Step 0 above this many times the work of a later step was not one step of work.
constexpr double kNotableTuning = 1.2;

// With --step-at nothing else begins a step.
void AddStepAt(const Summary& summary, std::vector<Finding>* findings) {
  const StepsSummary& steps = summary.steps;
  for (const char* other : {"", "optimizer", "forwards", "passes", "flopsprof.step()"}) {
    if (steps.taken_from == other) return;
  }
  if (!steps.list.empty() || summary.empty) return;
  std::string seen;
  for (const RankSummary& rank : summary.ranks) {
    const auto note = rank.notes.find("step_at");
    if (note != rank.notes.end()) seen = note->second;
  }
  const bool followed = !absl::StartsWith(seen, "a function that cannot be followed");
  findings->push_back(
      {FindingKind::kNoSteps, "warning",
       absl::StrCat("there are no steps: --step-at ", steps.taken_from,
                    seen.empty() ? " was never seen" : " began none"),
       seen.empty() ? "no module by that path or class, no range and no Python function of that "
                      "name was seen"
                    : absl::StrCat("it is ", seen,
                                   followed ? ", but did not run while the profiler recorded, "
                                              "or only in what torch.compile made of it"
                                            : ""),
       "name a module by its path or class in the module tree, a range by its text, a function as "
       "Class.method or package.module:function; without --step-at optimizers say the steps"});
}

// Calls that a library or the framework makes to find the fastest way look as any other call:
// cuDNN benchmark, Inductor's and Triton's autotuning, TunableOp.
void AddFirstStep(const Summary& summary, std::vector<Finding>* findings) {
  const StepsSummary& steps = summary.steps;
  if (steps.first_step_work_ratio.value_or(0) < kNotableTuning) return;
  const std::string ratio = absl::StrFormat("flops of step 0 over the median of later steps: %.2f",
                                            *steps.first_step_work_ratio);
  const std::string& phase = steps.first_step_phase;
  const bool of_training = phase.empty() || phase == "forward" || phase == "backward" ||
                           phase == "recompute" || phase == "other";
  if (!of_training) {
    findings->push_back(
        {FindingKind::kFirstStep, "note",
         absl::StrCat("step 0 did more work than later steps: ", phase, " ran in it"), ratio,
         "MFU and step times leave step 0 out"});
  } else if (!steps.tuning_sign.empty()) {
    findings->push_back(
        {FindingKind::kTuningRuns, "note",
         "step 0 did more work than later steps: tuning runs are in the totals",
         absl::StrCat(ratio, "; ", steps.tuning_sign),
         "leave it out: flopsprof-run --steps 1:N (MFU and step times leave it out anyway)"});
  } else {
    findings->push_back(
        {FindingKind::kFirstStep, "note",
         "step 0 did more work than later steps, and no sign of tuning was seen",
         absl::StrCat(ratio,
                      phase.empty() ? "" : absl::StrCat("; most of the difference: ", phase)),
         "later steps may skip work: compare them under Steps (MFU and step times leave step 0 "
         "out)"});
  }
}

}  // namespace

void AddStepFindings(const Summary& summary, std::vector<Finding>* findings) {
  AddStepAt(summary, findings);
  AddFirstStep(summary, findings);
}

void AddMissingSteps(const Summary& summary, std::vector<Finding>* findings) {
  const StepsSummary& steps = summary.steps;
  if (!steps.wanted_end.has_value() || !steps.last.has_value()) return;
  for (const RankSummary& rank : summary.ranks) {
    if (rank.state == "running") return;
  }
  const uint32_t first = steps.wanted_first.value_or(0);
  if (*steps.first <= first && *steps.last + 1 >= *steps.wanted_end) return;
  const std::string came = *steps.first == *steps.last
                               ? absl::StrCat("step ", *steps.first)
                               : absl::StrCat("steps ", *steps.first, "-", *steps.last);
  findings->push_back(
      {FindingKind::kStepsMissing, "note",
       absl::StrCat("of --steps ", first, ":", *steps.wanted_end, " only ", came, " came"),
       "the job took no others of them", ""});
}

}  // namespace flopsprof::model
