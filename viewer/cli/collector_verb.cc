// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "collector/base/clock.h"
#include "collector/base/mutex.h"
#include "collector/base/thread.h"
#include "collector/server/collector.h"
#include "viewer/cli/exit_codes.h"
#include "viewer/cli/messages.h"
#include "viewer/cli/run_output.h"
#include "viewer/cli/verb_functions.h"

namespace flopsprof::viewer {
namespace {

constexpr absl::Duration kLastTextsPatience = absl::Seconds(5);
constexpr absl::Duration kTextsRound = absl::Seconds(1);
// Of the time that texts of a run take, before they are made again: a twentieth of a core.
constexpr uint64_t kRestPerWork = 20;
// A folder of which no texts can be made is said once, and looked at again at last once a minute.
constexpr int kFailuresUntilSaid = 3;
constexpr int kMostDoublings = 6;

sigset_t StopSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, number);
  return set;
}

// Keeps summary.json and report.txt of every run that something comes for beside what has arrived,
// in a thread of its own: of a large run they take longer than a signal is to wait. Runs that
// nothing comes for are not looked at.
class TextKeeper {
 public:
  explicit TextKeeper(server::Collector* collector)
      : collector_(*collector), thread_(base::StartThread([this] { KeepUntilStopped(); })) {
    if (!thread_.joinable()) {
      Say("the machine allows no further thread: texts of runs are written at the end only");
    }
  }
  ~TextKeeper() {
    Stop();
    if (thread_.joinable()) thread_.join();
  }

  // Ends after those that are being written.
  void Stop() {
    base::MutexLock lock(&mutex_);
    stopping_ = true;
    condition_.SignalAll();
  }

  // Once more, of what has changed, in the caller's thread, after Stop and the thread's end. What
  // is not begun within `patience` stays as it is.
  void Finish(absl::Duration patience) {
    if (thread_.joinable()) thread_.join();
    const uint64_t until_ns = base::Clock::Real().MonoNs() + ToNs(patience);
    Refresh(true, [until_ns] { return base::Clock::Real().MonoNs() < until_ns; });
  }

 private:
  static uint64_t ToNs(absl::Duration time) {
    return static_cast<uint64_t>(absl::ToInt64Nanoseconds(time));
  }

  void KeepUntilStopped() {
    while (true) {
      Refresh(false, [this] { return !IsStopping(); });
      base::MutexLock lock(&mutex_);
      if (!stopping_) condition_.WaitWithTimeout(&mutex_, kTextsRound);
      if (stopping_) return;
    }
  }

  bool IsStopping() {
    base::MutexLock lock(&mutex_);
    return stopping_;
  }

  // `all`: also those whose turn has not come.
  void Refresh(bool all, const std::function<bool()>& may_go_on) {
    for (const std::string& folder : collector_.TakeChangedRuns()) runs_[folder].changed = true;
    for (auto& [folder, run] : runs_) {
      const uint64_t begin_ns = base::Clock::Real().MonoNs();
      if (!run.changed || (!all && begin_ns < run.due_ns)) continue;
      if (!may_go_on()) return;
      uint64_t work_ns = 0;
      const absl::Status written = WriteTexts(folder, may_go_on, &work_ns);
      run.due_ns = base::Clock::Real().MonoNs() + kRestPerWork * work_ns;
      if (!written.ok()) run.due_ns += NoteFailure(folder, written, &run);
      if (written.ok()) run.failures = 0;
      run.changed = !written.ok() && std::filesystem::exists(folder);
    }
    const uint64_t now_ns = base::Clock::Real().MonoNs();
    std::erase_if(runs_, [now_ns](const auto& entry) {
      return !entry.second.changed && entry.second.due_ns <= now_ns;
    });
  }

  // Of a run that is being written from its live merge: who asks for a report meanwhile gets what
  // the texts were made from. `work_ns`: what it took, without waiting for another one.
  absl::Status WriteTexts(const std::string& folder, const std::function<bool()>& may_go_on,
                          uint64_t* work_ns) {
    const absl::StatusOr<std::shared_ptr<const server::LiveReport>> live =
        collector_.MakeReport(folder, may_go_on);
    if (!live.ok() && !may_go_on()) return absl::CancelledError("the collector is ending");
    const uint64_t begin_ns = base::Clock::Real().MonoNs();
    std::optional<model::RunSums> sums;
    if (live.ok()) sums = model::FromBytes((*live)->sums);
    const absl::Status written = sums.has_value()
                                     ? WriteRunTexts(folder, {*std::move(sums), {}}, (*live)->json)
                                     : WriteRunTexts(folder);
    *work_ns = base::Clock::Real().MonoNs() - begin_ns;
    if (live.ok()) *work_ns += (*live)->head.made_in_ns();
    return written;
  }

  struct Run {
    bool changed = false;  // since its texts were written
    uint64_t due_ns = 0;   // not again before
    int failures = 0;      // one after the other
  };

  // How long to wait in addition: a folder that is half made is whole soon, another one never.
  static uint64_t NoteFailure(const std::string& folder, const absl::Status& why, Run* run) {
    run->failures++;
    if (run->failures == kFailuresUntilSaid) {
      Say(absl::StrCat("no report of ", folder, ": ", why.message()));
    }
    const int doublings = std::min(run->failures, kMostDoublings);
    return ToNs(kTextsRound) << doublings;
  }

  server::Collector& collector_;
  std::map<std::string, Run> runs_;  // by folder; of who refreshes
  base::Mutex mutex_;
  base::CondVar condition_;
  bool stopping_ ABSL_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace

int CollectorVerb(const CollectorOptions& options) {
  if (options.listen.empty()) {
    SayError("collector: where to listen?",
             {"usage: flopsprof collector --listen HOST:PORT --store DIR",
              "help: flopsprof help collector"});
    return kExitUsage;
  }
  // Before the collector makes its threads, which inherit it.
  const sigset_t stop = StopSignals();
  pthread_sigmask(SIG_BLOCK, &stop, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  // Each run has some files open, and each agent a connection.
  rlimit files = {};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }

  server::Collector::Options settings;
  settings.listen = options.listen;
  settings.output = options.store;
  settings.insecure = options.insecure;
  settings.queries.over_tcp = options.reports_over_tcp;
  const absl::StatusOr<std::unique_ptr<server::Collector>> collector =
      server::Collector::Create(settings);
  if (!collector.ok()) {
    SayError(absl::StrCat("collector: ", collector.status().message()), {});
    if (absl::IsInvalidArgument(collector.status())) return kExitUsage;
    return absl::IsPermissionDenied(collector.status()) ? kExitNotPermitted : kExitNothing;
  }
  const std::vector<int> ports = (*collector)->ports();
  Say(absl::StrCat("collecting into ", options.store, ", port ", absl::StrJoin(ports, ", "),
                   "; end with Ctrl-C"));
  TextKeeper texts(collector->get());
  while (sigwaitinfo(&stop, nullptr) < 0) {
  }
  texts.Stop();
  (*collector)->Stop();
  texts.Finish(kLastTextsPatience);
  return kExitOk;
}

}  // namespace flopsprof::viewer
