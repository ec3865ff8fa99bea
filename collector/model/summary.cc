// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/summary.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_join.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

#include "collector/model/collectives.h"
#include "collector/model/coverage.h"
#include "collector/model/findings.h"
#include "collector/model/kernels/kernel_classes.h"
#include "collector/model/module_paths.h"
#include "collector/model/module_rollup.h"
#include "collector/model/optimizer_summary.h"
#include "collector/model/profile_bounds.h"
#include "collector/model/program_summary.h"
#include "collector/model/range_summary.h"
#include "collector/model/rank_groups.h"
#include "collector/model/rank_summary.h"
#include "collector/model/replayed_calls.h"
#include "collector/model/run_gaps.h"
#include "collector/model/stack_summary.h"
#include "collector/model/step_summary.h"
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

// Time of communication kernels during which other work ran on the device: of all steps where
// there are any, else of the whole run. Absent: some of it was not compared.
std::optional<uint64_t> HiddenCommunication(const RankGroup& group) {
  Tally in_steps;
  Tally in_run;
  bool any_step = false;
  for (const v1::ProcessProfile* process : group.processes) {
    any_step = any_step || process->steps_size() > 0;
    for (const v1::TimeRow& row : process->times()) {
      in_run.AddTime(row);
      if (row.in_step()) in_steps.AddTime(row);
    }
    for (const v1::CommunicationRow& row : process->communications()) {
      in_run.AddCommunication(row);
      if (row.in_step()) in_steps.AddCommunication(row);
    }
  }
  return any_step ? in_steps.hidden_communication_ns() : in_run.hidden_communication_ns();
}

// Busy, idle and exposed time: of the steps where there are any, else of the whole run.
void SummarizeDeviceTime(const RankGroups& groups, Totals* totals) {
  uint64_t busy_ns = 0;
  uint64_t idle_ns = 0;
  uint64_t exposed_ns = 0;
  std::optional<uint64_t> hidden_ns = 0;
  bool any = false;
  // Where CUPTI was not ours all along, unseen work would pass for idle time.
  bool all_seen = true;
  bool exposed_known = true;
  for (const RankGroup& group : groups.ranks) {
    uint64_t rank_busy_ns = 0;
    uint64_t rank_span_ns = 0;
    uint64_t rank_exposed_ns = 0;
    bool seen = true;
    for (const v1::ProcessProfile* process : group.processes) {
      seen = seen && !MayHaveUnseenKernels(*process) && !LacksTimes(*process);
      exposed_known = exposed_known && process->loss().count("communication_shared") == 0;
      for (const v1::DeviceTime& time : process->device_times()) {
        rank_busy_ns += time.busy_ns();
        rank_span_ns += time.last_gpu_ns() - std::min(time.first_gpu_ns(), time.last_gpu_ns());
        rank_exposed_ns += time.busy_ns() - std::min(time.not_communication_ns(), time.busy_ns());
      }
    }
    all_seen = all_seen && seen;
    if (rank_busy_ns == 0) continue;
    any = true;
    const std::optional<uint64_t> rank_hidden_ns = HiddenCommunication(group);
    if (!rank_hidden_ns.has_value()) {
      hidden_ns.reset();
    } else if (hidden_ns.has_value()) {
      *hidden_ns += *rank_hidden_ns;
    }
    busy_ns += rank_busy_ns;
    const StepTime steps = CompleteSteps(group);
    if (steps.complete > 0) {
      const uint64_t available_ns = steps.wall_ns * DevicesInUse(group);
      idle_ns += available_ns - std::min(steps.busy_ns, available_ns);
      exposed_ns += steps.exposed_communication_ns;
    } else {
      idle_ns += rank_span_ns - std::min(rank_busy_ns, rank_span_ns);
      exposed_ns += rank_exposed_ns;
    }
  }
  if (!any) return;
  totals->gpu_busy_ns = busy_ns;
  if (!all_seen) return;
  totals->idle_ns = idle_ns;
  totals->hidden_communication_ns = hidden_ns;
  if (exposed_known) totals->exposed_communication_ns = exposed_ns;
}

