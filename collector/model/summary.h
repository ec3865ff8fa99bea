// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "collector/model/finding_kinds.h"
#include "collector/model/module_paths.h"
#include "collector/model/peaks/peaks.h"
#include "collector/model/run_profile.h"
#include "collector/model/tally.h"

namespace flopsprof::model {

// The content of summary.json. Flop counts are exact sums over all profiled steps and ranks,
// times are ns; an absent value is not known. docs/summary.schema.json describes the file.

enum class Provenance { kExact, kModelled, kMixed, kUnknown };

// Work of one module, rank or run.
struct Work {
  PhaseCounts flops;  // includes flops_modelled
  PhaseCounts flops_modelled;
  PhaseTimes gpu_time_ns;           // sum of durations
  PhaseFlags time_incomplete = {};  // the time of the phase is a lower bound, or absent
  uint64_t unknown_gpu_time_ns = 0;
  uint64_t communication_ns = 0;  // of the GPU time
  GradientWorks gradients;        // of the counted work of the backward
  // The part of it that ran while the device did anything but communication; absent: not known.
  std::optional<uint64_t> hidden_communication_ns;
  // Flops per GPU second of the same calls; absent when flops or times are not complete.
  std::optional<double> flop_per_s;
  Provenance provenance = Provenance::kExact;
};

// GPU time of one module over the ranks that report times.
struct RankSpread {
  std::optional<uint64_t> min_ns;
  std::optional<uint64_t> median_ns;  // of an even number: the mean of the two in the middle
  std::optional<uint64_t> max_ns;
  std::optional<int> worst_rank;  // the one with max_ns, the smallest of several
};

// Work of a module that no GPU did: nobody counted it.
enum class OnCpu : uint8_t {
  kNo,    // or not told
  kPart,  // of some modules below, or of some calls
  kAll,
};

struct ModuleSummary {
  // Unique in the run. Of programs beyond the first: "(program 1)", "(program 1).layer".
  std::string path;
  int program = 0;
  std::string program_path;  // as named_modules() of the program's root says
  std::string class_name;
  uint32_t depth = 0;
  std::optional<uint64_t> params;
  std::optional<ParameterSizes> sizes;  // present: Python told
  std::optional<uint64_t> calls;        // absent for "(outside)"
  std::vector<std::string> aliases;     // further paths of the same module
  OnCpu on_cpu = OnCpu::kNo;
  std::optional<std::string> copy_of;  // path of the model that this one is a copy of
  Work inclusive;
  Work self;
  RankSpread ranks;
};

struct DeviceSummary {
  uint32_t ordinal = 0;
  std::string name;
  std::string uuid;
  std::optional<DevicePeaks> peaks;  // absent: card not known
};

// How far the work is from the peak. utilisation.h says which work and over which time.
struct Utilisation {
  std::optional<double> mfu;
  std::optional<double> hfu;
  std::string why;  // they are absent; "" when they are not
  // Share of GPU time without copies and communication whose flops are known: what the two
  // figures stand on.
  std::optional<double> counted_share;
  // Peak of the rank's mix of types: executed flops over their time at peak. Not of several ranks.
  std::optional<double> peak_flop_per_s;
  std::optional<double> model_peak_flop_per_s;  // of the flops in MFU alone
  // The parts of the two ratios.
  double available_s = 0;
  double model_peak_s = 0;
  double executed_peak_s = 0;
};

struct StepUtilisation {
  uint32_t step = 0;
  std::optional<double> mfu;  // absent: only work whose flops are not known
  std::optional<double> hfu;
};

struct Overhead {
  uint64_t hook_calls = 0;
  uint64_t module_calls = 0;
  uint64_t backward_nodes = 0;
  uint64_t launches = 0;
  uint64_t activities = 0;
  uint64_t own_cpu_ns = 0;
  uint64_t cupti_overhead_ns = 0;
  bool incomplete = false;  // a process runs, or was killed: the numbers are lower bounds
  // Numbers of hooks times OverheadCosts.
  double estimated_s = 0;
};

// From the calls of launches to the begin of their work on the GPU (LaunchLatencyRow).
struct LaunchLatency {
  uint64_t launches = 0;
  uint64_t measured = 0;
  uint64_t sum_ns = 0;  // of those that are measured, as all that follows
  uint64_t min_ns = 0;
  uint64_t max_ns = 0;
  uint64_t error_ns = 0;
  uint64_t clock_unsure = 0;

