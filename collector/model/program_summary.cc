// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/program_summary.h"
#include "collector/model/findings.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "collector/model/findings.h"
#include "collector/model/rank_summary.h"

namespace flopsprof::model {
namespace {

// The path of a program's module in the run. The first program has the run's own names.
std::string PathInRun(int program, const std::string& path) {
  if (program == 0) return path;
  return absl::StrCat("(program ", program, ")", path.empty() ? "" : ".", path);
}

template <typename Item, typename Longer>
uint64_t SortAndCut(size_t max, Longer longer, std::vector<Item>* items) {
  std::stable_sort(items->begin(), items->end(), longer);
  if (items->size() <= max) return 0;
  const uint64_t cut = items->size() - max;
  items->resize(max);
  return cut;
}

// "(outside)" of the first program stays the last line of the run.
void MergeModules(Summary* summary) {
  summary->modules.clear();
  std::vector<ModuleSummary> outside;
  std::set<std::string> used;
  for (const ProgramSummary& program : summary->programs) {
    for (ModuleSummary module : program.own.modules) {
      module.program = program.number;
      module.path = PathInRun(program.number, module.program_path);
      for (std::string& alias : module.aliases) alias = PathInRun(program.number, alias);
      // A range may be called as another program's paths are.
      while (!used.insert(module.path).second) module.path += "#2";
      const bool last = program.number == 0 && module.path == kOutsidePath;
      (last ? outside : summary->modules).push_back(std::move(module));
    }
  }
  summary->modules.insert(summary->modules.end(), outside.begin(), outside.end());
}

void MergeSteps(Summary* summary) {
  StepsSummary steps;
  int with_steps = 0;
  for (const ProgramSummary& program : summary->programs) {
    const StepsSummary& own = program.own.steps;
    if (own.profiled == 0) continue;
    steps = ++with_steps == 1 ? own : steps;
    if (with_steps == 1) continue;
    const uint32_t profiled = steps.profiled + own.profiled;
    const uint32_t left_out = steps.left_out + own.left_out;
    steps = StepsSummary{};
    steps.profiled = profiled;
    steps.left_out = left_out;
  }
  summary->steps = steps;
}

// Windows have one number in all processes, but steps only have one within a program.
void MergeWindows(Summary* summary) {
  RecordingSummary& recording = summary->recording;
  recording.whole_ranks.clear();
  for (const ProgramSummary& program : summary->programs) {
    const std::vector<std::string>& own = program.own.recording.whole_ranks;
    recording.whole_ranks.insert(recording.whole_ranks.end(), own.begin(), own.end());
  }
  for (WindowSummary& window : recording.windows) {
    window.aligned = true;
    bool first = true;
    for (const ProgramSummary& program : summary->programs) {
      for (const WindowSummary& own : program.own.recording.windows) {
        if (own.number != window.number) continue;
        window.aligned = window.aligned && own.aligned;
        if (first) {
          window.first_step = own.first_step;
          window.end_step = own.end_step;
          window.cut_step = own.cut_step;
        } else {
          if (window.first_step != own.first_step) window.first_step.reset();
          if (window.end_step != own.end_step) window.end_step.reset();
          if (window.cut_step != own.cut_step) window.cut_step.reset();
        }
        first = false;
      }
    }
  }
}

}  // namespace

void AddProgram(int number, bool launched, const RankGroups& part, Summary own, Summary* summary) {
  ProgramSummary program;
  program.number = number;
  program.launched = launched;
  for (const RankGroup& group : part.ranks) {
    for (const v1::ProcessProfile* process : group.processes) {
      const v1::ProcessKey& key = process->key();
      program.processes.push_back({key.node(), key.pid(), key.start_ticks(), key.image()});
    }
  }
  if (!part.ranks.empty()) {
    const ProcessSummary first = SummarizeProcess(*part.ranks.front().processes.front());
    program.command = first.command;
    program.state = first.state;
    program.exit_code = first.exit_code;
  }
  program.own = std::move(own);
  summary->programs.push_back(std::move(program));
}

void MergePrograms(const SummaryOptions& options, Summary* summary) {
  MergeModules(summary);
  MergeSteps(summary);
  MergeWindows(summary);
  summary->collectives.clear();
  summary->ranges.clear();
  summary->ranges_left_out = 0;
  summary->marks.clear();
  summary->marks_left_out = 0;
  summary->stacks.clear();
  summary->stacks_left_out = 0;
  for (const ProgramSummary& program : summary->programs) {
    const int number = program.number;
    for (CollectiveSummary collective : program.own.collectives) {
      collective.module = PathInRun(number, collective.module);
      summary->collectives.push_back(std::move(collective));
    }
    for (RangeSummary range : program.own.ranges) {
      range.module = PathInRun(number, range.module);
      summary->ranges.push_back(std::move(range));
    }
    for (MarkSummary mark : program.own.marks) {
      mark.module = PathInRun(number, mark.module);
      summary->marks.push_back(std::move(mark));
    }
    for (StackSummary stack : program.own.stacks) {
      stack.path = PathInRun(number, stack.path);
      summary->stacks.push_back(std::move(stack));
    }
    summary->ranges_left_out += program.own.ranges_left_out;
    summary->marks_left_out += program.own.marks_left_out;
    summary->stacks_left_out += program.own.stacks_left_out;
  }
  SortAndCut(
      summary->collectives.size(),
      [](const auto& a, const auto& b) { return a.gpu_time_ns > b.gpu_time_ns; },
      &summary->collectives);
  summary->ranges_left_out += SortAndCut(
      options.max_ranges, [](const auto& a, const auto& b) { return a.entries > b.entries; },
      &summary->ranges);
  summary->marks_left_out += SortAndCut(
      options.max_ranges, [](const auto& a, const auto& b) { return a.count > b.count; },
      &summary->marks);
  summary->stacks_left_out += SortAndCut(
      options.max_stacks,
      [](const auto& a, const auto& b) {
        return std::tie(a.gpu_time_ns, a.launches) > std::tie(b.gpu_time_ns, b.launches);
      },
      &summary->stacks);
}

void AddFindingsOfPrograms(Summary* summary) {
  std::set<std::string> said;
  for (const Finding& finding : summary->findings) said.insert(finding.text);
  for (const ProgramSummary& program : summary->programs) {
    for (Finding finding : program.own.findings) {
      if (said.count(finding.text) != 0) continue;
      finding.text = absl::StrCat("program ", program.number, ": ", finding.text);
      summary->findings.push_back(std::move(finding));
    }
  }
  OrderFindings(&summary->findings);
}

}  // namespace flopsprof::model