void SummarizeKernels(const RankGroups& groups, size_t max_kernels, Summary* summary) {
  std::map<std::tuple<std::string, std::string, std::string, std::string>, KernelSummary> kernels;
  for (const RankGroup& group : groups.ranks) {
    for (const v1::ProcessProfile* process : group.processes) {
      for (const v1::KernelRow& row : process->kernels()) {
        if (row.count() == 0) continue;
        const std::string category(CategoryName(row.category()));
        const std::string phase(PhaseName(PhaseIndex(row.phase())));
        KernelSummary& kernel = kernels[{row.name(), row.kind(), category, phase}];
        const bool is_first_time = kernel.max_ns == 0;
        kernel.name = row.name();
        kernel.kind = row.kind();
        kernel.category = category;
        kernel.phase = phase;
        kernel.count += row.count();
        kernel.gpu_time_ns += row.gpu_time_ns();
        if (row.max_ns() == 0) continue;  // no valid time in it
        kernel.min_ns = is_first_time ? row.min_ns() : std::min(kernel.min_ns, row.min_ns());
        kernel.max_ns = std::max(kernel.max_ns, row.max_ns());
      }
    }
  }
  for (const RankGroup& group : groups.ranks) {
    for (const v1::ProcessProfile* process : group.processes) {
      for (const v1::KernelOwner& owner : process->kernel_owners()) {
        const auto found =
            kernels.find({owner.name(), "kernel", std::string(CategoryName(owner.category())),
                          std::string(PhaseName(PhaseIndex(owner.phase())))});
        if (found != kernels.end()) found->second.in_call += owner.in_call();
      }
    }
  }
  for (auto& [key, kernel] : kernels) summary->kernels.push_back(std::move(kernel));
  std::stable_sort(
      summary->kernels.begin(), summary->kernels.end(),
      [](const KernelSummary& a, const KernelSummary& b) { return a.gpu_time_ns > b.gpu_time_ns; });
  if (summary->kernels.size() > max_kernels) {
    summary->kernels_left_out = summary->kernels.size() - max_kernels;
    summary->kernels.resize(max_kernels);
  }
  for (KernelSummary& kernel : summary->kernels) {
    if (kernel.category == "no_products") {
      kernel.kernel_class = KernelClassName(ClassOfKernel(kernel.name));
    }
  }
}

