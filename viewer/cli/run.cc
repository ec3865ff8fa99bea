// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// flopsprof run: the job, and around it everything that may fail without the job noticing.

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "injector/launch/child_environment.h"
#include "viewer/cli/ds_choice.h"
#include "viewer/cli/ds_page.h"
#include "viewer/cli/exit_codes.h"
#include "viewer/cli/formula_options.h"
#include "viewer/cli/install.h"
#include "viewer/cli/job_process.h"
#include "viewer/cli/messages.h"
#include "viewer/cli/node_services.h"
#include "viewer/cli/progress.h"
#include "viewer/cli/run_name.h"
#include "viewer/cli/run_output.h"
#include "viewer/cli/runtime_dir.h"
#include "viewer/cli/verb_functions.h"
#include "viewer/report/report.h"

namespace flopsprof::viewer {
namespace {

constexpr absl::Duration kTick = absl::Milliseconds(100);
// For what the job left in the rings; a remote collector may be slow or gone.
constexpr absl::Duration kFinishTimeout = absl::Seconds(20);

std::string HostName() {
  char name[256] = {};
  return gethostname(name, sizeof(name) - 1) == 0 ? name : "unknown";
}

int CannotExecute(const std::string& command, int error) {
  if (error == ENOENT) {
    SayError(absl::StrCat("cannot run ", command, ": no such command"),
             {"looked it up as a shell would: in PATH, or as the path that it is"});
    return kExitNotFound;
  }
  SayError(absl::StrCat("cannot run ", command, ": ", std::strerror(error)),
           {"it exists and is not an executable file"});
  return kExitNotExecutable;
}

// stdin and stdout are the job's alone: a pipe behind the job must see its end when it ends.
void LeaveStandardStreams() {
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0) return;
  dup2(null, STDIN_FILENO);
  dup2(null, STDOUT_FILENO);
  if (null > STDERR_FILENO) close(null);
}

std::string EndText(const JobResult& job) {
  if (job.signal == 0) return absl::StrCat("the job ended with exit code ", job.exit_code);
  const char* name = sigabbrev_np(job.signal);
  return absl::StrCat("the job was ended by signal ", job.signal,
                      name == nullptr ? "" : absl::StrCat(" (SIG", name, ")"));
}

// One run of the verb, in the order in which things happen.
class Run {
 public:
  Run(const RunOptions& options, const std::vector<std::string>& command)
      : options_(options),
        command_(command),
        progress_(options.quiet ? ProgressMode::kNone : options.progress,
                  [](std::string_view text) { WriteAll(STDERR_FILENO, text); }) {}

  int Do() {
    if (const int error = FindCommand(command_[0]); error != 0) {
      return CannotExecute(command_[0], error);
    }
    if (!TakeDsBlock()) return kExitUsage;
    facts_.job = JobName(command_, Env("SLURM_JOB_ID"));
    facts_.host = HostName();
    facts_.pid = getpid();
    facts_.start = absl::Now();
    run_id_ = options_.run_id.empty() ? MakeRunId(facts_) : options_.run_id;
    PrepareEnvironment();

    absl::StatusOr<std::unique_ptr<JobProcess>> job =
        JobProcess::Fork({command_, environment_.variables, launch::CurrentEnvironment()});
    if (!job.ok()) {
      // Not even the job can be started.
      SayError(std::string(job.status().message()), {});
      return kExitOwnFailure;
    }
    LeaveStandardStreams();
    if (can_profile_) StartServices();
    if (services_ == nullptr && options_.strict) {
      (*job)->Abandon();
      Say("the job was not started, because of --strict");
      return kExitOwnFailure;
    }
    if (const int error = (*job)->Release(services_ != nullptr); error != 0) {
      (*job)->Wait(kTick, [] {});
      return CannotExecute(command_[0], error);
    }
    const JobResult result = (*job)->Wait(kTick, [this] { OnTick(); });
    return Finish(result);
  }

 private:
  static std::string Env(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? "" : value;
  }

  void Verbose(const std::string& text) const { options_.verbose ? Say(text) : Note(text); }

  // Reports a failure of ours; the job goes on.
  void Fail(const std::string& what, const std::string& next) {
    failed_ = true;
    SayError(what, {"the job runs on without being profiled", next});
  }

  // False: the user has given a configuration that is not right.
  bool TakeDsBlock() {
    ds_choice_ =
        ChooseDsBlock(options_.ds_config, options_.ds_search, command_, PlacesOfEnvironment());
    if (!ds_choice_.refusal.empty()) {
      SayError("run: --ds-config: " + ds_choice_.refusal,
               {"the job was not started", "help: flopsprof help run"});
      return false;
    }
    for (const std::string& text : ds_choice_.said) Say(text);
    for (const std::string& text : ds_choice_.noted) Verbose(text);
    return true;
  }

  void PrepareEnvironment() {
    const std::string injector = InjectorPath();
    if (injector.empty()) {
      Fail("the library libflopsprof_inject.so is not beside this program",
           "looked in: " + InjectorSearchText());
      return;
    }
    absl::StatusOr<std::unique_ptr<RuntimeDir>> dir = RuntimeDir::Create();
    if (!dir.ok()) {
      Fail(std::string(dir.status().message()), "set XDG_RUNTIME_DIR to a folder of yours");
      return;
    }
    runtime_dir_ = *std::move(dir);
    environment_ = launch::BuildChildEnvironment(launch::CurrentEnvironment(),
                                                 {injector, AgentSocket(), run_id_});
    if (!options_.step_at.empty()) {
      environment_.variables.push_back("FLOPSPROF_STEP_AT=" + options_.step_at);
    }
    if (!options_.quiet) {
      for (const std::string& note : environment_.notes) Say(note);
    }
    can_profile_ = true;
  }

