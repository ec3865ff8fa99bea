// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/rank_groups.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "collector/model/rank_claims.h"

namespace flopsprof::model {
namespace {

using GroupKey = std::tuple<int, int, int>;  // rank, restart, claim

bool Earlier(const v1::ProcessProfile* a, const v1::ProcessProfile* b) {
  const auto key = [](const v1::ProcessProfile& process) {
    return std::tuple(process.info().start_utc_ns(), process.key().node(),
                      process.key().start_ticks(), process.key().pid());
  };
  return key(*a) < key(*b);
}

// Gives the processes without a rank the smallest free numbers, node by node.
void NumberUnranked(std::vector<const v1::ProcessProfile*> unranked,
                    std::map<GroupKey, RankGroup>* groups) {
  std::stable_sort(unranked.begin(), unranked.end(),
                   [](const v1::ProcessProfile* a, const v1::ProcessProfile* b) {
                     return a->key().node() < b->key().node();
                   });
  std::set<int> used;
  for (const auto& [key, group] : *groups) used.insert(std::get<0>(key));
  int next = 0;
  for (const v1::ProcessProfile* process : unranked) {
    while (used.count(next) != 0) ++next;
    (*groups)[{next, process->info().restart(), 0}].processes.push_back(process);
    used.insert(next);
  }
}

}  // namespace

bool UsedGpu(const v1::ProcessProfile& process) {
  return process.info().used_gpu() || process.times_size() > 0 || process.calls_size() > 0;
}

RankGroups GroupByRank(const RunProfile& run) {
  std::vector<const v1::ProcessProfile*> processes;
  for (const v1::ProcessProfile& process : run.processes) processes.push_back(&process);
  std::sort(processes.begin(), processes.end(), Earlier);

  RankGroups result;
  std::map<GroupKey, RankGroup> groups;
  RankClaims claims(run);
  std::vector<const v1::ProcessProfile*> unranked;
  for (const v1::ProcessProfile* process : processes) {
    if (!UsedGpu(*process)) {
      result.others.push_back(process);
    } else if (!process->has_info() || process->info().rank() < 0) {
      unranked.push_back(process);
    } else {
      const int claim = claims.ClaimOf(*process);
      groups[{process->info().rank(), process->info().restart(), claim}].processes.push_back(
          process);
    }
  }
  // A job of one process has no rank to be told: it is rank 0, and nothing was guessed.
  result.numbered = unranked.size() + groups.size() > 1 ? static_cast<int>(unranked.size()) : 0;
  NumberUnranked(unranked, &groups);
  for (auto& [key, group] : groups) {
    std::tie(group.rank, group.restart, group.claim) = key;
    result.ranks.push_back(std::move(group));
  }
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

}  // namespace flopsprof::model
