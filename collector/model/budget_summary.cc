// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/budget_summary.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "collector/model/window_summary.h"

namespace flopsprof::model {
namespace {

// From this part of the job's time on a process is taken to have lived as long as the job.
constexpr double kAboutAll = 0.8;

// Modules rest between windows where the vectorcall hook follows them and they are not the steps.
bool FollowsBetweenWindows(const v1::ProcessProfile& process) {
  if (process.info().module_calls() == 0) return false;
  const auto modules = process.notes().find("modules");
  const auto steps = process.notes().find("steps");
  const bool rest = modules != process.notes().end() && modules->second == "vectorcall hook";
  const bool needed = steps != process.notes().end() && steps->second != "flopsprof.step()";
  return !rest || needed;
}

uint64_t Between(int64_t start_utc_ns, int64_t until_utc_ns) {
  if (start_utc_ns <= 0 || until_utc_ns <= start_utc_ns) return 0;
  return static_cast<uint64_t>(until_utc_ns - start_utc_ns);
}

// With what came before it was judged; 0: not known.
uint64_t LifeNs(const v1::ProcessProfile& process) {
  if (process.process_lives_size() == 0) return 0;
  return Between(process.info().start_utc_ns(), process.process_lives(0).until_utc_ns());
}

// Until the last process ended, as far as that is known.
uint64_t JobNs(const RunProfile& run) {
  uint64_t longest_ns = 0;
  int64_t until_utc_ns = 0;
  for (const v1::ProcessProfile& process : run.processes) {
    for (const v1::ProcessLife& life : process.process_lives()) {
      until_utc_ns = std::max(until_utc_ns, life.until_utc_ns());
    }
    for (const v1::CostRow& row : process.costs()) longest_ns = std::max(longest_ns, row.wall_ns());
  }
  return std::max(longest_ns, Between(run.run.start_utc_ns(), until_utc_ns));
}

void TakeCost(const v1::ProcessProfile& process, const v1::CostRow& row, double job_ns,
              BudgetSummary* summary) {
  ++summary->processes;
  const double budget = row.budget_ppm() / 1e6;
  const double share = static_cast<double>(row.cost_ns()) / static_cast<double>(row.wall_ns());
  // Each launcher of the run may have its own budget.
  if (share * summary->budget < summary->estimate.value_or(0) * budget) return;
  summary->budget = budget;
  summary->estimate = share;
  summary->wall_ns = row.wall_ns();
  summary->instruction_ns = static_cast<double>(row.instruction_ps()) / 1000;
  summary->spans_job =
      static_cast<double>(std::max(row.wall_ns(), LifeNs(process))) >= kAboutAll * job_ns;
  summary->pid = process.key().pid();
  summary->rank.reset();
  if (process.has_info() && process.info().rank() >= 0) summary->rank = process.info().rank();
  summary->follows_between = FollowsBetweenWindows(process);
}

void TakeLevels(const v1::CostRow& row, BudgetSummary* summary) {
  summary->full_ns = row.full_ns();
  summary->sampled_ns = row.sampled_ns();
  summary->paused_ns = row.paused_ns();
  summary->level_changes = row.level_changes();
  summary->switches = row.switches();
}

// A window that was to be closed when the processes ended was not: all was recorded.
void TakeAllAsFull(BudgetSummary* summary) {
  summary->full_ns += summary->sampled_ns + summary->paused_ns;
  summary->sampled_ns = summary->paused_ns = 0;
  summary->level_changes = summary->switches = 0;
}

}  // namespace

std::optional<BudgetSummary> SummarizeBudget(const RunProfile& run) {
  std::optional<BudgetSummary> summary;
  const auto job_ns = static_cast<double>(JobNs(run));
  bool any_window = false;
  std::tuple<bool, uint64_t> levels_of(false, 0);  // has windows, time that was judged
  for (const v1::ProcessProfile& process : run.processes) {
    const bool has_windows = process.windows_size() > 0;
    any_window |= has_windows || IsPausedAtStart(process);
    for (const v1::CostRow& row : process.costs()) {
      if (!summary.has_value()) summary.emplace().budget = row.budget_ppm() / 1e6;
      if (row.wall_ns() == 0) continue;
      TakeCost(process, row, job_ns, &*summary);
      const std::tuple<bool, uint64_t> order(has_windows, row.wall_ns());
      if (order < levels_of) continue;
      levels_of = order;
      TakeLevels(row, &*summary);
    }
  }
  if (!summary.has_value()) return summary;
  if (!any_window) TakeAllAsFull(&*summary);
  return summary;
}

}  // namespace flopsprof::model
