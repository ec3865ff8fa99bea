// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/report_sums.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "collector/model/rank_groups.h"
#include "collector/model/step_summary.h"
#include "collector/model/work.h"

namespace flopsprof::model {
namespace {

using Processes = std::vector<const v1::ProcessProfile*>;

bool IsComplete(const v1::StepRow& row) {
  return row.complete() && row.end_mono_ns() > row.begin_mono_ns();
}

WorkInSteps SumSteps(const Processes& processes) {
  WorkInSteps sum;
  for (auto& flops : sum.flops) flops = 0;
  for (auto& ns : sum.gpu_time_ns) ns = 0;
  for (const v1::ProcessProfile* process : processes) {
    for (const v1::StepRow& row : process->steps()) {
      for (size_t i = 0; i < sum.flops.size() && i < static_cast<size_t>(row.flops_size()); ++i) {
        *sum.flops[i] += ToFlopCount(row.flops(static_cast<int>(i)));
      }
      for (size_t i = 0;
           i < sum.gpu_time_ns.size() && i < static_cast<size_t>(row.gpu_time_ns_size()); ++i) {
        *sum.gpu_time_ns[i] += row.gpu_time_ns(static_cast<int>(i));
      }
    }
  }
  return sum;
}

std::optional<double> SpeedOfARank(const Processes& processes) {
  double flop_count = 0;
  double wall_s = 0;
  for (const v1::ProcessProfile* process : processes) {
    const std::set<uint32_t> disturbed = DisturbedSteps(*process);
    for (const v1::StepRow& row : process->steps()) {
      if (!IsComplete(row) || row.step() == 0 || disturbed.count(row.step()) != 0) continue;
      wall_s += static_cast<double>(row.end_mono_ns() - row.begin_mono_ns()) * 1e-9;
      for (int phase = 0; phase < row.flops_size(); ++phase) {
        if (!IsModelWork(phase)) continue;
        flop_count += static_cast<double>(ToFlopCount(row.flops(phase)));
      }
    }
  }
  if (flop_count == 0 || wall_s == 0) return std::nullopt;
  return flop_count / wall_s;
}

struct StepLines {
  StepSums sums;
  std::vector<uint64_t> durations_ns;
};

void AddStep(const v1::StepRow& row, StepLines* line) {
  StepSums& sums = line->sums;
  ++sums.ranks;
  sums.busy_ns += row.gpu_busy_ns();
  sums.exposed_ns += row.exposed_communication_ns();
  for (const v1::Count& count : row.flops()) sums.flops += ToFlopCount(count);
  if (!IsComplete(row)) return;
  line->durations_ns.push_back(row.end_mono_ns() - row.begin_mono_ns());
  sums.complete_busy_ns += row.gpu_busy_ns();
}

void Finish(uint32_t step, StepLines* line) {
  std::vector<uint64_t>& durations = line->durations_ns;
  std::sort(durations.begin(), durations.end());
  StepSums& sums = line->sums;
  sums.step = step;
  sums.complete = durations.size();
  if (durations.empty()) return;
  for (const uint64_t ns : durations) sums.wall_ns += ns;
  sums.slowest_ns = durations.back();
  sums.middle_two_ns = durations[(durations.size() - 1) / 2] + durations[durations.size() / 2];
}

std::vector<StepSums> SumByStep(const Processes& processes) {
  std::map<uint32_t, StepLines> lines;
  for (const v1::ProcessProfile* process : processes) {
    const bool unseen = MayHaveUnseenKernels(*process);
    const bool incomplete = unseen || LacksTimes(*process);
    for (const v1::StepRow& row : process->steps()) {
      StepLines& line = lines[row.step()];
      line.sums.unseen_kernels = line.sums.unseen_kernels || incomplete;
      line.sums.has_unknown = line.sums.has_unknown || unseen;
      AddStep(row, &line);
    }
  }
  for (const v1::ProcessProfile* process : processes) {
    for (const v1::StepFacts& facts : process->step_facts()) {
      const auto line = lines.find(facts.step());
      if (line == lines.end()) continue;
      StepSums& sums = line->second.sums;
      sums.has_unknown = sums.has_unknown || facts.has_unknown();
      sums.exposed_unknown = sums.exposed_unknown || facts.exposed_unknown();
    }
  }
  std::vector<StepSums> steps;
  for (auto& [step, line] : lines) {
    Finish(step, &line);
    steps.push_back(line.sums);
  }
  return steps;
}

// All but calls, times and programs.
ReportSums SumRows(const Processes& processes) {
  ReportSums sums;
  for (const v1::ProcessProfile* process : processes) {
    sums.rank_steps += static_cast<uint64_t>(process->steps_size());
  }
  sums.in_steps = SumSteps(processes);
  sums.speed_of_a_rank = SpeedOfARank(processes);
  sums.steps = SumByStep(processes);
  return sums;
}

// What rows of calls and times add to them.
void AddRows(const CallsAndTimes& rows, ReportSums* sums) {
  sums->time_in_no_step_ns = rows.time_in_no_step_ns();
  sums->category_times = sums->rank_steps > 0 ? rows.in_steps() : rows.outside_steps();
}

// The groups all of whose processes are among these.
StepPicture PictureOf(const RankGroups& groups, const Processes& processes) {
  const std::set<const v1::ProcessProfile*> among(processes.begin(), processes.end());
  std::vector<const RankGroup*> ranks;
  for (const RankGroup& group : groups.ranks) {
    const auto& own = group.processes;
    const bool all = std::all_of(own.begin(), own.end(), [&among](const auto* process) {
      return among.count(process) != 0;
    });
    if (all) ranks.push_back(&group);
  }
  return TypicalStep(ranks);
}

// The processes of each program, in their order in the run.
std::vector<Processes> ProcessesOfPrograms(const RunProfile& run, const Summary& summary) {
  std::map<std::tuple<std::string, int, uint64_t, uint64_t>, size_t> program_of;
  for (size_t i = 0; i < summary.programs.size(); ++i) {
    for (const ProgramSummary::Process& process : summary.programs[i].processes) {
      program_of[{process.node, process.pid, process.start_ticks, process.image}] = i;
    }
  }
  std::vector<Processes> programs(summary.programs.size());
  if (programs.empty()) return programs;
  for (const v1::ProcessProfile& process : run.processes) {
    const v1::ProcessKey& key = process.key();
    const auto found = program_of.find({key.node(), key.pid(), key.start_ticks(), key.image()});
    if (found != program_of.end()) programs[found->second].push_back(&process);
  }
  return programs;
}

}  // namespace

void CallsAndTimes::Add(const v1::ProcessProfile& process) {
  for (const v1::TimeRow& row : process.times()) {
    if (!row.in_step()) time_in_no_step_ns_ += row.gpu_time_ns();
    const auto phase = static_cast<size_t>(row.phase());
    const auto category = static_cast<size_t>(row.category());
    if (phase >= kPhaseCount || category >= kTimeCategories) continue;
    (row.in_step() ? in_steps_ : outside_steps_)[phase][category] += row.gpu_time_ns();
  }
  for (const v1::CallRow& row : process.calls()) {
    if (row.kind() == v1::CALL_KIND_COLLECTIVE) continue;
    CallSums& sum = calls_[{row.api(), row.shape(), row.compute_type(), row.captured()}];
    sum.calls += row.calls();
    sum.flops += ToFlopCount(row.flops());
    sum.flops_known = sum.flops_known && row.flops_known();
    sum.kernels += row.kernels();
    sum.gpu_time_ns += row.gpu_time_ns();
    // A call with an empty dimension launches nothing.
    const bool products = !row.flops_known() || ToFlopCount(row.flops()) != 0;
    sum.lacks_times = sum.lacks_times || (products && row.kernels() < row.calls());
  }
}

std::vector<CallSums> CallsAndTimes::Calls() const {
  std::vector<CallSums> rows;
  for (const auto& [key, sum] : calls_) {
    rows.push_back(sum);
    std::tie(rows.back().api, rows.back().shape, rows.back().compute_type, rows.back().captured) =
        key;
  }
  std::stable_sort(rows.begin(), rows.end(), [](const CallSums& a, const CallSums& b) {
    return std::tie(a.gpu_time_ns, a.flops) > std::tie(b.gpu_time_ns, b.flops);
  });
  return rows;
}

ReportSums SumForReport(const RunProfile& run, const Summary& summary,
                        const std::vector<CallsAndTimes>& rows) {
  Processes all;
  for (const v1::ProcessProfile& process : run.processes) all.push_back(&process);
  ReportSums sums = SumRows(all);
  const RankGroups groups = GroupByRank(run);
  sums.calls = rows.at(0).Calls();
  sums.picture = PictureOf(groups, all);
  AddRows(rows.at(0), &sums);
  for (const Processes& program : ProcessesOfPrograms(run, summary)) {
    sums.programs.push_back(SumRows(program));
    sums.programs.back().picture = PictureOf(groups, program);
    AddRows(rows.at(sums.programs.size()), &sums.programs.back());
  }
  return sums;
}

ReportSums SumForReport(const RunProfile& run, const Summary& summary) {
  std::vector<CallsAndTimes> rows(1);
  for (const v1::ProcessProfile& process : run.processes) rows[0].Add(process);
  for (const Processes& program : ProcessesOfPrograms(run, summary)) {
    rows.emplace_back();
    for (const v1::ProcessProfile* process : program) rows.back().Add(*process);
  }
  return SumForReport(run, summary, rows);
}

}  // namespace flopsprof::model
