// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/window_summary.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "collector/model/budget_summary.h"
#include "proto/shm/records.h"

namespace flopsprof::model {
namespace {

std::optional<uint32_t> StepOf(int64_t step) {
  if (step < 0 || step >= 0xffffffff) return std::nullopt;
  return static_cast<uint32_t>(step);
}

uint64_t EndOf(const v1::WindowRow& row) {
  return row.end_mono_ns() != 0 ? row.end_mono_ns() : row.process_until_mono_ns();
}

// The step in which the window was cut; absent: none, or it is not clear which.
std::optional<uint32_t> CutStepOf(const v1::ProcessProfile& process, const v1::WindowRow& row) {
  if (row.end_mono_ns() == 0 || row.end_step() >= 0) return std::nullopt;
  // In a later window without steps the newest step is one of a window before.
  if (row.number() > 1 && row.first_step() < 0) return std::nullopt;
  int64_t next_step = shm::kNoStep;  // at which a later window began
  for (const v1::WindowRow& other : process.windows()) {
    if (other.number() <= row.number() || other.first_step() < 0) continue;
    next_step = std::min(next_step, other.first_step());
  }
  std::optional<uint32_t> cut;
  for (const v1::StepLabelRow& label : process.step_labels()) {
    const int64_t number = label.number();
    if (!label.cut() || number < row.first_step() || number >= next_step) continue;
    if (cut.has_value()) return std::nullopt;
    cut = label.number();
  }
  return cut;
}

void Add(const v1::ProcessProfile& process, const v1::WindowRow& row, WindowSummary* window) {
  const std::optional<uint32_t> cut_step = CutStepOf(process, row);
  const bool first = window->processes++ == 0;
  if (first) {
    window->begin_utc_ns = row.begin_utc_ns();
    window->end_utc_ns = row.end_utc_ns();
    window->first_step = StepOf(row.first_step());
    window->end_step = StepOf(row.end_step());
    window->cut_step = cut_step;
    return;
  }
  window->aligned = window->aligned && window->first_step == StepOf(row.first_step()) &&
                    window->end_step == StepOf(row.end_step()) && window->cut_step == cut_step;
  window->begin_utc_ns = std::min(window->begin_utc_ns, row.begin_utc_ns());
  window->end_utc_ns = std::max(window->end_utc_ns, row.end_utc_ns());
}

// 0: not known.
int64_t UntilUtcNs(const v1::ProcessProfile& process) {
  return process.process_lives_size() == 0 ? 0 : process.process_lives(0).until_utc_ns();
}

// Of a process without windows; 0: not known.
uint64_t LifeNs(const v1::ProcessProfile& process) {
  if (process.costs_size() > 0) return process.costs(0).wall_ns();
  const int64_t begin_ns = process.info().start_utc_ns();
  const int64_t until_ns = UntilUtcNs(process);
  return begin_ns > 0 && until_ns > begin_ns ? static_cast<uint64_t>(until_ns - begin_ns) : 0;
}

// What the processes of all ranks have recorded of their time.
class Recorded {
 public:
  explicit Recorded(RecordingSummary* summary) : summary_(*summary) {}

  void Add(const RankGroup& group, const v1::ProcessProfile& process) {
    if (process.windows_size() == 0) {
      if (!IsPausedAtStart(process)) whole_.push_back({&group, &process});
      return;
    }
    uint64_t life_ns = 0;
    for (const v1::WindowRow& row : process.windows()) {
      WindowSummary& window = windows_[row.number()];
      window.number = row.number();
      flopsprof::model::Add(process, row, &window);
      recorded_ns_ += EndOf(row) - std::min(EndOf(row), row.begin_mono_ns());
      const uint64_t until = std::max(row.process_until_mono_ns(), EndOf(row));
      life_ns = std::max(life_ns, until - std::min(until, row.process_begin_mono_ns()));
    }
    life_ns_ += life_ns;
    in_windows_.push_back(&process);
  }

  void Finish() {
    if (windows_.empty()) return;
    AddWhole();
    if (summary_.budget.has_value()) CompareNumbers();
    for (auto& [number, window] : windows_) summary_.windows.push_back(window);
    if (life_ns_ == 0 || !lives_known_) return;
    summary_.share =
        static_cast<double>(std::min(recorded_ns_, life_ns_)) / static_cast<double>(life_ns_);
  }

 private:
  struct Whole {
    const RankGroup* group;
    const v1::ProcessProfile* process;
  };

  // A process that no window cut ended with the first one, or another node decided about it.
  void AddWhole() {
    for (const Whole& whole : whole_) {
      ++summary_.whole_processes;
      const uint64_t life_ns = LifeNs(*whole.process);
      lives_known_ = lives_known_ && life_ns != 0;
      recorded_ns_ += life_ns;
      life_ns_ += life_ns;
      if (!WentOn(*whole.process)) continue;
      summary_.whole_ranks.push_back(whole.group->label);
      for (auto& [number, window] : windows_) window.aligned = false;
    }
  }

  // With steps, while others were not recorded.
  bool WentOn(const v1::ProcessProfile& whole) const {
    if (whole.steps_size() == 0) return false;
    const int64_t until_ns = UntilUtcNs(whole);
    return std::any_of(in_windows_.begin(), in_windows_.end(), [&](const auto* process) {
      if (process->steps_size() == 0) return false;
      const auto& rows = process->windows();
      return std::any_of(rows.begin(), rows.end(), [&](const v1::WindowRow& row) {
        return row.end_utc_ns() != 0 && until_ns > row.end_utc_ns();
      });
    });
  }

  // Nodes number their windows alone: of a later one a process of another node is no part.
  void CompareNumbers() {
    for (auto& [number, window] : windows_) {
      for (const v1::ProcessProfile* process : in_windows_) {
        const bool lacks = static_cast<uint32_t>(process->windows_size()) < number;
        const bool was_there = UntilUtcNs(*process) > window.begin_utc_ns;
        if (lacks && was_there && process->steps_size() > 0) window.aligned = false;
      }
    }
  }

  RecordingSummary& summary_;
  std::map<uint32_t, WindowSummary> windows_;
  std::vector<const v1::ProcessProfile*> in_windows_;
  std::vector<Whole> whole_;
  uint64_t recorded_ns_ = 0;
  uint64_t life_ns_ = 0;
  bool lives_known_ = true;
};

}  // namespace

bool IsPausedAtStart(const v1::ProcessProfile& process) {
  return process.notes().count("recording") != 0;
}

RecordingSummary SummarizeRecording(const RunProfile& run, const RankGroups& groups) {
  RecordingSummary summary;
  std::map<std::tuple<int64_t, std::string>, InstantSummary> marks;
  for (const v1::ProcessProfile& process : run.processes) {
    summary.paused_at_start |= IsPausedAtStart(process);
    for (const v1::InstantRow& row : process.instants()) {
      InstantSummary& mark = marks[{row.utc_ns(), row.name()}];  // one of several processes
      mark.name = row.name();
      mark.utc_ns = row.utc_ns();
      if (const auto step = StepOf(row.step())) mark.step = std::max(mark.step.value_or(0), *step);
    }
  }
  for (auto& [key, mark] : marks) summary.marks.push_back(std::move(mark));
  summary.budget = SummarizeBudget(run);
  Recorded recorded(&summary);
  for (const RankGroup& group : groups.ranks) {
    for (const v1::ProcessProfile* process : group.processes) recorded.Add(group, *process);
  }
  recorded.Finish();
  return summary;
}

}  // namespace flopsprof::model
