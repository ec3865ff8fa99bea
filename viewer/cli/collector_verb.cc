// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "collector/model/summary_json.h"
#include "collector/server/collector.h"
#include "collector/store/folder_name.h"
#include "viewer/cli/exit_codes.h"
#include "viewer/cli/messages.h"
#include "viewer/cli/run_output.h"
#include "viewer/cli/verb_functions.h"

namespace flopsprof::viewer {
namespace {

namespace fs = std::filesystem;

sigset_t StopSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, number);
  return set;
}

// Keeps summary.json and report.txt of every run in the store beside what has arrived.
class TextKeeper {
 public:
  explicit TextKeeper(std::string store) : store_(std::move(store)) {}

  void Refresh() {
    std::error_code error;
    for (const fs::directory_entry& entry : fs::directory_iterator(store_, error)) {
      const fs::path folder = entry.path();
      if (!fs::exists(folder / "run.json", error)) continue;
      const fs::file_time_type changed = LastChange(folder);
      fs::file_time_type& seen = seen_[folder.string()];
      if (changed == seen) continue;
      seen = changed;
      Write(folder.string());
    }
  }

 private:
  static fs::file_time_type LastChange(const fs::path& folder) {
    fs::file_time_type latest = fs::file_time_type::min();
    for (const char* name : {"profile.db", "profile.db-wal"}) {
      std::error_code error;
      const fs::file_time_type time = fs::last_write_time(folder / name, error);
      if (!error) latest = std::max(latest, time);
    }
    return latest;
  }

  static void Write(const std::string& folder) {
    const absl::StatusOr<LoadedRun> run = LoadRun(folder);
    if (!run.ok()) return;  // half made: the next round sees it whole
    const std::string report = RenderReport(run->summary, run->profile, folder, {}, Terminal());
    absl::Status status = store::ReplaceFile(folder, "summary.json", model::ToJson(run->summary));
    status.Update(store::ReplaceFile(folder, "report.txt", report));
    if (!status.ok()) Say(absl::StrCat("cannot write to ", folder, ": ", status.message()));
  }

  const std::string store_;
  std::map<std::string, fs::file_time_type> seen_;
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

  server::Collector::Options settings;
  settings.listen = options.listen;
  settings.output = options.store;
  settings.insecure = options.insecure;
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
  TextKeeper texts(options.store);
  constexpr timespec kRefreshEvery = {1, 0};
  for (;;) {
    const int number = sigtimedwait(&stop, nullptr, &kRefreshEvery);
    if (number > 0) break;
    texts.Refresh();
  }
  (*collector)->Stop();
  texts.Refresh();
  return kExitOk;
}

}  // namespace flopsprof::viewer
