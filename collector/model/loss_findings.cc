// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/model/loss_findings.h"

#include <absl/strings/match.h>
#include <absl/strings/str_cat.h>
#include <absl/strings/str_format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "collector/model/kernels/cublas_kernel_names.h"

namespace flopsprof::model {
namespace {

// Below this share of GPU time an unknown kernel is no finding.
constexpr double kNotableShare = 0.02;

uint64_t Loss(const Summary& summary, const std::string& name) {
  uint64_t sum = 0;
  for (const RankSummary& rank : summary.ranks) {
    const auto found = rank.loss.find(name);
    if (found != rank.loss.end()) sum += found->second;
  }
  return sum;
}

void AddEndedRanks(const Summary& summary, std::vector<Finding>* findings) {
  for (const RankSummary& rank : summary.ranks) {
    const bool failed = rank.exit_code.has_value() && *rank.exit_code != 0;
    const bool ended_well = rank.state == "exited" || rank.state == "running";
    if (ended_well && !failed) continue;
    std::string text = absl::StrCat(rank.label, " ");
    if (rank.state == "lost") {
      absl::StrAppend(&text, "was lost: its end is not known");
    } else if (rank.state == "exited") {
      absl::StrAppend(&text, "exited with code ", *rank.exit_code);
    } else {
      absl::StrAppend(&text, "was ended by ", rank.state);
    }
    findings->push_back(
        {FindingKind::kProcessEnded, "error", text,
         absl::StrCat("node ", rank.node, ", pid ", rank.pid,
                      rank.restart > 0 ? absl::StrCat(", restart ", rank.restart) : std::string(),
                      "; what it sent before is in the report"),
         "read the job's own output of that process"});
  }
}

// " of 2 of 8 ranks", "" where it is all of them.
std::string OfRanks(size_t count, const Summary& summary) {
  if (count == summary.ranks.size()) return "";
  return absl::StrCat(" of ", count, " of ", summary.ranks.size(), " ranks");
}

std::string OfRanks(const Summary& summary, const std::string& loss) {
  const auto count =
      std::count_if(summary.ranks.begin(), summary.ranks.end(), [&loss](const RankSummary& rank) {
        const auto found = rank.loss.find(loss);
        return found != rank.loss.end() && found->second > 0;
      });
  return OfRanks(static_cast<size_t>(count), summary);
}

// What a rank says about it; "": none does.
std::string NoteOf(const Summary& summary, const std::string& key) {
  for (const RankSummary& rank : summary.ranks) {
    const auto note = rank.notes.find(key);
    if (note != rank.notes.end()) return note->second;
  }
  return "";
}

// A note of why something is missing, without and with what to do (injector/cupti/refusals.h).
std::string Why(const std::string& note) { return note.substr(0, note.find("; to mend: ")); }
std::string ToMend(const std::string& note) {
  constexpr std::string_view kToMend = "; to mend: ";
  const size_t found = note.find(kToMend);
  return found == std::string::npos ? "run: flopsprof doctor" : note.substr(found + kToMend.size());
}

void AddNothingRecorded(const Summary& summary, std::vector<Finding>* findings) {
  if (!summary.empty) return;
  const std::string why = summary.coverage.reasons.empty() ? "" : summary.coverage.reasons.front();
  findings->push_back({FindingKind::kNothingRecorded, "warning", "nothing was recorded", Why(why),
                       summary.recording.paused_at_start ? "while it runs: flopsprof ctl start"
                       : summary.steps.wanted_first.has_value()
                           ? "flopsprof-run --steps A:B, of steps that the job takes"
                           : ToMend(why)});
}

// Ranks may have different reasons: one finding each.
void AddUnusableCupti(const Summary& summary, std::vector<Finding>* findings) {
  std::map<std::string, size_t> ranks;  // by note
  for (const RankSummary& rank : summary.ranks) {
    const auto lost = rank.loss.find("cupti_unusable");
    if (lost == rank.loss.end() || lost->second == 0) continue;
    const auto said = rank.notes.find("GPU times");
    ++ranks[said != rank.notes.end() ? said->second
                                     : absl::StrCat("cupti_unusable: ", lost->second)];
  }
  for (const auto& [note, count] : ranks) {
    const std::string of = OfRanks(count, summary);
    const std::string text =
        absl::StartsWith(note, "not complete")
            ? absl::StrCat("GPU times", of, " are not complete: CUPTI failed")
            : absl::StrCat("no GPU times", of, ": CUPTI is missing, too old or refused a call");
    findings->push_back({FindingKind::kNoGpuTimes, "warning", text, Why(note), ToMend(note)});
  }
}

void AddCupti(const Summary& summary, std::vector<Finding>* findings) {
  if (const uint64_t count = Loss(summary, "cupti_taken"); count > 0) {
    findings->push_back({FindingKind::kNoGpuTimes, "warning",
                         absl::StrCat("no GPU times", OfRanks(summary, "cupti_taken"),
                                      ": another tool holds CUPTI"),
                         absl::StrCat("cupti_taken: ", count),
                         "end the other profiler (nsys, ncu, DCGM profiling) and run again"});
  }
  if (const uint64_t count = Loss(summary, "cupti_yielded"); count > 0) {
    findings->push_back({FindingKind::kNoGpuTimes, "warning",
                         absl::StrCat("GPU times", OfRanks(summary, "cupti_yielded"),
                                      " end where the job's own profiler took CUPTI; library calls "
                                      "are counted on"),
                         absl::StrCat("cupti_yielded: ", count),
                         "profile a run, or a window of steps, without torch.profiler"});
  }
  AddUnusableCupti(summary, findings);
}

void AddCuptiStays(const Summary& summary, std::vector<Finding>* findings) {
  const uint64_t count = Loss(summary, "cupti_stays");
  if (count == 0) return;
  const std::string why = NoteOf(summary, "cupti_stays");
  findings->push_back(
      {FindingKind::kCuptiStays, "note",
       absl::StrCat("CUPTI could not leave the process", OfRanks(summary, "cupti_stays"),
                    " after a window: training may stay slower than without us"),
       absl::StrCat("cupti_stays: ", count, why.empty() ? "" : "; ", why),
       "nothing, if the job is fast enough; a new start of the job is as without us"});
}

void AddLosses(const Summary& summary, std::vector<Finding>* findings) {
  if (summary.coverage.records_lost > 0) {
    findings->push_back({FindingKind::kRecordsLost, "warning",
                         "records were lost: counts or times are too small",
                         absl::StrCat("records_lost: ", summary.coverage.records_lost),
                         "see `loss` of each rank for which and why"});
  }
  if (summary.coverage.launches_without_activity > 0) {
    uint64_t launches = 0;
    std::string killed;
    for (const RankSummary& rank : summary.ranks) {
      launches += rank.overhead.launches;
      if (rank.state != "exited" && rank.state != "running" && killed.empty()) {
        killed = absl::StrCat("; ", rank.label, ": ", rank.state);
      }
    }
    findings->push_back(
        {FindingKind::kTimesMissing, "warning",
         "GPU times of some launches never came: times are lower bounds, and what has none is "
         "not known",
         absl::StrCat("launches without GPU times: ", summary.coverage.launches_without_activity,
                      " of ", launches, killed),
         "counts of library calls stand; a job that ends by itself gives all its times"});
  }
  if (summary.coverage.invalid_timestamps > 0) {
    findings->push_back({FindingKind::kTimesMissing, "warning",
                         "GPU activity without valid times: its time is missing",
                         absl::StrCat("invalid_timestamps: ", summary.coverage.invalid_timestamps),
                         "update the driver; long runs with CUDA graphs are known to show this"});
  }
}

void AddOnCpu(const Summary& summary, std::vector<Finding>* findings) {
  std::string paths;
  size_t count = 0;
  const std::string* last = nullptr;  // of the outermost one: what is below it is not said again
  for (const ModuleSummary& module : summary.modules) {
    if (module.on_cpu != OnCpu::kAll) continue;
    if (last != nullptr && module.path.rfind(*last + ".", 0) == 0) continue;
    last = &module.path;
    if (++count > 5) continue;
    absl::StrAppend(&paths, count == 1 ? "" : ", ", module.path.empty() ? "(root)" : module.path,
                    " (", module.class_name, ")");
  }
  if (count == 0) return;
  if (count > 5) absl::StrAppend(&paths, " and ", count - 5, " more");
  findings->push_back({FindingKind::kModulesOnCpu, "warning",
                       "modules ran on the CPU: their work is in no count",
                       absl::StrCat("their parameters were in CPU memory, and no GPU work was in "
                                    "them: ",
                                    paths),
                       "if that was not meant, move them with .to(\"cuda\")"});
}

void AddCalledByForward(const Summary& summary, std::vector<Finding>* findings) {
  for (const RankSummary& rank : summary.ranks) {
    const auto note = rank.notes.find("called_by_forward");
    if (note == rank.notes.end()) continue;
    findings->push_back({FindingKind::kCalledByForward, "note",
                         "modules are called by their `forward`: such a call has no line",
                         absl::StrCat("in the code of the class around them: ", note->second,
                                      "; what it does is in the line of the caller"),
                         "call the module itself, `m(x)` for `m.forward(x)`"});
    return;
  }
}

// Nothing is missing then: it costs more.
void AddGraphTiming(const Summary& summary, std::vector<Finding>* findings) {
  const std::string how = NoteOf(summary, "graphs");
  if (!absl::StrContains(how, "does not time")) return;
  findings->push_back({FindingKind::kGraphTiming, "note",
                       "CUDA graphs are timed by node, which costs more", how,
                       "nothing: --graphs node says so from the start"});
}

void AddGraphs(const Summary& summary, std::vector<Finding>* findings) {
  const uint64_t captured = Loss(summary, "captured_call");
  const uint64_t replays = Loss(summary, "graph_replay");
  bool conditional = false;
  for (const GraphSummary& graph : summary.coverage.graphs) {
    conditional |= graph.state.rfind("counted without", 0) == 0;
  }
  if (captured == 0 && replays == 0 && !conditional) return;
  // A captured call does nothing before its graph is replayed.
  const bool replayed = replays > 0 || conditional || !summary.coverage.graphs.empty();
  findings->push_back(
      {FindingKind::kGraphsNotCounted, replayed ? "warning" : "note",
       replayed ? "work in CUDA graphs is not counted, or only in part"
                : "calls in CUDA graphs could not be followed; no replay was seen",
       absl::StrCat("replays not counted: ", replays, ", captured calls not followed: ", captured),
       "see coverage; graphs must be captured while the profiler records"});
}

void AddEnvironment(const Summary& summary, std::vector<Finding>* findings) {
  const std::string why = NoteOf(summary, "environment");
  if (why.empty()) return;
  findings->push_back({FindingKind::kEnvironment, "warning",
                       "the environment says what flopsprof does not understand", why,
                       "mend or unset it: flopsprof's variables are in injector/README.md"});
}

void AddAttribution(const Summary& summary, std::vector<Finding>* findings) {
  const uint64_t backward =
      Loss(summary, "backward_not_attributed") + Loss(summary, "sequence_log_pruned");
  bool note = false;
  std::string evidence = absl::StrCat("backward nodes: ", backward);
  for (const RankSummary& rank : summary.ranks) {
    const auto found = rank.notes.find("backward");
    if (found == rank.notes.end() || found->second.rfind("not ", 0) != 0) continue;
    evidence = found->second;
    note = true;
  }
  if (backward > 0 || note) {
    findings->push_back({FindingKind::kBackwardNotAttributed, "warning",
                         note ? "backward work could not be given to its modules"
                              : "some backward work could not be given to its modules",
                         evidence,
                         absl::StrContains(evidence, "FLOPSPROF_BACKWARD=")
                             ? "totals are right; without that variable module rows have that part"
                             : "totals are right; module rows lack that part"});
  }
  if (const uint64_t count = Loss(summary, "module_hook_refused"); count > 0) {
    std::string why = absl::StrCat("module_hook_refused: ", count);
    for (const RankSummary& rank : summary.ranks) {
      const auto found = rank.notes.find("modules");
      if (found != rank.notes.end() && found->second.rfind("none: ", 0) == 0) why = found->second;
    }
    findings->push_back({FindingKind::kNoModuleNames, "warning",
                         absl::StrCat("no module names", OfRanks(summary, "module_hook_refused")),
                         why,
                         absl::StrContains(why, "FLOPSPROF_MODULE_HOOK=")
                             ? "it was asked for: run without that variable"
                             : "run: flopsprof doctor"});
  }
  if (const std::string late = NoteOf(summary, "modules_installed"); !late.empty()) {
    findings->push_back({FindingKind::kModulesSeenLate, "note",
                         "the first module calls were not seen: what they did is (outside)", late,
                         "count on later steps, or leave the first ones out: --steps 1:N"});
  }
  for (const RankSummary& rank : summary.ranks) {
    const auto found = rank.notes.find("compiled");
    if (found == rank.notes.end() || found->second.rfind("some ", 0) != 0) continue;
    findings->push_back({FindingKind::kCompiledRows, "note",
                         "library calls of compiled code are in the row of what was compiled",
                         found->second, "products that use a module's weight are in its own row"});
    break;
  }
}

void AddUnknownKernels(const Summary& summary, std::vector<Finding>* findings) {
  const auto unknown = summary.coverage.category_ns.find(v1::TIME_CATEGORY_UNKNOWN);
  if (unknown == summary.coverage.category_ns.end() || summary.coverage.gpu_time_ns == 0) return;
  const double share =
      static_cast<double>(unknown->second) / static_cast<double>(summary.coverage.gpu_time_ns);
  if (share < kNotableShare) return;
  std::string names;
  int shown = 0;
  for (const KernelSummary& kernel : summary.kernels) {
    if (kernel.category != "unknown" || shown == 3) continue;
    absl::StrAppend(&names, shown++ == 0 ? "" : ", ", kernel.name.empty() ? "?" : kernel.name,
                    absl::StrFormat(" (%.3g s)", static_cast<double>(kernel.gpu_time_ns) / 1e9));
  }
  findings->push_back(
      {FindingKind::kUnknownKernels, "note",
       absl::StrFormat("%.1f%% of GPU time is in kernels whose flops are not known", 100 * share),
       absl::StrCat("longest: ", names),
       "who launches them: flopsprof-run --stacks; teach them, by operation or kernel name: "
       "flopsprof-run --formulas FILE, docs/formulas.md; all are in `kernels`"});
}

// Products that no hooked call made: a library inside of the program or of another library has no
// name that a hook could stand in for. So do graphs that were captured unseen.
void AddUnseenCallers(const Summary& summary, std::vector<Finding>* findings) {
  uint64_t count = 0;
  std::string example;
  for (const KernelSummary& kernel : summary.kernels) {
    if (kernel.category != "unknown" || !IsNameOfCublasProduct(kernel.name)) continue;
    // Those of a call that was seen, but whose work is not known, say nothing of other calls.
    if (kernel.in_call >= kernel.count) continue;
    if (count == 0) example = kernel.name;
    count += kernel.count - kernel.in_call;
  }
  const bool other_cause = summary.coverage.records_lost > 0 || Loss(summary, "graph_replay") > 0 ||
                           Loss(summary, "caller_unseen") > 0 ||
                           Loss(summary, "namespace_unseen") > 0;
  if (count > 0 && !other_cause) {
    findings->push_back(
        {FindingKind::kCallsNotSeen, "warning",
         "kernels of cuBLAS ran outside of any call that was seen: their products are not counted",
         absl::StrCat(count, " kernels of cuBLAS ran outside of any library call, such as ",
                      example),
         "a cuBLAS that is linked statically does this: link it dynamically for counts of that "
         "part"});
  }
  if (const uint64_t unseen = Loss(summary, "caller_unseen"); unseen > 0) {
    findings->push_back({FindingKind::kCallsNotSeen, "warning",
                         "some callers of libraries could not be hooked: counts may "
                         "be too small",
                         absl::StrCat("caller_unseen: ", unseen),
                         "run under flopsprof-run, which preloads the injector"});
  }
  if (const uint64_t spaces = Loss(summary, "namespace_unseen"); spaces > 0) {
    findings->push_back({FindingKind::kCallsNotSeen, "warning",
                         "calls of libraries in dlmopen name spaces are not counted",
                         absl::StrCat("namespace_unseen: ", spaces),
                         "load them with dlopen for counts of that part"});
  }
}

}  // namespace

void AddLossFindings(const Summary& summary, std::vector<Finding>* findings) {
  AddEndedRanks(summary, findings);
  AddNothingRecorded(summary, findings);
  AddCupti(summary, findings);
  AddCuptiStays(summary, findings);
  AddLosses(summary, findings);
  AddOnCpu(summary, findings);
  AddCalledByForward(summary, findings);
  AddGraphTiming(summary, findings);
  AddGraphs(summary, findings);
  AddEnvironment(summary, findings);
  AddAttribution(summary, findings);
  AddUnknownKernels(summary, findings);
  AddUnseenCallers(summary, findings);
}

}  // namespace flopsprof::model
