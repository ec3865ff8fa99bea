// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace flopsprof::model {

// What a finding is about: `kind` in summary.json. docs/findings.md describes each.
enum class FindingKind : uint8_t {
  // What is wrong or missing in the profile, and facts about the run.
  kRankClaimedTwice,
  kRanksMissing,
  kRanksWithoutGpu,
  kProfileIncomplete,
  kAgentEnded,
  kProcessEnded,
  kNothingRecorded,
  kNoGpuTimes,
  kCuptiStays,
  kRecordsLost,
  kTimesMissing,
  kModulesOnCpu,
  kCalledByForward,
  kGraphTiming,
  kGraphsNotCounted,
  kEnvironment,
  kBackwardNotAttributed,
  kNoModuleNames,
  kModulesSeenLate,
  kCompiledRows,
  kUnknownKernels,
  kCallsNotSeen,
  kNoSteps,
  kFirstStep,
  kTuningRuns,
  kWindowsDiffer,
  kBudgetNotKept,
  kStepsMissing,
  kRanksNumbered,
  kPrograms,
  kNoMfu,
  // What the steps lose: performance_findings.h.
  kIdle,
  kLaunchBound,
  kInputBound,
  kExposedCommunication,
  kSlowRank,
  kUnevenRanks,
  kUnevenStages,
  kRecompute,
  kSmallKernels,
  kSlowProducts,
  kMisalignedProducts,
  kPlainFp32,  // the last
};

// "launch_bound"
std::string_view NameOf(FindingKind kind);
// Is it about speed, so that it says what it would gain?
bool IsAboutSpeed(FindingKind kind);
std::vector<FindingKind> AllFindingKinds();

}  // namespace flopsprof::model
