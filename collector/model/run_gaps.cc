// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/run_gaps.h"

#include <absl/strings/str_cat.h>
#include <absl/time/time.h>

#include <algorithm>
#include <set>
#include <string>

#include "collector/model/collectives.h"
#include "collector/model/epochs.h"

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
  gaps->push_back({FindingKind::kRankClaimedTwice, "error",
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
        {FindingKind::kRanksMissing, "warning",
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
    gaps->push_back({FindingKind::kRanksWithoutGpu, "note",
                     absl::StrCat(idle.size() == 1 ? "rank " : "ranks ", BoundedRanksText(idle),
                                  " of ", world_size, " recorded no GPU work"),
                     absl::StrCat("ranks that have: ", with_gpu.size()), "see `processes`"});
  }
}

// The first of them, in one text.
std::string FirstOf(const std::vector<std::string>& texts) {
  std::string all;
  for (size_t i = 0; i < texts.size() && i < kMostNamed; ++i) {
    absl::StrAppend(&all, i == 0 ? "" : "; ", texts[i]);
  }
  if (texts.size() > kMostNamed) absl::StrAppend(&all, "; and more");
  return all;
}

void AddRefusedUploads(const RunProfile& run, std::vector<RunGap>* gaps) {
  const size_t count = run.refused_uploads.size();
  if (count == 0) return;
  gaps->push_back({FindingKind::kProfileIncomplete, "error",
                   absl::StrCat("the profile is not complete: profile.db could not take ", count,
                                count == 1 ? " update" : " updates"),
                   FirstOf(run.refused_uploads),
                   "totals are too small by what is missing; report this as a fault of flopsprof"});
}

void AddLogDamage(const RunProfile& run, std::vector<RunGap>* gaps) {
  if (run.log_damage.empty()) return;
  const uint64_t lost = run.lost_uploads;
  gaps->push_back(
      {FindingKind::kProfileIncomplete, "error",
       // Of a process that is set aside rows are missing, of any number of updates.
       absl::StrCat(
           "the profile is not complete: ",
           lost == 0 ? "a part is" : absl::StrCat(lost, lost == 1 ? " update is" : " updates are"),
           " damaged in what the collector has stored"),
       FirstOf(run.log_damage), "look after that disk; totals are too small by what is missing"});
}

void AddOverLimits(const RunProfile& run, std::vector<RunGap>* gaps) {
  for (const OverLimit& over : run.over_limits) {
    gaps->push_back(
        {FindingKind::kProfileIncomplete, "error",
         absl::StrCat("the run has more than ", over.most, " ", over.what, ": ", over.uploads,
                      over.uploads == 1 ? " update" : " updates", " of the others ",
                      over.uploads == 1 ? "is" : "are", " in no sum"),
         "", "no job needs so many: look who sends to this collector"});
  }
}

// Updates that never came. What came and was lost or refused later has an error of its own.
void AddMissing(const RunProfile& run, uint64_t missing, const std::string& holes,
                std::vector<RunGap>* gaps) {
  const uint64_t told = run.lost_uploads + run.refused_uploads.size();
  if (missing <= told) return;
  const uint64_t count = missing - told;
  gaps->push_back(
      {FindingKind::kProfileIncomplete, "error",
       absl::StrCat(count, count == 1 ? " update" : " updates", " on the way to the collector ",
                    count == 1 ? "is" : "are", " missing"),
       holes,
       run.log_damage.empty()
           ? "the profile is too small; report this as a fault of flopsprof"
           : "the profile is too small; they may be among those that are damaged in "
             "what the collector has stored"});
}

// Nodes where another agent went on with the processes of one that had ended, and heard them out:
// what the first had not sent is counted with the processes.
std::set<std::string> NodesThatWentOn(const RunProfile& run) {
  std::set<std::string> went_on, left_open;
  for (const v1::ProcessProfile& process : run.processes) {
    const bool again = std::any_of(process.epochs().begin(), process.epochs().end(),
                                   [](const auto& epoch) { return epoch.session() > 1; });
    if (EndIsUnknown(process)) left_open.insert(process.key().node());
    if (again) went_on.insert(process.key().node());
  }
  for (const std::string& node : left_open) went_on.erase(node);
  return went_on;
}

void AddReplaced(const RunProfile& run, const std::set<std::string>& went_on,
                 std::vector<RunGap>* gaps) {
  std::set<std::string> nodes;
  size_t count = 0;
  for (const AgentState& agent : run.agents) {
    if (agent.finished || !agent.refused.empty() || went_on.count(agent.node) == 0) continue;
    nodes.insert(agent.node);
    count++;
  }
  if (count == 0) return;
  gaps->push_back({FindingKind::kAgentEnded, "warning",
                   absl::StrCat(count, count == 1 ? " node agent" : " node agents",
                                " ended before the job; another went on"),
                   absl::StrCat("on ", *nodes.begin(),
                                nodes.size() > 1 ? absl::StrCat(" and ", nodes.size() - 1, " more")
                                                 : std::string()),
                   "what an agent had not sent is counted: agent_away and ..._lost_with_agent"});
}

std::string PeerText(const AgentState& agent) {
  if (agent.peer.empty()) return "?";
  return absl::StrCat(agent.peer, agent.other_peer.empty() ? "" : " and ", agent.other_peer);
}

// Agents that were copied, and what came under numbers that nobody can compare any more.
void AddCopies(const RunProfile& run, std::vector<RunGap>* gaps) {
  std::vector<std::string> copies, old;
  std::set<std::string> ids;
  uint64_t left_out = 0;
  for (const AgentState& agent : run.agents) {
    if (agent.copy > 1) ids.insert(agent.id);
    left_out += agent.left_out;
  }
  for (const AgentState& agent : run.agents) {
    const std::string node = agent.node.empty() ? "?" : agent.node;
    if (ids.count(agent.id) != 0) {
      copies.push_back(absl::StrCat("node ", node, ": ", agent.id, ", copy ", agent.copy, ", from ",
                                    PeerText(agent)));
    }
    if (agent.left_out > 0) {
      old.push_back(absl::StrCat("node ", node, ": ", agent.left_out, " of ", agent.id));
    }
  }
  if (!ids.empty()) {
    gaps->push_back({FindingKind::kProfileIncomplete, "warning",
                     absl::StrCat(copies.size(), " node agents have sent under ", ids.size(),
                                  ids.size() == 1 ? " id" : " ids",
                                  ": agents were copied while they ran; each is counted by itself"),
                     FirstOf(copies),
                     "do not go on with a copy of a machine or container that has a running job"});
  }
  if (left_out > 0) {
    gaps->push_back({FindingKind::kProfileIncomplete, "error",
                     absl::StrCat(left_out, left_out == 1 ? " update" : " updates",
                                  " came under numbers that were taken long before, and ",
                                  left_out == 1 ? "is" : "are", " in no sum"),
                     FirstOf(old),
                     "they are missing if they are of a copy of an agent, and nothing is if they "
                     "were sent twice"});
  }
}

void AddAgents(const RunProfile& run, std::vector<RunGap>* gaps) {
  std::string nodes, evidence, holes, refusals;
  std::set<std::string> named;  // nodes: one may have lost several agents
  const std::set<std::string> went_on = NodesThatWentOn(run);
  AddReplaced(run, went_on, gaps);
  size_t unfinished = 0;
  uint64_t missing = 0;
  bool any_finished = false;
  for (const AgentState& agent : run.agents) {
    const std::string node = agent.node.empty() ? "?" : agent.node;
    if (agent.missing > 0) {
      missing += agent.missing;
      absl::StrAppend(&holes, holes.empty() ? "" : "; ", "node ", node, ": ", agent.missing, " of ",
                      agent.newest_sequence);
    }
    if (!agent.refused.empty()) {
      absl::StrAppend(&refusals, refusals.empty() ? "" : "; ", "node ", node, ": ", agent.refused);
    }
    any_finished |= agent.finished;
    if (agent.finished || !agent.refused.empty()) continue;
    if (went_on.count(node) != 0) continue;
    const bool new_node = named.insert(node).second;
    if (new_node && named.size() <= kMostNamed) {
      absl::StrAppend(&nodes, nodes.empty() ? "" : ", ", node);
    }
    if (++unfinished > kMostNamed) continue;
    absl::StrAppend(&evidence, evidence.empty() ? "" : "; ", "node ", node, ": newest update ",
                    agent.newest_sequence,
                    agent.newest_utc_ns > 0 ? " at " + TimeText(agent.newest_utc_ns) : "");
  }
  if (named.size() > kMostNamed) absl::StrAppend(&nodes, " and more");
  if (unfinished > 0) {
    // While the collector takes updates, and no node has ended, the job may simply be running.
    gaps->push_back(
        {FindingKind::kAgentEnded,
         run.finished   ? "error"
         : any_finished ? "warning"
                        : "note",
         absl::StrCat("the end of what node", named.size() == 1 ? " " : "s ", nodes,
                      " recorded is missing: ",
                      run.finished ? "the agent was killed, or gave up sending"
                                   : "the job still runs there, or its launcher was killed"),
         absl::StrCat(evidence, "; what was recorded later is in no sum"),
         "look into the output of flopsprof-run on that node"});
  }
  if (!refusals.empty()) {
    gaps->push_back({FindingKind::kProfileIncomplete, "error",
                     "the collector has refused updates: what they held is missing", refusals,
                     "use the same version of flopsprof on all nodes"});
  }
  AddMissing(run, missing, holes, gaps);
  AddLogDamage(run, gaps);
  AddRefusedUploads(run, gaps);
  for (const std::string& problem : run.problems) {
    gaps->push_back({FindingKind::kProfileIncomplete, "error",
                     absl::StrCat("the profile is not complete: ", problem), "",
                     "totals are too small by what is missing"});
  }
}

}  // namespace

std::vector<RunGap> FindGaps(const RunProfile& run, const RankGroups& groups) {
  std::vector<RunGap> gaps;
  AddConflicts(groups, &gaps);
  AddMissingRanks(run, groups, &gaps);
  AddAgents(run, &gaps);
  AddCopies(run, &gaps);
  AddOverLimits(run, &gaps);
  std::stable_sort(gaps.begin(), gaps.end(), [](const RunGap& a, const RunGap& b) {
    return a.severity == "error" && b.severity != "error";
  });
  return gaps;
}

void AddGaps(const std::vector<RunGap>& gaps, std::vector<Finding>* findings) {
  for (const RunGap& gap : gaps) {
    findings->push_back({gap.kind, gap.severity, gap.text, gap.evidence, gap.next});
  }
}

}  // namespace flopsprof::model
