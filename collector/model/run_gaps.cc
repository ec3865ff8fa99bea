// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/run_gaps.h"

#include <absl/strings/str_cat.h>
#include <absl/time/time.h>

#include <algorithm>
#include <set>
#include <string>

#include "collector/model/collectives.h"

namespace flopsprof::model {
namespace {

constexpr int kMostNamed = 8;  // ranges of ranks, agents, conflicts in one text

std::string TimeText(int64_t utc_ns) {
  return absl::FormatTime("%Y-%m-%d %H:%M:%S UTC", absl::FromUnixNanos(utc_ns),
                          absl::UTCTimeZone());
}

// "0, 2-4, 9 and more": what of 0 ... count-1 is not in `present`. Costs what `present` has,
// whatever count is.
std::string MissingText(const std::set<int>& present, int count) {
  std::string text;
  int ranges = 0;
  int next = 0;
  const auto add = [&](int end) {
    if (end <= next || ++ranges > kMostNamed) return;
    absl::StrAppend(&text, text.empty() ? "" : ", ", next);
    if (end - next > 1) absl::StrAppend(&text, "-", end - 1);
  };
  for (const int rank : present) {
    if (rank >= count) break;
    add(rank);
    next = rank + 1;
  }
  add(count);
  if (ranges > kMostNamed) absl::StrAppend(&text, " and more");
  return text;
}

// As RanksText, not longer than anybody reads.
std::string BoundedRanksText(const std::set<int>& ranks) {
  constexpr size_t kMostBytes = 64;
  std::string text = RanksText(ranks);
  if (text.size() <= kMostBytes) return text;
  text.resize(text.rfind(',', kMostBytes));
  return text + " and more";
}

std::string Who(const RankGroup& group) {
  const v1::ProcessProfile& process = *group.processes.front();
  std::string text = absl::StrCat("node ", process.key().node(), ", pid ", process.key().pid());
  if (process.info().start_utc_ns() > 0) {
    absl::StrAppend(&text, ", from ", TimeText(process.info().start_utc_ns()));
  }
  return text;
}

void AddConflicts(const RankGroups& groups, std::vector<RunGap>* gaps) {
  std::set<int> ranks;
  std::string evidence;
  int named = 0;
  bool nodes = true;
  for (const RankConflict& conflict : groups.conflicts) {
    const RankGroup& first = groups.ranks[conflict.first];
    const RankGroup& second = groups.ranks[conflict.second];
    ranks.insert(first.rank);
    nodes =
        nodes && first.processes.front()->key().node() != second.processes.front()->key().node();
    if (++named > kMostNamed) continue;
    absl::StrAppend(&evidence, evidence.empty() ? "" : "; ", "rank ", first.rank, ": ", Who(first),
                    " and ", Who(second));
  }
  if (ranks.empty()) return;
  const bool one = ranks.size() == 1;
  gaps->push_back({"error",
                   absl::StrCat(one ? "rank " : "ranks ", BoundedRanksText(ranks),
                                one ? " is claimed by " : " are claimed by ",
                                nodes ? "several nodes" : "several processes",
                                " at the same time: they are kept apart, each with its own lines"),
                   evidence,
                   "give each process of the job a rank of its own: RANK, or FLOPSPROF_RANK"});
}

void AddMissingRanks(const RunProfile& run, const RankGroups& groups, std::vector<RunGap>* gaps) {
  int world_size = 0;
  std::set<int> present;
  std::set<int> with_gpu;
  for (const v1::ProcessProfile& process : run.processes) {
    if (!process.has_info()) continue;
    world_size = std::max(world_size, process.info().world_size());
    if (process.info().rank() >= 0) present.insert(process.info().rank());
  }
  // Without any rank there is nothing to compare; those that were numbered are not named.
  if (world_size <= 1 || present.empty()) return;
  for (const RankGroup& group : groups.ranks) with_gpu.insert(group.rank);
  const auto below = [world_size](const std::set<int>& ranks) {
    return static_cast<int>(std::distance(ranks.begin(), ranks.lower_bound(world_size)));
  };
  const int missing = world_size - below(present);
  if (missing > 0) {
    gaps->push_back(
        {"warning",
         absl::StrCat(missing == 1 ? "rank " : "ranks ", MissingText(present, world_size), " of ",
                      world_size, missing == 1 ? " is" : " are",
                      " missing: nothing of them was recorded, totals are of the others"),
         absl::StrCat("world size ", world_size, "; ranks that have reported: ", below(present)),
         "start each of them under flopsprof-run, with one --collector HOST:PORT and --run-id; "
         "look "
         "into their output"});
  }
  std::set<int> idle;
  for (const int rank : present) {
    if (with_gpu.count(rank) == 0) idle.insert(rank);
  }
  if (!idle.empty() && !with_gpu.empty()) {
    gaps->push_back({"note",
                     absl::StrCat(idle.size() == 1 ? "rank " : "ranks ", BoundedRanksText(idle),
                                  " of ", world_size, " recorded no GPU work"),
                     absl::StrCat("ranks that have: ", with_gpu.size()), "see `processes`"});
  }
}

void AddAgents(const RunProfile& run, std::vector<RunGap>* gaps) {
  std::string nodes, evidence, holes, refusals;
  size_t unfinished = 0;
  bool any_finished = false;
  for (const AgentState& agent : run.agents) {
    const std::string node = agent.node.empty() ? "?" : agent.node;
    if (agent.uploads < agent.newest_sequence) {
      absl::StrAppend(&holes, holes.empty() ? "" : "; ", "node ", node, ": ",
                      agent.newest_sequence - agent.uploads, " of ", agent.newest_sequence);
    }
    if (!agent.refused.empty()) {
      absl::StrAppend(&refusals, refusals.empty() ? "" : "; ", "node ", node, ": ", agent.refused);
    }
    any_finished |= agent.finished;
    if (agent.finished || !agent.refused.empty()) continue;
    if (++unfinished > kMostNamed) continue;
    absl::StrAppend(&nodes, nodes.empty() ? "" : ", ", node);
    absl::StrAppend(&evidence, evidence.empty() ? "" : "; ", "node ", node, ": newest update ",
                    agent.newest_sequence,
                    agent.newest_utc_ns > 0 ? " at " + TimeText(agent.newest_utc_ns) : "");
  }
  if (unfinished > kMostNamed) absl::StrAppend(&nodes, " and more");
  if (unfinished > 0) {
    // While the collector takes updates, and no node has ended, the job may simply be running.
    gaps->push_back(
        {run.finished   ? "error"
         : any_finished ? "warning"
                        : "note",
         absl::StrCat("the end of what node", unfinished == 1 ? " " : "s ", nodes,
                      " recorded is missing: ",
                      run.finished ? "the agent was killed, or gave up sending"
                                   : "the job still runs there, or its launcher was killed"),
         absl::StrCat(evidence, "; what was recorded later is in no sum"),
         "look into the output of flopsprof-run on that node"});
  }
  if (!refusals.empty()) {
    gaps->push_back({"error", "the collector has refused updates: what they held is missing",
                     refusals, "use the same version of flopsprof on all nodes"});
  }
  if (!holes.empty()) {
    gaps->push_back({"error", "updates on the way to the collector are missing", holes,
                     "the profile is too small; report this as a fault of flopsprof"});
  }
  for (const std::string& problem : run.problems) {
    gaps->push_back({"error", absl::StrCat("the profile is not complete: ", problem), "",
                     "totals are too small by what is missing"});
  }
}

}  // namespace

std::vector<RunGap> FindGaps(const RunProfile& run, const RankGroups& groups) {
  std::vector<RunGap> gaps;
  AddConflicts(groups, &gaps);
  AddMissingRanks(run, groups, &gaps);
  AddAgents(run, &gaps);
  std::stable_sort(gaps.begin(), gaps.end(), [](const RunGap& a, const RunGap& b) {
    return a.severity == "error" && b.severity != "error";
  });
  return gaps;
}

void AddGaps(const std::vector<RunGap>& gaps, std::vector<Finding>* findings) {
  for (const RunGap& gap : gaps) {
    findings->push_back({gap.severity, gap.text, gap.evidence, gap.next});
  }
}

}  // namespace flopsprof::model
