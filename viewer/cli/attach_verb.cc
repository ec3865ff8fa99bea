// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// flopsprof attach: brings the injector into processes that run, records, and takes it out again.

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "collector/agent/control/control_server.h"
#include "collector/agent/control/run_control.h"
#include "viewer/attach/injection.h"
#include "viewer/attach/preflight.h"
#include "viewer/cli/attach_options.h"
#include "viewer/cli/attached_processes.h"
#include "viewer/cli/exit_codes.h"
#include "viewer/cli/formula_options.h"
#include "viewer/cli/install.h"
#include "viewer/cli/messages.h"
#include "viewer/cli/node_services.h"
#include "viewer/cli/progress.h"
#include "viewer/cli/run_name.h"
#include "viewer/cli/run_output.h"
#include "viewer/cli/runtime_dir.h"
#include "viewer/report/report.h"

namespace flopsprof::viewer {
namespace {

using v1::ControlReply;
using v1::ControlRequest;

constexpr absl::Duration kLookAgain = absl::Milliseconds(50);
constexpr absl::Duration kConnectPatience = absl::Seconds(5);
constexpr absl::Duration kFirstStepPatience = absl::Seconds(3);
constexpr absl::Duration kStopPatience = absl::Seconds(15);
constexpr absl::Duration kGivenBackPatience = absl::Seconds(10);
constexpr absl::Duration kFinishTimeout = absl::Seconds(20);

std::atomic<int> asked_to_end{0};  // how often: the second time at once

void AskToEnd(int) { asked_to_end.fetch_add(1, std::memory_order_relaxed); }

void CatchSignals() {
  struct sigaction action = {};
  action.sa_handler = AskToEnd;
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaction(number, &action, nullptr);
}

int ExitCodeOf(attach::Refusal refusal) {
  return refusal == attach::Refusal::kNotAllowed ? kExitNotPermitted : kExitNothing;
}

bool IsAlive(pid_t pid) {
  const std::string state = attach::Target(pid).Status("State");
  return !state.empty() && state[0] != 'Z' && state[0] != 'X';
}

// One run of the verb, in the order in which things happen.
class Attach {
 public:
  explicit Attach(const AttachOptions& options)
      : options_(options),
        library_(InjectorPath()),
        progress_(options.run.quiet ? ProgressMode::kNone : options.run.progress,
                  [](std::string_view text) { WriteAll(STDERR_FILENO, text); }) {}

  int Do() {
    if (library_.empty()) {
      SayError("attach: the library libflopsprof_inject.so is not beside this program",
               {"looked in: " + InjectorSearchText()});
      return kExitNothing;
    }
    if (const int code = CheckAll(); facts_.empty()) return code;
    CatchSignals();
    if (!StartServices()) return kExitNothing;
    const int code = InjectAll();
    if (!attached_.empty()) Record();
    Finish();
    return attached_.empty() ? code : Report();
  }

 private:
  static std::string Name(pid_t pid) { return absl::StrCat("pid ", pid); }
  void SayUnlessQuiet(const std::string& text) const {
    options_.run.quiet ? Note(text) : Say(text);
  }
  static void Refuse(const attach::ProcessFacts& facts, const attach::Preflight& why) {
    std::vector<std::string> more = {"the process is as it was"};
    if (!why.next.empty()) more.push_back(why.next);
    SayError(absl::StrCat("cannot attach to ", Name(facts.pid), ": ", why.why), more);
  }

  // The exit code if none is left.
  int CheckAll() {
    int code = kExitNothing;
    for (const int pid : options_.pids) {
      const attach::Preflight checked = attach::CheckProcess(pid, library_);
      if (checked.refusal != attach::Refusal::kNone) {
        Refuse(checked.facts, checked);
        code = ExitCodeOf(checked.refusal);
        continue;
      }
      facts_.push_back(checked.facts);
      SayUnlessQuiet(absl::StrCat("attaching to ", Name(pid), ": ", checked.facts.command));
      for (const std::string& line : WhatWillBeMissing(checked.facts)) SayUnlessQuiet("  " + line);
    }
    return code;
  }

