// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/summary.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "collector/model/collectives.h"
#include "collector/model/coverage.h"
#include "collector/model/device_time_sums.h"
#include "collector/model/findings.h"
#include "collector/model/kernel_sums.h"
#include "collector/model/module_paths.h"
#include "collector/model/module_rollup.h"
#include "collector/model/optimizer_summary.h"
#include "collector/model/performance_findings.h"
#include "collector/model/product_sums.h"
#include "collector/model/profile_bounds.h"
#include "collector/model/program_summary.h"
#include "collector/model/range_summary.h"
#include "collector/model/rank_groups.h"
#include "collector/model/rank_summary.h"
#include "collector/model/replayed_calls.h"
#include "collector/model/run_gaps.h"
#include "collector/model/run_sums.h"
#include "collector/model/shared_paths.h"
#include "collector/model/stack_summary.h"
#include "collector/model/step_parts.h"
#include "collector/model/step_summary.h"
#include "collector/model/summary_method.h"
#include "collector/model/thin_profile.h"
#include "collector/model/tuning.h"
#include "collector/model/utilisation.h"
#include "collector/model/window_summary.h"
#include "collector/model/work.h"

namespace flopsprof::model {
namespace {

// As `flopsprof env` advises for a job that somebody else starts.
bool OnlyWaits(std::string_view command) {
  const std::string_view program = command.substr(0, command.find(' '));
  return program.substr(program.rfind('/') + 1) == "sleep";
}

// Where the launcher only waits for processes that somebody else starts, its own command is not
// what was profiled. That none is below the launcher does not tell it: daemons are not either.
std::string CommandOf(const RunProfile& run) {
  if (!OnlyWaits(run.run.command())) return run.run.command();
  const v1::ProcessProfile* first = nullptr;
  for (const v1::ProcessProfile& process : run.processes) {
    if (!process.has_info() || process.info().command().empty()) continue;
    if (process.process_lives_size() == 0 || process.process_lives(0).ancestor_pid() != -1) {
      return run.run.command();
    }
    const auto start = [](const v1::ProcessProfile& p) { return p.info().start_utc_ns(); };
    if (first == nullptr || start(process) < start(*first)) first = &process;
  }
  return first == nullptr ? run.run.command() : first->info().command();
}

JobSummary SummarizeJob(const RunProfile& run, const RankGroups& groups) {
  JobSummary job;
  job.id = run.run_id;
  job.name = run.run.job();
  job.command = CommandOf(run);
  job.start_utc_ns = run.run.start_utc_ns();
  job.version = run.run.version();
  if (run.run.job_exit_known()) job.exit_code = run.run.job_exit_code();
  std::set<std::string> nodes;
  if (!run.run.node().empty() && run.processes.empty()) nodes.insert(run.run.node());
  for (const v1::ProcessProfile& process : run.processes) {
    nodes.insert(process.key().node());
    const int world = process.has_info() ? process.info().world_size() : -1;
    if (world > 0) job.world_size = std::max(job.world_size.value_or(0), world);
  }
  job.nodes.assign(nodes.begin(), nodes.end());
  // A job of one process was not started by a launcher that gives a world size.
  if (!job.world_size.has_value() && groups.ranks.size() == 1) job.world_size = 1;
  return job;
}

// The ranks of some groups with all of their rows, one after the other.
class GroupRows {
 public:
  // `source`: nullptr: they have all.
  GroupRows(const RankGroups& groups, RowSource* source) : source_(source) {
    if (source_ != nullptr) source_->Begin(ProcessesOf(groups));
  }

  // Of the next group; until the one after it.
  const RankGroup& Take(const RankGroup& group, SharedPaths* shared) {
    if (source_ == nullptr) return group;
    for (const auto& process : processes_) shared->Forget(*process);
    processes_.clear();
    whole_ = group;
    for (const v1::ProcessProfile*& process : whole_.processes) {
      processes_.push_back(source_->Next());
      process = processes_.back().get();
    }
    return whole_;
  }