  void Add(const LaunchLatency& other);
};

struct RankSummary {
  int program = 0;
  int rank = 0;
  bool claimed_twice = false;  // other processes claim this rank, and lived at the same time
  std::string label;  // for sentences: "rank 3"; "program 2", "rank 3 of program 2" of several
  std::optional<int> local_rank;
  std::string node;
  int pid = 0;
  int restart = 0;
  std::string state;  // "exited", "signal 9", "lost", "running"
  std::optional<int> exit_code;
  std::vector<DeviceSummary> devices;
  Work work;
  std::map<std::string, FlopCount> flops_by_type;
  Utilisation utilisation;
  std::map<std::string, uint64_t> loss;  // counters that are not 0
  std::map<std::string, std::string> notes;
  Overhead overhead;
  std::optional<LaunchLatency> launch_latency;  // absent: nobody asked for it
};

// A process that loaded the injector and launched nothing: torchrun, a data loader.
struct ProcessSummary {
  std::string node;
  int pid = 0;
  int parent_pid = 0;
  std::optional<int> rank;
  std::string command;
  std::string state;
  std::optional<int> exit_code;
};

// One step number, or the work after that step and before the next. All ranks together.
struct StepLine {
  uint32_t step = 0;
  uint32_t processes = 0;
  bool complete = true;    // in all of them
  bool disturbed = false;  // something was compiled or tuned in one of them
  uint64_t wall_ns = 0;    // the longest; 0 = not known
  uint64_t gpu_busy_ns = 0;
  bool has_unknown = false;
  PhaseCounts flops;
};

// Where the wall time of the measured steps went (StepsSummary::measured), that of each step once
// for each device of its rank.
struct StepParts {
  uint64_t rank_steps = 0;    // steps, each once for each rank
  uint64_t device_steps = 0;  // the same, once for each of its devices
  uint64_t wall_ns = 0;
  uint64_t busy_ns = 0;                              // at most wall_ns
  std::optional<uint64_t> exposed_communication_ns;  // of busy_ns; absent: not known
  uint64_t activities = 0;                           // kernels, copies and sets
  // From the optimizer's end to the end of the step, where the next forward begins, and how much of
  // it the devices were idle at least. Absent: of some step it is not known.
  std::optional<uint64_t> between_ns = {};
  uint64_t between_idle_ns = 0;
};

// Ranks compared by the GPU time of their measured steps without exposed communication. Ranks of a
// pipeline are compared with those of their own stage.
struct UnevenRanks {
  uint32_t most = 0;   // position in Summary::ranks
  uint64_t ranks = 0;  // that are compared with each other
  bool of_stage = false;
  uint64_t steps = 0;  // of each rank
  uint64_t most_ns = 0;
  uint64_t median_ns = 0;  // of an even number of ranks the lower one in the middle
  // Flops and GPU records of that rank over their medians. Absent: work whose flops are not known.
  std::optional<double> flops_ratio;
  double activities_ratio = 0;
};

// Stages of a pipeline, compared by the same time; that of a stage is the median of its ranks.
struct UnevenStages {
  uint32_t stages = 0;
  uint32_t most = 0;   // position in Summary::ranks: the first rank of the longest one
  uint64_t steps = 0;  // of each rank
  uint64_t most_ns = 0;
  uint64_t mean_ns = 0;               // of all stages
  std::optional<double> flops_ratio;  // over the mean; absent: work whose flops are not known
};

struct StepsSummary {
  // What began and ended steps: "optimizer", "flopsprof.step()", "passes" (backward passes),
  // "forwards", "" (there are none), or the name of --step-at.
  std::string taken_from;
  uint32_t measured = 0;         // steps of all ranks that median and p95 are over
  uint32_t disturbed = 0;        // step numbers in which something was compiled or tuned
  std::vector<StepLine> list;    // at most max_step_utilisations
  std::vector<StepLine> beside;  // the same; `step`: the one before
  uint32_t profiled = 0;         // different step numbers
  std::optional<uint32_t> first;
  std::optional<uint32_t> last;
  std::optional<uint32_t> wanted_first;  // of --steps
  std::optional<uint32_t> wanted_end;    // absent: open
  // Over the steps of all ranks that are complete, not step 0 and not disturbed.
  std::optional<uint64_t> median_ns;
  std::optional<uint64_t> p95_ns;
  std::optional<StepParts> parts;  // of the same steps; absent: times are not known
  // What takes most of their time: "gpu_work", or the name of a finding's kind:
  // "exposed_communication", "idle", "launch_bound", "input_bound". "": not known.
  std::string bound_by;
  // Absent: one rank, or several programs, or the ranks have not measured the same steps.
  std::optional<UnevenRanks> uneven;
  std::optional<UnevenStages> uneven_stages;  // absent also: no pipeline was seen
  uint32_t left_out = 0;                      // step numbers that no rank gave a duration for
  // Counted flops of step 0 over the median of the later steps, if there are any. It is well above
  // 1 when libraries or the framework tuned themselves by running calls again.
  std::optional<double> first_step_work_ratio;
  std::string first_step_phase;  // that holds most of what step 0 did more; "" = it did not
  std::string tuning_sign;       // evidence that something tuned itself by running; "" = none
  std::vector<StepUtilisation> utilisation;  // at most max_step_utilisations
};

// Replays of CUDA graphs of all ranks; GraphRow of profile.proto.
struct GraphSummary {
  std::string state;
  uint64_t graphs = 0;
  uint64_t replays = 0;
  uint64_t calls = 0;
  uint64_t activities = 0;
  uint64_t gpu_time_ns = 0;
  uint64_t shared_ns = 0;
};

struct Coverage {
  uint64_t gpu_time_ns = 0;
  bool times_known = false;
  bool times_incomplete = false;  // times of some launches never came: shares are of what came
  // GPU time by v1::TimeCategory; the shares are these over gpu_time_ns.
  std::map<int, uint64_t> category_ns;
  uint64_t records_lost = 0;
  uint64_t invalid_timestamps = 0;
  uint64_t calls_unmatched = 0;
  uint64_t launches_without_activity = 0;
  uint64_t activities_without_launch = 0;
  std::vector<GraphSummary> graphs;  // by state
  std::vector<std::string> reasons;
};

struct Totals {
  Work work;
  std::map<std::string, FlopCount> flops_by_type;
  std::optional<uint64_t> gpu_busy_ns;
  std::optional<uint64_t> idle_ns;
  std::optional<uint64_t> exposed_communication_ns;
  // Time of communication kernels in steps while the device did anything but communication.
  std::optional<uint64_t> hidden_communication_ns;
  Utilisation utilisation;  // of all ranks together
};

struct KernelSummary {
  std::string name;
  std::string kind;
  std::string category;
  std::string phase;
  uint64_t count = 0;
  uint64_t gpu_time_ns = 0;
  uint64_t min_ns = 0;
  uint64_t max_ns = 0;   // 0: no valid time at all, neither sum nor minimum
  uint64_t in_call = 0;  // of `count`, where flops are unknown: owned by a call that was seen
  std::string kernel_class = {};  // why it holds no products: "elementwise", ...; "" for others
};

// Products of one kind of loss: product_sums.h says which.
struct LostProducts {
  uint64_t gpu_time_ns = 0;
  double best_ns = 0;  // that they would take at least
  // The one that loses most: function and shape, its time, and what it does and could do.
  std::string worst;
  uint64_t worst_ns = 0;
  double worst_flop_per_s = 0;
  double worst_best_flop_per_s = 0;