  bool StartServices() {
    absl::StatusOr<std::unique_ptr<RuntimeDir>> dir = RuntimeDir::Create();
    if (!dir.ok()) {
      SayError(absl::StrCat("attach: ", dir.status().message()),
               {"set XDG_RUNTIME_DIR to a folder of yours"});
      return false;
    }
    runtime_dir_ = *std::move(dir);
    const std::vector<std::string> command = absl::StrSplit(facts_[0].command, ' ');
    run_.job = JobName(command, attach::Variable(facts_[0], "SLURM_JOB_ID"));
    char host[256] = {};
    run_.host = gethostname(host, sizeof(host) - 1) == 0 ? host : "unknown";
    run_.pid = getpid();
    run_.start = absl::Now();
    NodeServices::Options services;
    services.agent_socket = runtime_dir_->agent_socket();
    services.collector_socket = runtime_dir_->collector_socket();
    services.control_socket = runtime_dir_->control_socket();
    services.output = ExpandRunFolder(options_.run.output, run_);
    services.paused = services.leaves_processes = true;
    services.run_id =
        absl::StrCat("attach-", run_.host, "-", run_.pid, "-", absl::ToUnixMicros(run_.start));
    services.job = run_.job;
    services.command = facts_[0].command;
    services.node = run_.host;
    services.start = run_.start;
    services.times = options_.run.times;
    services.modules = options_.run.modules;
    services.graphs = options_.run.graphs;
    services.formulas = FormulasOf(options_.run);
    absl::StatusOr<std::unique_ptr<NodeServices>> started = NodeServices::Start(services);
    if (!started.ok()) {
      SayError(absl::StrCat("attach: ", started.status().message()), {});
      return false;
    }
    services_ = *std::move(started);
    OpenLog(services_->folder() + "/log.txt");
    std::vector<pid_t> pids;
    for (const attach::ProcessFacts& facts : facts_) pids.push_back(facts.pid);
    WriteAttachedProcesses(runtime_dir_->control_socket(), pids);
    return true;
  }

  int InjectAll() {
    int code = kExitNothing;
    for (const attach::ProcessFacts& facts : facts_) {
      if (asked_to_end > 0) break;
      const attach::Injection done = attach::Inject(
          facts.pid,
          {library_, SettingsFor(facts, runtime_dir_->agent_socket(), options_.run.step_at)});
      if (done.end == attach::InjectionEnd::kDone) {
        attached_.push_back(facts.pid);
        SayUnlessQuiet(absl::StrFormat("attached to %s; one of its threads stood still for %.2f ms",
                                       Name(facts.pid),
                                       static_cast<double>(done.stopped_ns) / 1e6));
        continue;
      }
      attach::Preflight why;
      why.refusal = attach::Refusal::kCannot;
      why.why = done.error;
      if (done.end == attach::InjectionEnd::kForbidden) {
        why = attach::ExplainForbidden(attach::Target(facts.pid));
      } else if (done.end == attach::InjectionEnd::kNoThread) {
        why.next = "try again, or start the job under flopsprof-run";
      }
      if (done.end == attach::InjectionEnd::kUnfinished) {
        SayError(absl::StrCat("cannot attach to ", Name(facts.pid), ": ", why.why), {});
      } else {
        Refuse(facts, why);
      }
      code = ExitCodeOf(why.refusal);
    }
    return code;
  }

  std::optional<ControlReply> Ask(ControlRequest::Verb verb, bool now = false) const {
    ControlRequest request;
    request.set_version(agent::kControlVersion);
    request.set_verb(verb);
    request.set_now(now);
    if (verb == ControlRequest::VERB_START) request.set_steps(options_.steps);
    absl::StatusOr<ControlReply> reply = agent::AskRun(runtime_dir_->control_socket(), request);
    if (!reply.ok()) return std::nullopt;
    if (!reply->error().empty()) Note("attach: " + reply->error());
    return *std::move(reply);
  }

  bool AnyIsAlive() const { return std::any_of(attached_.begin(), attached_.end(), IsAlive); }

  // Looks until `done`. False: the time is over, somebody asked to end, or all have ended.
  bool WaitUntil(absl::Time deadline, const std::function<bool(const ControlReply&)>& done) {
    while (true) {
      const std::optional<ControlReply> status = Ask(ControlRequest::VERB_STATUS);
      if (status.has_value()) {
        if (started_) progress_.Update(absl::Now(), services_->Progress());
        if (done(*status)) return true;
      }
      if (absl::Now() > deadline || asked_to_end > 0 || !AnyIsAlive()) return false;
      absl::SleepFor(kLookAgain);
    }
  }

  static bool HasStep(const ControlReply& reply) {
    return std::any_of(reply.processes().begin(), reply.processes().end(),
                       [](const v1::ControlProcess& process) { return process.has_step(); });
  }
  static bool IsRecording(const ControlReply& reply) {
    return reply.state() == v1::RECORDING_STATE_RECORDING;
  }
  static bool IsPaused(const ControlReply& reply) {
    return reply.state() == v1::RECORDING_STATE_PAUSED;
  }

  // Modules are followed from the middle of a step on: the first whole one is the next.
  void AwaitAStep() {
    const bool any_torch = std::any_of(facts_.begin(), facts_.end(),
                                       [](const auto& facts) { return facts.has_torch; });
    if (!any_torch || !options_.run.modules) return;
    if (WaitUntil(absl::Now() + kFirstStepPatience, HasStep) || asked_to_end > 0 || !AnyIsAlive())
      return;
    Say("no step has begun yet: it waits for one; Ctrl-C ends it");
    WaitUntil(absl::InfiniteFuture(), HasStep);
  }