 private:
  RowSource* const source_;
  RankGroup whole_;
  std::vector<std::unique_ptr<v1::ProcessProfile>> processes_;
};

std::string MainClassOf(const RankGroups& groups, RowSource* source, SharedPaths* shared) {
  const std::vector<const v1::ProcessProfile*> processes = ProcessesOf(groups);
  if (source == nullptr) return shared->MainClassOf(processes);
  // Of one model each, and of a single process, the class says nothing.
  const auto has_one = [](const v1::ProcessProfile* process) { return HasOneModel(*process); };
  if (processes.size() < 2 || std::all_of(processes.begin(), processes.end(), has_one)) return "";
  source->Begin(processes);
  for (size_t i = 0; i < processes.size(); ++i) {
    const std::unique_ptr<v1::ProcessProfile> process = source->Next();
    shared->AddToClasses(*process);
    shared->Forget(*process);
  }
  return shared->MainClass();
}

// What is added up over the rows of ranks, one rank after the other.
struct RowSums {
  Tally total;
  ModuleRollup rollup;
  ReplayedCalls replayed_calls;
  CollectiveSums collectives;
  RangeSums ranges;
  DeviceTimeSums device_times;
  KernelSums kernels;
  StackSums stacks;
  OptimizerSums optimizers;
  ProductSums products;
  std::vector<uint64_t> models;  // ModelsOf of each rank
  uint64_t undescribed_scopes = 0;
  uint64_t ranges_without_line = 0;
  uint64_t modules_without_line = 0;
};

void AddProcess(const v1::RunInfo& run, const RankGroup& group, const v1::ProcessProfile& process,
                const std::string& main_class, SharedPaths* shared, RowSums* sums,
                Tally* rank_total) {
  const auto tallies = TallyScopes(run, process, *shared->GradientsOfCalls(process));
  const ModulePaths paths = shared->PathsOf(process, main_class);
  sums->ranges_without_line += paths.ranges_without_line();
  sums->modules_without_line += paths.modules_without_line();
  for (const auto& [scope, tally] : tallies) {
    rank_total->Add(tally);
    sums->undescribed_scopes += paths.IsUndescribed(scope) ? 1 : 0;
  }
  sums->rollup.Add(group.rank, group.claim, process, paths, tallies, HasTimes(process));
  sums->replayed_calls.Add(process, paths);
  sums->collectives.Add(run, process, paths);
  sums->ranges.Add(process, paths);
  sums->kernels.Add(process);
  sums->stacks.Add(process, paths);
  sums->optimizers.Add(run, process);
}

// Adds up the rows of all ranks. `calls`: nullptr: not wanted.
void AddRows(const RunProfile& run, const RankGroups& groups, const SummaryOptions& options,
             RowSource* source, CallsAndTimes* calls, RowSums* sums, Summary* summary) {
  SharedPaths shared(options.raw_names);
  const std::string main_class = MainClassOf(groups, source, &shared);
  GroupRows rows(groups, source);
  for (const RankGroup& thin : groups.ranks) {
    const RankGroup& group = rows.Take(thin, &shared);
    Tally rank_total;
    for (const v1::ProcessProfile* process : group.processes) {
      AddProcess(run.run, group, *process, main_class, &shared, sums, &rank_total);
      AddFlopsByType(run.run, *process, false, true, &summary->totals.flops_by_type);
      if (summary->steps.tuning_sign.empty()) summary->steps.tuning_sign = TuningSign(*process);
      if (calls != nullptr) calls->Add(*process);
    }
    sums->total.Add(rank_total);
    sums->device_times.Add(group);
    AddTimes(run.run, group, &summary->coverage);
    summary->ranks.push_back(SummarizeRank(run.run, group, rank_total, options));
    for (const v1::ProcessProfile* process : group.processes) {
      sums->products.Add(run.run, *process, summary->ranks.back());
    }
    sums->models.push_back(ModelsOf(group));
  }
}

void AddSteps(const RunProfile& run, const RankGroups& groups, const SummaryOptions& options,
              const RowSums& sums, Summary* summary) {
  const std::string tuning_sign = summary->steps.tuning_sign;
  summary->steps = SummarizeSteps(groups);
  summary->steps.tuning_sign = tuning_sign;
  summary->steps.parts = PartsOfSteps(groups, summary->totals);
  // Without messages between two ranks there is no pipeline.
  const bool pipeline = HasMessages(summary->collectives);
  const std::vector<std::vector<size_t>> stages =
      StagesOf(pipeline ? sums.models : std::vector<uint64_t>(groups.ranks.size(), 0));
  summary->steps.uneven = CompareRanks(groups, summary->totals, stages);
  summary->steps.uneven_stages = CompareStages(groups, summary->totals, stages);
  if (run.run.has_first_step()) summary->steps.wanted_first = run.run.first_step();
  if (run.run.has_end_step()) summary->steps.wanted_end = run.run.end_step();
  summary->steps.first_step_phase = PhaseOfFirstStep(groups);
  summary->steps.utilisation = UtilisationBySteps(groups, summary->ranks);
  if (summary->steps.utilisation.size() > options.max_step_utilisations) {
    summary->steps.utilisation.resize(options.max_step_utilisations);
  }
  for (std::vector<StepLine>* lines : {&summary->steps.list, &summary->steps.beside}) {
    if (lines->size() > options.max_step_utilisations) lines->resize(options.max_step_utilisations);
  }
}

void AddReasons(const RowSums& sums, Coverage* coverage) {
  if (sums.undescribed_scopes > 0) {
    coverage->reasons.push_back(absl::StrCat(
        "scopes whose names never came, their work is outside: ", sums.undescribed_scopes));
  }
  if (sums.modules_without_line > 0) {
    coverage->reasons.push_back(
        absl::StrCat("modules deeper than 256 parts of a path, or beyond 131,072 lines: their work "
                     "is in the line above: ",
                     sums.modules_without_line));
  }
  if (sums.ranges_without_line > 0) {
    coverage->reasons.push_back(
        absl::StrCat("ranges beyond those that get a line of their own, their work is in "
                     "\"(other)\" lines; profile.db has each: ",
                     sums.ranges_without_line));
  }
}

// All but programs, findings, method and files.
Summary SummarizeGroups(const RunProfile& run, const RankGroups& groups,
                        const SummaryOptions& options, RowSource* source, CallsAndTimes* calls) {
  Summary summary;
  summary.job = SummarizeJob(run, groups);
  RowSums sums;
  for (const RankGroup& group : groups.ranks) {
    for (const v1::ProcessProfile* process : group.processes) {
      sums.collectives.NoteGroups(group.rank, *process);
    }
  }
  AddRows(run, groups, options, source, calls, &sums, &summary);
  for (const RankConflict& conflict : groups.conflicts) {
    summary.ranks[conflict.first].claimed_twice = true;
    summary.ranks[conflict.second].claimed_twice = true;
  }
  // A job of one process has no other place than the first.
  if (groups.ranks.size() == 1 && !summary.ranks[0].local_rank.has_value()) {
    summary.ranks[0].local_rank = 0;
  }
  for (const v1::ProcessProfile* process : groups.others) {
    summary.processes.push_back(SummarizeProcess(*process));
  }
  for (const v1::ProcessProfile& process : run.processes) {
    summary.simulated |= process.info().simulated();
  }
  summary.empty = groups.ranks.empty();
  summary.totals.work = ToWork(sums.total);
  sums.device_times.Finish(&summary.totals);
  summary.recording = SummarizeRecording(run, groups);
  summary.totals.utilisation = Together(summary.ranks);
  summary.collectives = sums.collectives.Finish();
  AddSteps(run, groups, options, sums, &summary);
  if (!summary.empty) summary.modules = sums.rollup.Finish();
  for (ModuleSummary& module : summary.modules) module.program_path = module.path;
  sums.kernels.Finish(options.max_kernels, &summary);
  sums.stacks.Finish(options.max_stacks, &summary);
  sums.ranges.Finish(options.max_ranges, &summary);
  summary.products = sums.products.Finish();
  summary.optimizers = sums.optimizers.Take();
  FinishCoverage(run, groups, summary.ranks, sums.total, &summary.coverage);
  sums.replayed_calls.Finish(&summary);
  AddReasons(sums, &summary.coverage);
  return summary;
}

void AddRunGaps(const RunProfile& run, const RankGroups& groups, Summary* summary) {
  summary->gaps = FindGaps(run, groups);
  std::vector<std::string>& reasons = summary->coverage.reasons;
  for (size_t i = 0; i < summary->gaps.size(); ++i) {
    reasons.insert(reasons.begin() + static_cast<long>(i), summary->gaps[i].text);
  }
}

void Finish(const RankGroups& groups, Summary* summary) {
  summary->findings = FindFindings(*summary, groups.numbered);
  summary->steps.bound_by = BoundBy(*summary);
  summary->method = DescribeMethod(*summary);
}

// What the summary of the run is made of where it is several programs: each is one of its own.
void SummarizePrograms(const RunProfile& run, const RankGroups& groups,
                       const SummaryOptions& options, RowSource* source,
                       std::vector<CallsAndTimes>* calls, Summary* summary) {
  for (const auto& [number, launched] : groups.launched) {
    RankGroups part;
    part.launched[number] = launched;
    for (const RankGroup& group : groups.ranks) {
      if (group.program == number) part.ranks.push_back(group);
    }
    if (calls != nullptr) calls->emplace_back();
    Summary own =
        SummarizeGroups(run, part, options, source, calls == nullptr ? nullptr : &calls->back());
    Finish(part, &own);
    AddProgram(number, launched, part, std::move(own), summary);
  }
  MergePrograms(options, summary);
}

// `calls`: of the run, and behind it of each program if there are several; nullptr: not wanted.
Summary SummarizeRows(const RunProfile& run, const SummaryOptions& options, RowSource* source,
                      std::vector<CallsAndTimes>* calls) {
  const RankGroups groups = GroupByRank(run);
  CallsAndTimes* const of_run = calls == nullptr ? nullptr : &calls->emplace_back();
  Summary summary = SummarizeGroups(run, groups, options, source, of_run);
  AddRunGaps(run, groups, &summary);
  if (groups.launched.size() > 1) {
    SummarizePrograms(run, groups, options, source, calls, &summary);
  }
  Finish(groups, &summary);
  AddFindingsOfPrograms(&summary);
  summary.files = FilesOfRun();
  return summary;
}

}  // namespace

Summary Summarize(const RunProfile& run, const SummaryOptions& options) {
  if (!run.is_bounded && !std::all_of(run.processes.begin(), run.processes.end(), IsBounded)) {
    RunProfile bounded = run;
    for (v1::ProcessProfile& process : bounded.processes) BoundProfile(&process);
    return Summarize(bounded, options);
  }
  return SummarizeRows(run, options, nullptr, nullptr);
}

RunSums SumRun(const RunProfile& run, const SummaryOptions& options) {
  RunSums sums;
  sums.summary = Summarize(run, options);
  sums.report = SumForReport(run, sums.summary);
  return sums;
}

RunSums SumRun(const RunProfile& thin, RowSource* source, const SummaryOptions& options) {
  RunSums sums;
  std::vector<CallsAndTimes> calls;
  sums.summary = SummarizeRows(thin, options, source, &calls);
  sums.report = SumForReport(thin, sums.summary, calls);
  return sums;
}

std::map<std::string, std::string> FilesOfRun() {
  return {{"manifest", "run.json"},
          {"database", "profile.db"},
          {"report", "report.txt"},
          {"summary", "summary.json"},
          {"log", "log.txt"}};
}

}  // namespace flopsprof::model