std::map<std::string, std::string> DescribeMethod(const Summary& summary) {
  std::map<std::string, std::string> method = {
      {"flops",
       "products only, from the arguments of library calls that ran; 1 multiply-add is 2 flops; "
       "sums over all profiled steps and ranks; what is modelled by a formula is marked"},
      {"macs", "flops / 2"},
      {"not in flops",
       "bias, activation, alpha and beta; elementwise work (of optimizers too), normalisation, "
       "softmax, pooling: their kernels are known by name, and their time is no_products"},
      {"optimizer",
       "products that an optimizer makes itself (Muon, Shampoo) are flops of phase optimizer: in "
       "the totals and in hfu, not in mfu"},
      {"complex, 3M, emulated",
       "8 operations a complex multiply-add; nominal size, by the type asked for"},
      {"2:4 sparse", "dense-equivalent; half of it is executed; never against the dense peak"},
      {"attention",
       "all pairs of query and key (dense) with or without a causal mask; the pairs that a mask "
       "leaves are in `detail` of the call in profile.db, executed tiles are not seen; a repeated "
       "QK^T is recompute"},
      {"padding", "sizes as the call got them; what a kernel pads inside is not seen"},
      {"tuning runs",
       "calls that look for the fastest way count as calls; step 0, where they mostly run, is left "
       "out of MFU and step times; which call of a step was the real one is not told apart"},
      {"collectives",
       "bytes as the caller passed them; wait: GPU time before the last rank of the group began, "
       "known where all of them ran on one node and were seen; the rest is transfer"},
      {"hidden communication",
       "time of communication kernels while the same device did anything else (kernels, copies, "
       "sets); the rest is exposed; communication beside communication is not hidden by it"},
      {"params",
       "elements, each memory once (tied weights), whole where ranks hold parts of them; active: "
       "without the experts that a token is not sent to"},
      {"gpu_time", "sum of kernel, copy and set durations as CUPTI gives them"},
      {"gpu_busy", "union of the same intervals per device"},
      {"calls",
       "entries of the module's forward, repetitions by recomputation left out; not known for a "
       "model that CUDA graphs replayed: a replay enters no module"},
      {"mfu",
       "flops of the model (forward, backward, evaluation, generation), each type at its own dense "
       "peak, over wall time and GPUs of the complete steps without step 0; hfu: with recompute "
       "and the optimizer's products; a lower bound while kernels are unknown"},
      {"steps",
       "median and 95th percentile (nearest rank) over the complete steps of all ranks "
       "without step 0 and steps with compilation or tuning; work before the first step and after "
       "the last optimizer is in none"},
      {"overhead", "numbers of hooks times their cost on the build machine"},
      {"conventions", "docs/conventions.md"}};
  std::set<std::string> peaks;
  for (const RankSummary& rank : summary.ranks) {
    const auto graphs = rank.notes.find("graphs");
    if (graphs != rank.notes.end() && !summary.coverage.graphs.empty()) {
      method["graphs"] = absl::StrCat(
          "each replay counts what was captured, in the scope and phase of the capture and the "
          "step of the replay; replays are timed ",
          graphs->second);
    }
    if (const auto stacks = rank.notes.find("stacks"); stacks != rank.notes.end()) {
      const auto python = rank.notes.find("python_stacks");
      method["stacks"] = absl::StrCat(
          "of launches outside of modules, without a library call, or without Python: ",
          stacks->second,
          "; Python frames: ", python == rank.notes.end() ? "no Python" : python->second);
    }
    for (const DeviceSummary& device : rank.devices) {
      if (device.peaks.has_value()) peaks.insert(PeakText(*device.peaks));
    }
  }
  if (!peaks.empty()) method["peak"] = absl::StrJoin(peaks, " | ");
  return method;
}