  friend bool operator==(const LostProducts&, const LostProducts&) = default;
};

// Products compared with what the card could do at their shapes. Without repeated forwards.
struct ProductsSummary {
  uint64_t gpu_time_ns = 0;      // of products whose flops are known
  uint64_t compared_ns = 0;      // of it: sizes, peak and bandwidth are known
  uint64_t memory_bound_ns = 0;  // of compared_ns
  LostProducts small;            // too short to reach any peak
  LostProducts slow;
  LostProducts misaligned;
  LostProducts plain_fp32;  // best_ns: as tf32
};

struct StackFrameSummary {
  std::string kind;      // "python", "native", "cut": frames further out are not known
  std::string function;  // mangled as in the symbol table; "" = not known
  std::string where;     // "file.py:12" (the function's first line), "libm.so", "libm.so+0x12"
};

// Launches sampled with one stack.
struct StackSummary {
  std::string path;  // of the module, or "(outside)"
  std::string kernel;
  std::string kind;
  std::string category;
  std::string phase;
  std::vector<StackFrameSummary> frames;  // outermost first
  uint64_t samples = 0;
  uint64_t launches = 0;     // that the samples stand for
  uint64_t gpu_time_ns = 0;  // of the samples alone
};

struct CollectiveSummary {
  std::string api;
  std::string detail;  // group size
  std::string phase;
  std::string module;  // path; "(outside)"
  std::string ranks;   // of the job, in the group: "0-3,8"; "" when not known
  uint64_t calls = 0;
  uint64_t bytes = 0;
  uint64_t gpu_time_ns = 0;
  // Calls for which the begin of every rank is known; their GPU time; the part of this time before
  // the last rank began.
  uint64_t matched_calls = 0;
  uint64_t matched_time_ns = 0;
  uint64_t wait_ns = 0;
  // GPU time that was compared with other work of the device, and the part of it that ran at the
  // same time as such work.
  uint64_t compared_time_ns = 0;
  uint64_t hidden_ns = 0;

