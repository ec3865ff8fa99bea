// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collector/model/peaks/peaks.h"
#include "viewer/cli/arguments.h"
#include "viewer/cli/progress.h"
#include "viewer/deepspeed/run_figures.h"
#include "viewer/report/report.h"
#include "viewer/report/selection.h"
#include "viewer/report/terminal.h"

namespace flopsprof::viewer {

// The options of each verb. Defaults here are the defaults of the help.

// How replays of CUDA graphs are timed.
enum class GraphMode { kAuto, kNode, kGraph };

struct RunOptions {
  std::string output;  // pattern; "" = flopsprof-<job>-<UTC time>
  std::optional<StepWindowText> steps;
  std::string step_at;       // module, range or function at which a step begins; "" = not said
  std::string collector;     // HOST:PORT; "" = our own
  std::string agent_socket;  // path; "" = one of its own
  std::string ds_config;     // a DeepSpeed configuration; "" = not given
  bool ds_search = true;     // look for one on the job's command line
  std::string run_id;
  bool strict = false;
  bool paused = false;      // nothing is recorded until `flopsprof ctl start`
  double max_overhead = 0;  // share of the job's time that we may take; 0 = any
  bool host_clock = false;  // launches and scopes have the host's clock
  bool times = true;
  bool modules = true;
  bool formulas = true;                    // false: work without a library call is unknown
  std::vector<std::string> formulas_off;   // names of operations or kernels
  std::vector<std::string> formula_files;  // read and found good
  GraphMode graphs = GraphMode::kAuto;
  bool stacks = false;
  uint32_t stacks_per_second = 100;  // per thread; shm::kEveryStack
  bool quiet = false;
  bool verbose = false;
  model::GivenPeaks peaks;
  bool raw_names = false;
  ProgressMode progress = ProgressMode::kAuto;
  ColourMode colour = ColourMode::kAuto;
  bool ascii = false;
};

struct ReportOptions {
  std::string folder;
  // "unix:PATH" or HOST:PORT of a collector, which is asked; `folder` is the run's id then, "" =
  // the only one.
  std::string collector;
  // Parts to print; empty = those that fit two screens. "all": whatever is not long.
  std::vector<std::string> views;
  std::optional<int> depth;  // absent = what fits, -1 = all
  std::optional<int> top;
  // A layout of DeepSpeed; absent = our own report.
  std::optional<deepspeed::Layout> layout;
  bool detailed = true;
  deepspeed::GivenFacts given;
  std::optional<deepspeed::StepRange> page_steps;  // the page is of these alone
  bool fold = true;
  bool totals = false;
  bool exact = false;
  bool json = false;
  bool csv = false;
  bool markdown = false;
  std::optional<SortKey> sort;
  GroupBy group_by = GroupBy::kNothing;
  std::string focus;                    // a regular expression that is good; "" = none
  std::string ignore;                   // the same
  std::vector<RankRange> ranks;         // empty = all
  std::optional<StepWindowText> steps;  // absent = all
  std::optional<int> width;
  model::GivenPeaks peaks;
  bool raw_names = false;
  ColourMode colour = ColourMode::kAuto;
  bool ascii = false;
};

struct QueryOptions {
  std::string folder;
  std::string sql;
  bool json = false;
  bool csv = false;
};

struct DoctorOptions {
  bool json = false;
  std::string python = "python3";
  ColourMode colour = ColourMode::kAuto;
  bool ascii = false;
};

struct PeaksOptions {
  std::string device;
  std::string dtype;
  bool json = false;
  ColourMode colour = ColourMode::kAuto;
  bool ascii = false;
};

struct CollectorOptions {
  std::vector<std::string> listen;
  std::string store = ".";
  bool insecure = false;
  bool reports_over_tcp = false;
};

struct CtlOptions {
  std::string folder;  // run folder; "" = the one run there is
  std::string run_id;
  std::string verb;    // start, stop, mark, flush, status
  std::string name;    // mark
  unsigned steps = 0;  // start: 0 = until a stop
  bool now = false;    // stop
  bool wait = false;   // start: until the last step was recorded
  bool json = false;
  ColourMode colour = ColourMode::kAuto;
  bool ascii = false;
};

struct EnvOptions {
  std::string format = "sh";
  std::string socket;
};

struct CompletionOptions {
  std::string shell;
};

struct HelpOptions {
  std::string verb;
};

// Result of parsing: run the verb, or end with `exit_code` after printing `text`.
struct ParseOutcome {
  bool run = false;
  int exit_code = 0;
  std::string text;  // for stdout when exit_code is 0, else for stderr
};

// For a command line of `run` without "--" before the command: the command line that the user
// meant, such as "flopsprof-run -o d -- python train.py". "": the "--" is not what is missing, or
// the options are wrong. `program`: the text before the options; `own`: the words before the first
// "--"; `command`: those after it.
std::string MendedRun(const std::string& program, const std::vector<std::string>& own,
                      bool has_separator, const std::vector<std::string>& command);

ParseOutcome ParseRun(const std::vector<std::string>& arguments, RunOptions* options);
ParseOutcome ParseReport(const std::vector<std::string>& arguments, ReportOptions* options);
ParseOutcome ParseQuery(const std::vector<std::string>& arguments, QueryOptions* options);
ParseOutcome ParseDoctor(const std::vector<std::string>& arguments, DoctorOptions* options);
ParseOutcome ParsePeaks(const std::vector<std::string>& arguments, PeaksOptions* options);
ParseOutcome ParseCollector(const std::vector<std::string>& arguments, CollectorOptions* options);
ParseOutcome ParseCtl(const std::vector<std::string>& arguments, CtlOptions* options);
ParseOutcome ParseEnv(const std::vector<std::string>& arguments, EnvOptions* options);
ParseOutcome ParseCompletion(const std::vector<std::string>& arguments, CompletionOptions* options);
ParseOutcome ParseHelp(const std::vector<std::string>& arguments, HelpOptions* options);

// Help of one verb; "" for a verb without options. Names of its options, for completion.
std::string HelpOf(const std::string& verb);
std::vector<std::string> OptionNamesOf(const std::string& verb);

// Help of the whole program.
std::string MainHelp();

}  // namespace flopsprof::viewer