  std::string AgentSocket() const {
    return options_.agent_socket.empty() ? runtime_dir_->agent_socket() : options_.agent_socket;
  }

  void StartServices() {
    NodeServices::Options services;
    services.agent_socket = AgentSocket();
    services.collector_socket = runtime_dir_->collector_socket();
    services.collector_target = options_.collector;
    services.output = ExpandRunFolder(options_.output, facts_);
    services.control_socket = runtime_dir_->control_socket();
    services.paused = options_.paused;
    services.max_overhead = options_.max_overhead;
    services.host_clock = options_.host_clock;
    services.run_id = run_id_;
    services.job = facts_.job;
    services.command = QuoteCommand(command_);
    services.node = facts_.host;
    services.start = facts_.start;
    services.steps = options_.steps;
    services.times = options_.times;
    services.modules = options_.modules;
    services.formulas = FormulasOf(options_);
    services.graphs = options_.graphs;
    if (options_.stacks) services.stacks_per_second = options_.stacks_per_second;
    absl::StatusOr<std::unique_ptr<NodeServices>> started = NodeServices::Start(services);
    if (!started.ok()) {
      Fail(std::string(started.status().message()), "");
      return;
    }
    services_ = *std::move(started);
    if (!services_->folder().empty()) OpenLog(services_->folder() + "/log.txt");
    LinkControl();
    Verbose(absl::StrCat("run ", run_id_, ", folder ", services_->folder(), ", agent at ",
                         services.agent_socket));
  }

  // The run folder says where its control socket is: paths of sockets are short, and a folder may
  // be on a file system without sockets. Without the link the run is found by its id.
  void LinkControl() {
    if (services_->folder().empty()) return;
    control_link_ = services_->folder() + "/" + kControlLink;
    if (symlink(runtime_dir_->control_socket().c_str(), control_link_.c_str()) != 0) {
      Note(absl::StrCat("no link to the control socket: ", std::strerror(errno)));
      control_link_.clear();
    }
  }

  // Silent until the job uses the GPU: a job that never does gets one line, at its end.
  void OnTick() {
    if (services_ == nullptr) return;
    const ProgressFacts facts = services_->Progress();
    if (facts.process_count == 0) return;
    const absl::Time now = absl::Now();
    if (!started_) {
      started_ = true;
      progress_.Start(
          now,
          absl::StrCat(options_.paused ? "paused until `flopsprof ctl start`: " : "profiling ",
                       facts_.job,
                       services_->folder().empty() ? " for the collector at " + options_.collector
                                                   : ", run folder " + services_->folder()));
    }
    progress_.Update(now, facts);
  }

  int Finish(const JobResult& job) {
    if (services_ == nullptr) return job.exit_code;
    if (!control_link_.empty()) unlink(control_link_.c_str());
    const absl::Status sent = services_->FinishAgent(job.exit_code, kFinishTimeout);
    std::string missing;
    if (!sent.ok()) {
      failed_ = true;
      missing = std::string(sent.message());
      SayError(absl::StrCat("the profile is not complete: ", sent.message()),
               {"the job is not affected"});
    }
    Note(EndText(job));
    if (started_) progress_.End(absl::Now(), services_->Progress(), EndText(job));
    bool empty = false;
    if (const auto folder = services_->FinishCollector(); folder != nullptr) {
      model::SummaryOptions writing;
      writing.peaks = options_.peaks;
      writing.raw_names = options_.raw_names;
      // In the report too; a folder that takes nothing more has agents without an end.
      if (!missing.empty()) folder->NoteProblem(missing).IgnoreError();
      const absl::StatusOr<LoadedRun> run = WriteRunTexts(folder.get(), writing);
      if (run.ok()) {
        empty = run->sums.summary.empty;
        Print(*run);
        if (ds_choice_.block.has_value()) {
          WriteDsPage(ds_choice_, *run, services_->folder(), options_.quiet);
        }
      } else {
        failed_ = true;
        SayError(absl::StrCat("cannot write the report: ", run.status().message()),
                 {"recorded so far: " + folder->path(), "the job is not affected"});
      }
    } else if (started_ && ds_choice_.block.has_value()) {
      SayHowToPrintDsPage(ds_choice_);
    }
    if (!options_.strict) return job.exit_code;
    if (failed_) return job.exit_code == 0 ? kExitOwnFailure : job.exit_code;
    return job.exit_code == 0 && empty ? kExitNothing : job.exit_code;
  }

  void Print(const LoadedRun& run) const {
    if (run.sums.summary.empty) {
      Say(EmptyReason(run.sums.summary));
      return;
    }
    if (options_.quiet) return;
    const Terminal terminal = DetectTerminal(STDERR_FILENO, options_.colour, options_.ascii);
    WriteAll(STDERR_FILENO, "\n" + RenderReport(run.sums, run.profile, services_->folder(),
                                                {.brief = true, .top = 5}, terminal));
  }

  const RunOptions& options_;
  const std::vector<std::string>& command_;
  ProgressPrinter progress_;
  RunFacts facts_;
  std::string run_id_;
  DsChoice ds_choice_;
  std::string control_link_;  // "": there is none
  launch::ChildEnvironment environment_;
  bool can_profile_ = false;
  bool started_ = false;
  bool failed_ = false;
  std::unique_ptr<RuntimeDir> runtime_dir_;
  std::unique_ptr<NodeServices> services_;
};

}  // namespace

int RunVerb(const RunOptions& options, const std::vector<std::string>& command) {
  return Run(options, command).Do();
}

}  // namespace flopsprof::viewer