  std::optional<uint64_t> known_hidden_ns() const {
    return compared_time_ns == gpu_time_ns ? std::optional<uint64_t>(hidden_ns) : std::nullopt;
  }
};

// Decimal texts as in v1::RangeRow; "" without numbers.
struct NumbersSummary {
  std::string sum;
  std::string min;
  std::string max;
  std::string last;
};

// Entries of a range that carried a category or a number.
struct RangeSummary {
  std::string module;  // path of its line; "(outside)"
  std::string range;   // names of the ranges around it and its own, joined by "."
  std::string domain;
  uint32_t category = 0;
  std::string category_name;
  uint64_t entries = 0;
  NumbersSummary numbers;
};

struct MarkSummary {
  std::string module;
  std::string range;  // in which it was set; "" = directly in the module
  std::string domain;
  std::string name;
  uint32_t category = 0;
  std::string category_name;
  uint64_t count = 0;
  uint64_t in_steps = 0;  // of them
  std::optional<uint32_t> first_step;
  std::optional<uint32_t> last_step;
  NumbersSummary numbers;
};

// Steps of one optimizer, of all ranks together.
struct OptimizerSummary {
  std::string name;  // class; " #2" behind that of the second that stepped in its process
  uint64_t steps = 0;
  std::optional<uint64_t> gpu_time_ns;  // absent: no GPU work, or none whose time is known
  bool time_incomplete = false;         // of some of it the time never came
  FlopCount flops = 0;                  // counted
};

struct Finding {
  FindingKind kind = FindingKind::kNothingRecorded;
  std::string severity;  // "error", "warning", "note"
  std::string text;
  std::string evidence;
  std::string next;
  std::string gain = {};  // what it would gain at most; "": it is not about speed
  // The same as a share of the steps' time. Of all findings together at most 1.
  std::optional<double> gain_ratio = {};
};

// Something that is missing in the whole profile, with the evidence for it.
struct RunGap {
  FindingKind kind = FindingKind::kProfileIncomplete;
  std::string severity;  // as of a Finding
  std::string text;      // a sentence for a finding, and a reason of the coverage
  std::string evidence;
  std::string next;
};

// A part of the run in which work was recorded: the windows of all processes that have the same
// number.
struct WindowSummary {
  uint32_t number = 0;  // 1 ...
  int64_t begin_utc_ns = 0;
  int64_t end_utc_ns = 0;              // 0: open
  std::optional<uint32_t> first_step;  // absent: began without a step
  std::optional<uint32_t> end_step;    // not recorded any more; absent: open, or cut in a step
  std::optional<uint32_t> cut_step;    // in which it was cut: of this step a part is recorded
  uint32_t processes = 0;
  bool aligned = true;  // all processes recorded the same steps
};

struct InstantSummary {
  std::string name;
  int64_t utc_ns = 0;
  std::optional<uint32_t> step;  // the newest of all processes
};

// What --max-overhead has done; CostRow of profile.proto. Shares are of the process's time.
struct BudgetSummary {
  double budget = 0;
  std::optional<double> estimate;  // of the process that we cost most; absent: none was judged
  uint64_t wall_ns = 0;            // over which it was judged
  double instruction_ns = 0;       // as measured on its machine
  // Times at each level, of a process that was recorded in windows if there is one. All processes
  // of a node have the same.
  uint64_t full_ns = 0;
  uint64_t sampled_ns = 0;
  uint64_t paused_ns = 0;
  uint32_t level_changes = 0;
  uint32_t switches = 0;
  // The process that lost the largest share of its budget to us.
  int pid = 0;
  std::optional<int> rank;
  uint32_t processes = 0;        // that were judged
  bool spans_job = false;        // it lived about as long as the job
  bool follows_between = false;  // modules, while nothing is recorded too

