// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/window_summary.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace flopsprof::model {
namespace {

std::optional<uint32_t> StepOf(int64_t step) {
  if (step < 0 || step >= 0xffffffff) return std::nullopt;
  return static_cast<uint32_t>(step);
}

uint64_t EndOf(const v1::WindowRow& row) {
  return row.end_mono_ns() != 0 ? row.end_mono_ns() : row.process_until_mono_ns();
}

void Add(const v1::WindowRow& row, WindowSummary* window) {
  const bool first = window->processes++ == 0;
  if (first) {
    window->begin_utc_ns = row.begin_utc_ns();
    window->end_utc_ns = row.end_utc_ns();
    window->first_step = StepOf(row.first_step());
    window->end_step = StepOf(row.end_step());
    return;
  }
  window->aligned = window->aligned && window->first_step == StepOf(row.first_step()) &&
                    window->end_step == StepOf(row.end_step());
  window->begin_utc_ns = std::min(window->begin_utc_ns, row.begin_utc_ns());
  window->end_utc_ns = std::max(window->end_utc_ns, row.end_utc_ns());
}

// Of all processes: one without a rank may be the one that pays.
std::optional<BudgetSummary> SummarizeBudget(const RunProfile& run) {
  std::optional<BudgetSummary> summary;
  uint64_t longest_ns = 0;
  for (const v1::ProcessProfile& process : run.processes) {
    for (const v1::CostRow& row : process.costs()) {
      if (!summary.has_value()) summary.emplace();
      summary->budget = std::max(summary->budget, row.budget_ppm() / 1e6);
      if (row.wall_ns() == 0) continue;
      const double share = static_cast<double>(row.cost_ns()) / static_cast<double>(row.wall_ns());
      if (share >= summary->estimate.value_or(0)) {
        summary->estimate = share;
        summary->wall_ns = row.wall_ns();
        summary->instruction_ns = static_cast<double>(row.instruction_ps()) / 1000;
      }
      if (row.wall_ns() < longest_ns) continue;
      longest_ns = row.wall_ns();
      summary->full_ns = row.full_ns();
      summary->sampled_ns = row.sampled_ns();
      summary->paused_ns = row.paused_ns();
      summary->level_changes = row.level_changes();
      summary->switches = row.switches();
    }
  }
  return summary;
}

}  // namespace

bool IsPausedAtStart(const v1::ProcessProfile& process) {
  return process.notes().count("recording") != 0;
}

RecordingSummary SummarizeRecording(const RunProfile& run, const RankGroups& groups) {
  RecordingSummary summary;
  std::map<uint32_t, WindowSummary> windows;
  std::map<std::tuple<int64_t, std::string>, InstantSummary> marks;
  uint64_t recorded_ns = 0;
  uint64_t whole_ns = 0;
  for (const v1::ProcessProfile& process : run.processes) {
    summary.paused_at_start |= IsPausedAtStart(process);
    for (const v1::InstantRow& row : process.instants()) {
      InstantSummary& mark = marks[{row.utc_ns(), row.name()}];  // one of several processes
      mark.name = row.name();
      mark.utc_ns = row.utc_ns();
      if (const auto step = StepOf(row.step())) mark.step = std::max(mark.step.value_or(0), *step);
    }
  }
  for (const RankGroup& group : groups.ranks) {
    for (const v1::ProcessProfile* process : group.processes) {
      uint64_t life_ns = 0;
      for (const v1::WindowRow& row : process->windows()) {
        WindowSummary& window = windows[row.number()];
        window.number = row.number();
        Add(row, &window);
        recorded_ns += EndOf(row) - std::min(EndOf(row), row.begin_mono_ns());
        const uint64_t until = std::max(row.process_until_mono_ns(), EndOf(row));
        life_ns = std::max(life_ns, until - std::min(until, row.process_begin_mono_ns()));
      }
      whole_ns += life_ns;
    }
  }
  for (auto& [number, window] : windows) summary.windows.push_back(window);
  for (auto& [key, mark] : marks) summary.marks.push_back(std::move(mark));
  if (whole_ns > 0) {
    summary.share =
        static_cast<double>(std::min(recorded_ns, whole_ns)) / static_cast<double>(whole_ns);
  }
  summary.budget = SummarizeBudget(run);
  return summary;
}

}  // namespace flopsprof::model
