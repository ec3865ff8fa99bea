// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/rank_groups.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include "collector/model/programs.h"
#include "collector/model/rank_claims.h"
#include "proto/shm/records.h"

namespace flopsprof::model {
namespace {

bool Earlier(const v1::ProcessProfile* a, const v1::ProcessProfile* b) {
  const auto key = [](const v1::ProcessProfile& process) {
    return std::tuple(process.info().start_utc_ns(), process.key().node(),
                      process.key().start_ticks(), process.key().pid());
  };
  return key(*a) < key(*b);
}

// The programs of a run, and what its processes say of their ranks.
struct Claimed {
  std::vector<Program> programs;
  std::set<int> ranks;
  std::map<const v1::ProcessProfile*, int> claim_of;  // of those with a rank
};

// `others`: processes that are in no program, because they did nothing that a report shows.
Claimed ClaimRanks(const RunProfile& run, std::vector<const v1::ProcessProfile*>* others) {
  const bool nothing = WindowWasNotReached(run);
  std::vector<const v1::ProcessProfile*> processes;
  for (const v1::ProcessProfile& process : run.processes) processes.push_back(&process);
  std::sort(processes.begin(), processes.end(), Earlier);
  Claimed claimed;
  RankClaims claims(run);
  std::vector<const v1::ProcessProfile*> used_gpu;
  for (const v1::ProcessProfile* process : processes) {
    const bool reported = UsedGpu(*process) && !nothing;
    (reported ? used_gpu : *others).push_back(process);
    if (!reported || !process->has_info() || process->info().rank() < 0) continue;
    claimed.ranks.insert(process->info().rank());
    claimed.claim_of[process] = claims.ClaimOf(*process);
  }
  claimed.programs = FindPrograms(processes, used_gpu, claims);
  return claimed;
}

// One group for each rank, restart and claim of a launched program.
std::vector<RankGroup> GroupLaunched(const Program& program, int number,
                                     const std::map<const v1::ProcessProfile*, int>& claim_of) {
  std::map<std::tuple<int, int, int>, RankGroup> by_key;  // rank, restart, claim
  for (const v1::ProcessProfile* process : program.processes) {
    const int restart = std::max(process->info().restart(), 0);
    RankGroup& group = by_key[{process->info().rank(), restart, claim_of.at(process)}];
    group.processes.push_back(process);
  }
  std::vector<RankGroup> groups;
  for (auto& [key, group] : by_key) {
    std::tie(group.rank, group.restart, group.claim) = key;
    group.program = number;
    groups.push_back(std::move(group));
  }
  return groups;
}

// Gives the processes of a program without ranks the smallest free numbers, node by node, and adds
// to each the processes that work for it.
std::vector<RankGroup> GroupUnranked(const Program& program, int number, std::set<int>* used) {
  std::vector<const v1::ProcessProfile*> processes = program.processes;
  std::stable_sort(processes.begin(), processes.end(),
                   [](const v1::ProcessProfile* a, const v1::ProcessProfile* b) {
                     return a->key().node() < b->key().node();
                   });
  std::vector<RankGroup> groups;
  int next = 0;
  for (const v1::ProcessProfile* process : processes) {
    while (used->count(next) != 0) ++next;
    used->insert(next);
    groups.push_back({number, next, std::max(process->info().restart(), 0), 0, "", {process}});
  }
  for (const auto& [process, owner] : program.works_for) {
    for (RankGroup& group : groups) {
      if (group.processes.front() == owner) group.processes.push_back(process);
    }
  }
  return groups;
}

// `several`: programs in the run.
void Label(const Program& program, bool several, std::vector<RankGroup>* groups) {
  const bool alone = !program.launched && groups->size() == 1;
  for (RankGroup& group : *groups) {
    const std::string of_program = "program " + std::to_string(group.program);
    const std::string rank = "rank " + std::to_string(group.rank);
    group.label = !several ? rank : alone ? of_program : rank + " of " + of_program;
  }
}

}  // namespace

bool UsedGpu(const v1::ProcessProfile& process) {
  return process.info().used_gpu() || process.times_size() > 0 || process.calls_size() > 0;
}

bool WindowWasNotReached(const RunProfile& run) {
  const uint32_t end = run.run.has_end_step() ? run.run.end_step() : shm::kNoStep;
  const auto recorded = [&](const v1::ProcessProfile& process) {
    // A step of the window of which no work came was reached: its records are lost.
    const auto& labels = process.step_labels();
    const bool reached = std::any_of(labels.begin(), labels.end(), [&](const auto& label) {
      return label.number() >= run.run.first_step() && label.number() < end;
    });
    return reached || process.calls_size() > 0 || process.times_size() > 0 ||
           process.steps_size() > 0;
  };
  return run.run.has_first_step() &&
         std::none_of(run.processes.begin(), run.processes.end(), recorded) &&
         std::any_of(run.processes.begin(), run.processes.end(), UsedGpu);
}

RankGroups GroupByRank(const RunProfile& run) {
  RankGroups result;
  const Claimed claimed = ClaimRanks(run, &result.others);
  std::set<int> used = claimed.ranks;
  for (size_t i = 0; i < claimed.programs.size(); ++i) {
    const Program& program = claimed.programs[i];
    const int number = static_cast<int>(i);
    result.launched[number] = program.launched;
    std::vector<RankGroup> groups = program.launched
                                        ? GroupLaunched(program, number, claimed.claim_of)
                                        : GroupUnranked(program, number, &used);
    // A program of one process has no rank to be told: nothing was guessed.
    if (!program.launched && groups.size() > 1) result.numbered += static_cast<int>(groups.size());
    Label(program, claimed.programs.size() > 1, &groups);
    std::move(groups.begin(), groups.end(), std::back_inserter(result.ranks));
  }
  std::sort(result.ranks.begin(), result.ranks.end(), [](const RankGroup& a, const RankGroup& b) {
    return std::tie(a.program, a.rank, a.restart, a.claim) <
           std::tie(b.program, b.rank, b.restart, b.claim);
  });
  result.conflicts = FindConflicts(result.ranks);
  return result;
}

std::string StateText(const v1::ProcessInfo& info) {
  switch (info.state()) {
    case v1::PROCESS_STATE_EXITED:
      return "exited";
    case v1::PROCESS_STATE_SIGNALLED:
      return "signal " + std::to_string(info.exit_signal());
    case v1::PROCESS_STATE_RUNNING:
      return "running";
    default:
      return "lost";
  }
}

std::vector<const v1::ProcessProfile*> ProcessesOf(const RankGroups& groups) {
  std::vector<const v1::ProcessProfile*> processes;
  for (const RankGroup& group : groups.ranks) {
    processes.insert(processes.end(), group.processes.begin(), group.processes.end());
  }
  return processes;
}

}  // namespace flopsprof::model