  bool IsKept() const { return estimate.value_or(0) <= budget * kTolerance; }
  // The estimate itself is no better.
  static constexpr double kTolerance = 1.2;
};

// What `flopsprof ctl` or --max-overhead decided to record. Without windows either everything was
// recorded, or nothing.
struct RecordingSummary {
  bool paused_at_start = false;
  std::optional<double> share;   // of the processes' time, where there are windows
  uint32_t whole_processes = 0;  // that no window cut, beside others that have windows
  // The ranks of these processes, if they were recorded while other ranks were not.
  std::vector<std::string> whole_ranks;
  std::vector<WindowSummary> windows;
  std::vector<InstantSummary> marks;
  std::optional<BudgetSummary> budget;  // absent: there was no --max-overhead
};

struct JobSummary {
  std::string id;
  std::string name;
  std::string command;
  int64_t start_utc_ns = 0;
  std::optional<int> world_size;
  std::vector<std::string> nodes;
  std::optional<int> exit_code;
  std::string version;
};

struct ProgramSummary;

struct Summary {
  bool simulated = false;
  bool empty = false;
  JobSummary job;
  RecordingSummary recording;
  StepsSummary steps;
  Coverage coverage;
  Totals totals;
  std::vector<RankSummary> ranks;
  std::vector<ProcessSummary> processes;
  // In named_modules() order, "(outside)" last.
  std::vector<ModuleSummary> modules;
  std::vector<KernelSummary> kernels;  // by GPU time, longest first
  uint64_t kernels_left_out = 0;
  ProductsSummary products;          // findings are made of it
  std::vector<StackSummary> stacks;  // by GPU time, longest first; empty without --stacks
  uint64_t stacks_left_out = 0;
  std::vector<CollectiveSummary> collectives;
  std::vector<RangeSummary> ranges;  // most entries first
  uint64_t ranges_left_out = 0;
  std::vector<MarkSummary> marks;  // most first
  uint64_t marks_left_out = 0;
  std::vector<OptimizerSummary> optimizers;
  std::vector<RunGap> gaps;              // in findings and in coverage.reasons
  std::vector<ProgramSummary> programs;  // empty: the run is one program
  std::vector<Finding> findings;
  std::map<std::string, std::string> method;
  std::map<std::string, std::string> files;
};

// One of several programs of a job; programs.h says what one is.
struct ProgramSummary {
  struct Process {
    std::string node;
    int pid = 0;
    uint64_t start_ticks = 0;
    uint64_t image = 0;  // a process that runs another program stays the same pid and start
  };

  int number = 0;
  bool launched = false;  // a launcher gave the ranks
  std::string command;    // of its oldest process
  std::string state;      // of that process
  std::optional<int> exit_code;
  std::vector<Process> processes;
  Summary own;  // of this program alone; its ranks have the numbers of the whole run
};

// What one hooked call costs the job, measured by tests/bench on the build machine.
struct OverheadCosts {
  double hook_ns = 35;
  double module_call_ns = 120;
  double backward_node_ns = 100;

  friend bool operator==(const OverheadCosts&, const OverheadCosts&) = default;
};

struct SummaryOptions {
  size_t max_kernels = 1000;
  size_t max_stacks = 1000;
  size_t max_ranges = 1000;  // and so many marks
  bool raw_names = false;    // paths with the parts that wrappers add
  OverheadCosts costs;
  GivenPeaks peaks;  // in the place of those of the table
  size_t max_step_utilisations = 1000;

  friend bool operator==(const SummaryOptions&, const SummaryOptions&) = default;
};

// Pure: the same profile gives the same summary, whatever the order of its parts.
Summary Summarize(const RunProfile& run, const SummaryOptions& options = {});

// Summary::files where all of them are there.
std::map<std::string, std::string> FilesOfRun();

}  // namespace flopsprof::model