  void Record() {
    const size_t wanted = attached_.size();
    const bool all = WaitUntil(absl::Now() + kConnectPatience, [wanted](const ControlReply& reply) {
      return reply.process_count() >= wanted;
    });
    if (!all && asked_to_end == 0)
      Say("not every process has connected; it goes on with the others");
    progress_.Start(absl::Now(),
                    absl::StrCat("profiling ", run_.job, ", run folder ", services_->folder()));
    started_ = true;
    AwaitAStep();
    if (asked_to_end > 0 || !AnyIsAlive()) return;
    Ask(ControlRequest::VERB_START);
    // A process that uses no CUDA has nothing that could begin: it is not waited for any longer.
    const bool any_cuda = std::any_of(facts_.begin(), facts_.end(),
                                      [](const auto& facts) { return facts.uses_cuda; });
    const absl::Time patience = any_cuda || options_.seconds == 0
                                    ? absl::InfiniteFuture()
                                    : absl::Now() + absl::Seconds(options_.seconds);
    const bool begun = WaitUntil(
        patience, [](const ControlReply& reply) { return IsRecording(reply) || IsPaused(reply); });
    if (begun) {
      const absl::Time end = options_.seconds > 0 ? absl::Now() + absl::Seconds(options_.seconds)
                                                  : absl::InfiniteFuture();
      WaitUntil(end, IsPaused);
    }
    Stop();
  }

  // With the end of the step that runs, so that it is whole; at once where that is asked for.
  void Stop() {
    const auto status = Ask(ControlRequest::VERB_STATUS);
    if (!status.has_value() || !AnyIsAlive()) return;
    const int asked = asked_to_end;
    if (!IsPaused(*status)) Ask(ControlRequest::VERB_STOP);
    const absl::Time deadline = absl::Now() + kStopPatience;
    for (auto now = status; now.has_value() && !IsPaused(*now) && AnyIsAlive();
         now = Ask(ControlRequest::VERB_STATUS)) {
      if (absl::Now() > deadline || asked_to_end > asked) {
        Ask(ControlRequest::VERB_STOP, /*now=*/true);
        break;
      }
      absl::SleepFor(kLookAgain);
    }
    const auto flush = Ask(ControlRequest::VERB_FLUSH);
    const absl::Time flushed = absl::Now() + kStopPatience;
    for (auto now = flush; now.has_value() && now->flushed() < flush->flush();
         now = Ask(ControlRequest::VERB_STATUS)) {
      if (absl::Now() > flushed || !AnyIsAlive()) break;
      absl::SleepFor(kLookAgain);
    }
  }

  // The processes get back what is theirs, before anything is written.
  void Finish() {
    const absl::Status sent = services_->FinishAgent(std::nullopt, kFinishTimeout);
    if (!sent.ok()) {
      missing_ = std::string(sent.message());
      SayError(absl::StrCat("the profile is not complete: ", sent.message()), {});
    }
    if (started_) progress_.End(absl::Now(), services_->Progress(), "detaching");
    services_->LetProcessesGo();
    const absl::Time deadline = absl::Now() + kGivenBackPatience;
    for (const pid_t pid : attached_) {
      while (IsAlive(pid) && IsHeld(pid, library_) && absl::Now() < deadline)
        absl::SleepFor(kLookAgain);
      if (!IsAlive(pid)) {
        SayUnlessQuiet(Name(pid) + " has ended");
      } else if (IsHeld(pid, library_)) {
        Say(Name(pid) + " has not given everything back yet: it does so by itself");
      } else {
        SayUnlessQuiet(Name(pid) + " runs on without us");
      }
    }
  }

  int Report() {
    const auto folder = services_->FinishCollector();
    if (folder == nullptr) return kExitNothing;
    model::SummaryOptions writing;
    writing.peaks = options_.run.peaks;
    writing.raw_names = options_.run.raw_names;
    if (!missing_.empty()) folder->NoteProblem(missing_).IgnoreError();
    const absl::StatusOr<LoadedRun> run = WriteRunTexts(folder.get(), writing);
    if (!run.ok()) {
      SayError(absl::StrCat("cannot write the report: ", run.status().message()),
               {"recorded so far: " + folder->path()});
      return kExitNothing;
    }
    if (run->sums.summary.empty) {
      Say("nothing to report: while attached no step began, and no GPU call was made that is "
          "counted");
      return kExitNothing;
    }
    if (!options_.run.quiet) {
      const Terminal terminal =
          DetectTerminal(STDOUT_FILENO, options_.run.colour, options_.run.ascii);
      WriteAll(STDOUT_FILENO, RenderReport(run->sums, run->profile, folder->path(), {}, terminal));
    }
    return kExitOk;
  }

  const AttachOptions& options_;
  const std::string library_;
  ProgressPrinter progress_;
  RunFacts run_;
  std::vector<attach::ProcessFacts> facts_;  // of those that may be attached
  std::vector<pid_t> attached_;
  bool started_ = false;
  std::string missing_;
  std::unique_ptr<RuntimeDir> runtime_dir_;
  std::unique_ptr<NodeServices> services_;
};

}  // namespace

int AttachVerb(const AttachOptions& options) { return Attach(options).Do(); }

}  // namespace flopsprof::viewer