// All but programs, findings, method and files.
Summary SummarizeGroups(const RunProfile& run, const RankGroups& groups,
                        const SummaryOptions& options) {
  Summary summary;
  summary.job = SummarizeJob(run, groups);
  Tally total;
  ModuleRollup rollup;
  ReplayedCalls replayed_calls;
  CollectiveSums collectives;
  RangeSums ranges;
  for (const RankGroup& group : groups.ranks) {
    for (const v1::ProcessProfile* process : group.processes) {
      collectives.NoteGroups(group.rank, *process);
    }
  }
  uint64_t undescribed_scopes = 0;
  uint64_t ranges_without_line = 0;
  uint64_t modules_without_line = 0;
  const std::string main_class = ModulePaths::MainClassOf(ProcessesOf(groups));
  for (const RankGroup& group : groups.ranks) {
    Tally rank_total;
    for (const v1::ProcessProfile* process : group.processes) {
      const auto tallies = TallyScopes(run.run, *process);
      const ModulePaths paths(*process, options.raw_names, main_class);
      ranges_without_line += paths.ranges_without_line();
      modules_without_line += paths.modules_without_line();
      for (const auto& [scope, tally] : tallies) {
        rank_total.Add(tally);
        undescribed_scopes += paths.IsUndescribed(scope) ? 1 : 0;
      }
      rollup.Add(group.rank, group.claim, paths, tallies, HasTimes(*process));
      replayed_calls.Add(*process, paths);
      collectives.Add(run.run, *process, paths);
      ranges.Add(*process, paths);
      AddFlopsByType(run.run, *process, false, true, &summary.totals.flops_by_type);
    }
    total.Add(rank_total);
    summary.ranks.push_back(SummarizeRank(run.run, group, rank_total, options));
  }
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
  summary.totals.work = ToWork(total);
  SummarizeDeviceTime(groups, &summary.totals);
  summary.recording = SummarizeRecording(run, groups);
  summary.steps = SummarizeSteps(groups);
  if (run.run.has_first_step()) summary.steps.wanted_first = run.run.first_step();
  if (run.run.has_end_step()) summary.steps.wanted_end = run.run.end_step();
  summary.steps.first_step_phase = PhaseOfFirstStep(groups);
  summary.steps.tuning_sign = TuningSign(groups);
  summary.totals.utilisation = Together(summary.ranks);
  summary.steps.utilisation = UtilisationBySteps(groups, summary.ranks);
  if (summary.steps.utilisation.size() > options.max_step_utilisations) {
    summary.steps.utilisation.resize(options.max_step_utilisations);
  }
  for (std::vector<StepLine>* lines : {&summary.steps.list, &summary.steps.beside}) {
    if (lines->size() > options.max_step_utilisations) lines->resize(options.max_step_utilisations);
  }
  if (!summary.empty) summary.modules = rollup.Finish();
  for (ModuleSummary& module : summary.modules) module.program_path = module.path;
  SummarizeKernels(groups, options.max_kernels, &summary);
  SummarizeStacks(groups, options.max_stacks, options.raw_names, &summary);
  ranges.Finish(options.max_ranges, &summary);
  summary.collectives = collectives.Finish();
  summary.optimizers = SummarizeOptimizers(run.run, groups);
  summary.coverage = SummarizeCoverage(run, groups, summary.ranks, total);
  replayed_calls.Finish(&summary);
  if (undescribed_scopes > 0) {
    summary.coverage.reasons.push_back(
        absl::StrCat("scopes whose names never came, their work is outside: ", undescribed_scopes));
  }
  if (modules_without_line > 0) {
    summary.coverage.reasons.push_back(
        absl::StrCat("modules deeper than 256 parts of a path, or beyond 131,072 lines: their work "
                     "is in the line above: ",
                     modules_without_line));
  }
  if (ranges_without_line > 0) {
    summary.coverage.reasons.push_back(
        absl::StrCat("ranges beyond those that get a line of their own, their work is in "
                     "\"(other)\" lines; profile.db has each: ",
                     ranges_without_line));
  }
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
  summary->method = DescribeMethod(*summary);
}

// What the summary of the run is made of where it is several programs: each is one of its own.
void SummarizePrograms(const RunProfile& run, const RankGroups& groups,
                       const SummaryOptions& options, Summary* summary) {
  for (const auto& [number, launched] : groups.launched) {
    RankGroups part;
    part.launched[number] = launched;
    for (const RankGroup& group : groups.ranks) {
      if (group.program == number) part.ranks.push_back(group);
    }
    Summary own = SummarizeGroups(run, part, options);
    Finish(part, &own);
    AddProgram(number, launched, part, std::move(own), summary);
  }
  MergePrograms(options, summary);
}

}  // namespace

Summary Summarize(const RunProfile& run, const SummaryOptions& options) {
  if (!std::all_of(run.processes.begin(), run.processes.end(), IsBounded)) {
    RunProfile bounded = run;
    for (v1::ProcessProfile& process : bounded.processes) BoundProfile(&process);
    return Summarize(bounded, options);
  }
  const RankGroups groups = GroupByRank(run);
  Summary summary = SummarizeGroups(run, groups, options);
  AddRunGaps(run, groups, &summary);
  if (groups.launched.size() > 1) SummarizePrograms(run, groups, options, &summary);
  Finish(groups, &summary);
  AddFindingsOfPrograms(&summary);
  summary.files = {{"manifest", "run.json"},
                   {"database", "profile.db"},
                   {"report", "report.txt"},
                   {"summary", "summary.json"},
                   {"log", "log.txt"}};
  return summary;
}

}  // namespace flopsprof::model
