// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/coverage.h"

#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <set>

#include "collector/model/epochs.h"
#include "collector/model/window_summary.h"
#include "collector/model/work.h"
#include "proto/shm/loss_counters.h"
#include "proto/shm/records.h"

namespace flopsprof::model {
namespace {

// Counters that say how many records never arrived; the others count facts that are missing.
constexpr std::string_view kLostRecords[] = {"ring_full",
                                             "no_ring_slot",
                                             "cupti_buffer_discarded",
                                             "cupti_dropped",
                                             "activity_malformed",
                                             "forked_child",
                                             "agent_gone",
                                             "agent_away",
                                             "agent_late",
                                             "flush_incomplete",
                                             "malformed_record",
                                             "ring_corrupt",
                                             "rows_refused",
                                             "rows_undefined",
                                             "rows_set_aside",
                                             "calls_lost_with_agent",
                                             "launches_lost_with_agent",
                                             "activities_lost_with_agent"};

bool IsLostRecords(std::string_view name) {
  for (const std::string_view lost : kLostRecords) {
    if (lost == name) return true;
  }
  return false;
}

void AddLosses(const std::vector<RankSummary>& ranks, Coverage* coverage) {
  std::map<std::string, uint64_t> losses;
  for (const RankSummary& rank : ranks) {
    for (const auto& [name, count] : rank.loss) losses[name] += count;
  }
  for (const auto& [name, count] : losses) {
    if (IsLostRecords(name)) coverage->records_lost += count;
    if (name == "invalid_timestamp" || name == "bad_times_unmarked")
      coverage->invalid_timestamps += count;
    const std::string text(LossText(name));
    coverage->reasons.push_back(text.empty() ? absl::StrCat(name, ": ", count)
                                             : absl::StrCat(name, ": ", count, " (", text, ")"));
  }
}

// Notes that say that something was not possible, once each, with the ranks that say it.
void AddNotes(const std::vector<RankSummary>& ranks, Coverage* coverage) {
  std::map<std::string, int> said;
  for (const RankSummary& rank : ranks) {
    for (const auto& [name, value] : rank.notes) {
      if (name == "GPU times") continue;  // a finding, with what to do
      if (value.rfind("not ", 0) == 0) ++said[absl::StrCat(name, ": ", value)];
    }
  }
  for (const auto& [text, count] : said) {
    coverage->reasons.push_back(count == static_cast<int>(ranks.size())
                                    ? text
                                    : absl::StrCat(text, " (", count, " ranks)"));
  }
}

void AddUnmatched(const RankGroups& groups, Coverage* coverage) {
  for (const RankGroup& group : groups.ranks) {
    for (const v1::ProcessProfile* process : group.processes) {
      coverage->launches_without_activity += process->info().launches_without_activity();
      coverage->activities_without_launch += process->info().activities_without_launch();
    }
  }
  if (coverage->launches_without_activity > 0) {
    coverage->reasons.push_back(
        absl::StrCat("launches without GPU times: ", coverage->launches_without_activity));
  }
  if (coverage->activities_without_launch > 0) {
    coverage->reasons.push_back(absl::StrCat("GPU activity whose launch was not seen: ",
                                             coverage->activities_without_launch));
  }
}

// What is written for an agent that is killed is counted by the next one.
void AddUnknownEnds(const RunProfile& run, const RankGroups& groups, Coverage* coverage) {
  if (!run.finished) return;
  int count = 0;
  for (const RankGroup& group : groups.ranks) {
    count += static_cast<int>(
        std::count_if(group.processes.begin(), group.processes.end(),
                      [](const v1::ProcessProfile* process) { return EndIsUnknown(*process); }));
  }
  if (count == 0) return;
  coverage->reasons.push_back(
      absl::StrCat("processes that went on after their last node agent had ended: ", count,
                   "; what they did then, and what was lost with it, is not known"));
}

void AddGraphs(const RankGroups& groups, Coverage* coverage) {
  std::map<std::string, GraphSummary> states;
  for (const RankGroup& group : groups.ranks) {
    for (const v1::ProcessProfile* process : group.processes) {
      for (const v1::GraphRow& row : process->graphs()) {
        GraphSummary& graph = states[row.state()];
        graph.state = row.state();
        graph.graphs += row.graphs();
        graph.replays += row.replays();
        graph.calls += row.calls();
        graph.activities += row.activities();
        graph.gpu_time_ns += row.gpu_time_ns();
        graph.shared_ns += row.shared_ns();
      }
    }
  }
  uint64_t shared_ns = 0;
  for (const auto& [state, graph] : states) {
    coverage->graphs.push_back(graph);
    shared_ns += graph.shared_ns;
    if (state == "counted") continue;
    coverage->reasons.push_back(
        absl::StrFormat("replays of CUDA graphs that were %s: %d, %.6f s of GPU time", state,
                        graph.replays, static_cast<double>(graph.gpu_time_ns) / 1e9));
  }
  if (shared_ns > 0) {
    coverage->reasons.push_back(absl::StrFormat(
        "CUDA graphs timed per launch: %.6f s are divided among their nodes, not measured there",
        static_cast<double>(shared_ns) / 1e9));
  }
}

void AddEmptyReasons(const RunProfile& run, const RankGroups& groups, Coverage* coverage) {
  if (!groups.ranks.empty()) return;
  const bool paused = std::any_of(run.processes.begin(), run.processes.end(), IsPausedAtStart);
  if (paused) {
    coverage->reasons.push_back(
        "the run was paused from its start, and no `flopsprof ctl start` was followed by a step of "
        "its; next time, while it runs: flopsprof ctl start, or start --steps 5");
    return;
  }
  if (WindowWasNotReached(run)) {
    std::optional<uint32_t> last;
    bool running = false;
    for (const v1::ProcessProfile& process : run.processes) {
      running |= process.info().state() == v1::PROCESS_STATE_RUNNING && UsedGpu(process);
      for (const v1::StepLabelRow& label : process.step_labels()) {
        if (label.number() != shm::kNoStep) last = std::max(last.value_or(0), label.number());
      }
    }
    const std::string where = !last.has_value() ? "which step the job came to is not known"
                              : running         ? absl::StrCat("the job is in step ", *last)
                                                : absl::StrCat("the job ended in step ", *last);
    coverage->reasons.push_back(
        absl::StrCat("no step of --steps ", run.run.first_step(), ":",
                     run.run.has_end_step() ? absl::StrCat(run.run.end_step()) : std::string(),
                     " was recorded: ", where, " (they count from 0)"));
    return;
  }
  if (run.processes.empty()) {
    coverage->reasons.push_back(
        "no process of the job used CUDA (one that is statically linked, setuid, in a container, "
        "or "
        "has cleared LD_PRELOAD would not be seen)");
    return;
  }
  std::set<std::string> refused;
  for (const v1::ProcessProfile& process : run.processes) {
    const auto note = process.notes().find("CUDA");
    if (note != process.notes().end()) refused.insert(absl::StrCat("CUDA: ", note->second));
  }
  for (const std::string& why : refused) coverage->reasons.push_back(why);
  if (refused.empty()) {
    coverage->reasons.push_back(
        absl::StrCat("no process used the GPU: ", run.processes.size(), " were watched"));
  }
}

}  // namespace

std::string_view LossText(std::string_view name) {
#define FLOPSPROF_TEXT(id, number, counter, text) \
  if (name == counter) return text;
  FLOPSPROF_LOSS_COUNTERS(FLOPSPROF_TEXT)
#undef FLOPSPROF_TEXT
  if (name == "malformed_record") return "records that the agent could not read";
  if (name == "ring_corrupt") return "ring whose positions were not valid";
  if (name == "calls_lost_with_agent")
    return "library calls that a node agent had not sent on when it ended: their work is missing";
  if (name == "launches_lost_with_agent")
    return "launches that a node agent had not sent on when it ended";
  if (name == "activities_lost_with_agent")
    return "GPU times that a node agent had not sent on when it ended";
  if (name == "rows_refused") return "rows beyond what the agent keeps for one process";
  if (name == "rows_undefined")
    return "rows of which the collector has lost what they are of: their work is missing";
  if (name == "rows_set_aside")
    return "rows of a process of which what was stored before is damaged: their work is missing";
  if (name == "times_refused")
    return "times that a node's clock put more than an hour ahead of the collector's: unknown";
  if (name == "graph_node_unknown") return "timed node of a graph that nobody has seen made";
  if (name == "replay_times_twice")
    return "times of replays of CUDA graphs that came by node and as a whole: each is booked once";
  if (name == "graph_event_lost") return "making or change of a graph whose record was lost";
  if (name == "plans_refused") return "cuDNN plans beyond what is kept: their calls are unknown";
  if (name == "steps_refused") return "steps beyond what is kept: their work is in no step";
  if (name == "window_steps_wrong")
    return "steps that the window holds, or lacks, by a number that turned out to be another";
  if (name == "communication_shared")
    return "communication in CUDA graphs timed per launch: what of it is exposed is not known";
  if (name == "late_interval")
    return "activity that came too late for busy, exposed and hidden times: they are lower bounds";
  if (name == "formula_failed") return "operation or kernel whose formula gave no count: unknown";
  if (name == "formula_refused") return "declared kernel formula that was not kept";
  if (name == "activity_outside_windows")
    return "GPU activity of work before or after a recorded window: left out on purpose";
  if (name == "bad_times_unmarked") return "activity whose end is before its start";
  if (name == "names_cut") return "names beyond 4 kB or 256 parts: their ends are cut";
  if (name == "scopes_cut")
    return "scopes beyond 256 inside of one another, of a path beyond 4 kB, or in a circle: their "
           "work is in the line around them";
  return "";
}

std::string_view CategoryName(int category) {
  switch (category) {
    case v1::TIME_CATEGORY_EXACT:
      return "exact";
    case v1::TIME_CATEGORY_MODELLED:
      return "modelled";
    case v1::TIME_CATEGORY_NO_PRODUCTS:
      return "no_products";
    case v1::TIME_CATEGORY_COMMUNICATION:
      return "communication";
    case v1::TIME_CATEGORY_COPY:
      return "copy";
    default:
      return "unknown";
  }
}

void AddTimes(const v1::RunInfo& run, const RankGroup& group, Coverage* coverage) {
  for (const v1::ProcessProfile* process : group.processes) {
    if (!HasTimes(*process)) {
      coverage->reasons.push_back(absl::StrCat(group.label, ": no GPU times, counts only"));
    }
    for (const v1::TimeRow& row : process->times()) {
      if (!InWindow(run, row)) continue;
      int category = row.category();
      if (CategoryName(category) == "unknown") category = v1::TIME_CATEGORY_UNKNOWN;
      coverage->category_ns[category] += row.gpu_time_ns();
      coverage->gpu_time_ns += row.gpu_time_ns();
      coverage->times_known |= row.gpu_time_ns() > 0;
    }
  }
}

void FinishCoverage(const RunProfile& run, const RankGroups& groups,
                    const std::vector<RankSummary>& ranks, const Tally& total, Coverage* coverage) {
  const PhaseFlags incomplete = total.time_incomplete();
  coverage->times_incomplete =
      coverage->times_known &&
      std::find(incomplete.begin(), incomplete.end(), true) != incomplete.end();
  coverage->calls_unmatched = total.calls_without_time();
  AddLosses(ranks, coverage);
  AddNotes(ranks, coverage);
  AddUnmatched(groups, coverage);
  AddUnknownEnds(run, groups, coverage);
  AddGraphs(groups, coverage);
  if (coverage->calls_unmatched > 0) {
    coverage->reasons.push_back(
        absl::StrCat("library calls without a kernel time: ", coverage->calls_unmatched));
  }
  AddEmptyReasons(run, groups, coverage);
}

}  // namespace flopsprof::model
