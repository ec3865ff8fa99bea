// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/findings.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <string_view>

#include "collector/model/loss_findings.h"
#include "collector/model/performance_findings.h"
#include "collector/model/recording_findings.h"
#include "collector/model/run_gaps.h"
#include "collector/model/step_findings.h"
#include "collector/model/utilisation.h"

namespace flopsprof::model {
namespace {

void AddIdentity(const Summary& summary, int ranks_numbered, std::vector<Finding>* findings) {
  if (ranks_numbered > 0) {
    findings->push_back(
        {FindingKind::kRanksNumbered, "note", "ranks were numbered by node and start time",
         absl::StrCat(ranks_numbered,
                      " processes had no rank in their environment; they communicate with each "
                      "other, or one process started them with equal models"),
         "set RANK, or start the job by a launcher"});
  }
  if (!summary.programs.empty()) {
    findings->push_back(
        {FindingKind::kPrograms, "note",
         absl::StrCat("the job ran ", summary.programs.size(),
                      " programs: each has its own modules and steps"),
         "processes that no launcher made ranks of one job, or that claim one rank one after "
         "the other",
         "see `programs`; a path that begins with \"(program 1)\" is of that one"});
  }
}

void AddUtilisation(const Summary& summary, std::vector<Finding>* findings) {
  for (const RankSummary& rank : summary.ranks) {
    const std::string& why = rank.utilisation.why;
    if (why.empty()) continue;
    if (why == kSimulatedCard) {
      findings->push_back({FindingKind::kNoMfu, "note", "no MFU: the card is simulated",
                           "its times are a model",
                           "counts are those of real calls: run on a GPU for MFU"});
      return;
    }
    const bool peak = why.find("--peak") != std::string::npos;
    findings->push_back({FindingKind::kNoMfu, "note",
                         peak ? "no MFU: a peak is not known" : "no MFU",
                         summary.ranks.size() > 1 ? absl::StrCat(rank.label, ": ", why) : why,
                         peak ? "known cards: flopsprof peaks; give one: flopsprof report --peak "
                                "bf16=989T RUN"
                              : "see steps and ranks"});
    return;
  }
}

int GravityOf(std::string_view severity) {
  return severity == "error" ? 2 : severity == "warning" ? 1 : 0;
}

// Does a note say that numbers lack something, or hold what they should not?
bool IsLoss(FindingKind kind) {
  switch (kind) {
    case FindingKind::kRanksWithoutGpu:
    case FindingKind::kAgentEnded:
    case FindingKind::kGraphsNotCounted:
    case FindingKind::kModulesSeenLate:
    case FindingKind::kUnknownKernels:
    case FindingKind::kStepsMissing:
    case FindingKind::kTuningRuns:
      return true;
    default:
      return false;
  }
}

// What is wrong or missing, what is slow, facts.
int GroupOf(const Finding& finding) {
  if (IsAboutSpeed(finding.kind)) return 1;
  return GravityOf(finding.severity) > 0 || IsLoss(finding.kind) ? 0 : 2;
}

}  // namespace

void OrderFindings(std::vector<Finding>* findings) {
  std::stable_sort(findings->begin(), findings->end(), [](const Finding& a, const Finding& b) {
    if (GroupOf(a) != GroupOf(b)) return GroupOf(a) < GroupOf(b);
    // Of what is slow the most comes first as it is.
    return GroupOf(a) == 0 && GravityOf(a.severity) > GravityOf(b.severity);
  });
}

std::vector<Finding> FindFindings(const Summary& summary, int ranks_numbered) {
  std::vector<Finding> findings;
  AddGaps(summary.gaps, &findings);
  AddLossFindings(summary, &findings);
  AddStepFindings(summary, &findings);
  AddRecordingFindings(summary.recording, &findings);
  AddMissingSteps(summary, &findings);
  AddPerformanceFindings(summary, &findings);
  AddIdentity(summary, ranks_numbered, &findings);
  AddUtilisation(summary, &findings);
  OrderFindings(&findings);
  return findings;
}

}  // namespace flopsprof::model
