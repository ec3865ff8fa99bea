// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/finding_kinds.h"

#include <iterator>

namespace flopsprof::model {
namespace {

// In the order of FindingKind.
constexpr std::string_view kNames[] = {
    "rank_claimed_twice",
    "ranks_missing",
    "ranks_without_gpu",
    "profile_incomplete",
    "agent_ended",
    "process_ended",
    "nothing_recorded",
    "no_gpu_times",
    "cupti_stays",
    "records_lost",
    "times_missing",
    "modules_on_cpu",
    "called_by_forward",
    "graph_timing",
    "graphs_not_counted",
    "environment",
    "backward_not_attributed",
    "no_module_names",
    "modules_seen_late",
    "compiled_rows",
    "unknown_kernels",
    "calls_not_seen",
    "no_steps",
    "first_step",
    "tuning_runs",
    "windows_differ",
    "budget_not_kept",
    "steps_missing",
    "ranks_numbered",
    "programs",
    "no_mfu",
    "idle",
    "launch_bound",
    "input_bound",
    "exposed_communication",
    "slow_rank",
    "uneven_ranks",
    "uneven_stages",
    "recompute",
    "small_kernels",
    "slow_products",
    "misaligned_products",
    "plain_fp32",
};
static_assert(std::size(kNames) == static_cast<size_t>(FindingKind::kPlainFp32) + 1);

}  // namespace

std::string_view NameOf(FindingKind kind) { return kNames[static_cast<size_t>(kind)]; }

bool IsAboutSpeed(FindingKind kind) { return kind >= FindingKind::kIdle; }

std::vector<FindingKind> AllFindingKinds() {
  std::vector<FindingKind> kinds;
  for (size_t i = 0; i < std::size(kNames); ++i) kinds.push_back(static_cast<FindingKind>(i));
  return kinds;
}

}  // namespace flopsprof::model
