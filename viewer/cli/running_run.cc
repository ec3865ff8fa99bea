// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/cli/running_run.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "collector/agent/control/control_server.h"
#include "collector/agent/control/run_control.h"
#include "collector/store/manifest.h"
#include "viewer/cli/exit_codes.h"
#include "viewer/cli/runtime_dir.h"

namespace flopsprof::viewer {
namespace {

RunningRun Failed(int exit_code, std::string error, std::vector<std::string> next) {
  RunningRun run;
  run.exit_code = exit_code;
  run.error = std::move(error);
  run.next = std::move(next);
  return run;
}

RunningRun Found(std::string socket, v1::ControlReply status) {
  RunningRun run;
  run.socket = std::move(socket);
  run.status = std::move(status);
  return run;
}

absl::StatusOr<v1::ControlReply> AskStatus(const std::string& socket) {
  v1::ControlRequest request;
  request.set_version(agent::kControlVersion);
  request.set_verb(v1::ControlRequest::VERB_STATUS);
  return agent::AskRun(socket, request);
}

std::string Line(const v1::ControlReply& status) {
  return absl::StrCat(status.run_id(), "  ", status.job(), "  ",
                      status.folder().empty() ? "(collected elsewhere)" : status.folder(), "  pid ",
                      status.launcher_pid());
}

RunningRun OfFolder(const std::string& folder) {
  struct stat info;
  if (stat(folder.c_str(), &info) != 0) {
    if (errno == EACCES) {
      return Failed(kExitNotPermitted, absl::StrCat("not permitted to look into ", folder),
                    {"a run is controlled by the user that has started it"});
    }
    return Failed(kExitNothing, absl::StrCat("no such run: ", folder),
                  {"flopsprof ctl status names the one that runs"});
  }
  if (info.st_uid != geteuid()) {
    return Failed(kExitNotPermitted, absl::StrCat(folder, " is another user's"),
                  {"a run is controlled by the user that has started it"});
  }
  const absl::StatusOr<store::Manifest> manifest = store::ReadManifest(folder);
  if (!manifest.ok()) {
    return Failed(kExitNothing, absl::StrCat(folder, " is not a run folder of flopsprof"),
                  {"a run folder is what flopsprof-run writes: flopsprof-JOB-TIME or the -o DIR"});
  }
  const std::string next = "its report: flopsprof report " + folder;
  std::error_code error;
  const std::string socket = std::filesystem::read_symlink(folder + "/" + kControlLink, error);
  if (error) {
    return Failed(kExitNothing, absl::StrCat("the run ", folder, " has ended"), {next});
  }
  const absl::StatusOr<v1::ControlReply> status = AskStatus(socket);
  if (status.ok() && status->run_id() == manifest->run_id) return Found(socket, *status);
  if (status.ok() || absl::IsNotFound(status.status())) {
    return Failed(kExitNothing,
                  absl::StrCat("the run ", folder, " has ended: its launcher is gone"), {next});
  }
  return Failed(kExitNothing, std::string(status.status().message()), {});
}

RunningRun OfId(const std::string& run_id) {
  std::vector<RunningRun> found;
  std::vector<std::string> others;
  std::string silent;
  for (const std::string& socket : ControlSockets()) {
    const absl::StatusOr<v1::ControlReply> status = AskStatus(socket);
    if (!status.ok()) {
      // One that was killed leaves its socket behind.
      if (!absl::IsNotFound(status.status())) silent = std::string(status.status().message());
      continue;
    }
    others.push_back(Line(*status));
    if (run_id.empty() || status->run_id() == run_id) found.push_back(Found(socket, *status));
  }
  // One that does not answer may be the one that was meant.
  const bool only = silent.empty() || !run_id.empty();
  if (found.size() == 1 && only) return found[0];
  if (!found.empty()) {
    others.insert(others.begin(), "name one: flopsprof ctl RUN ... or --run ID");
    return Failed(kExitUsage,
                  only ? absl::StrCat(found.size(), " runs of yours are running here")
                       : absl::StrCat("not all runs of yours here answer: ", silent),
                  others);
  }
  if (!silent.empty()) return Failed(kExitNothing, silent, {});
  if (!run_id.empty() && !others.empty()) {
    others.insert(others.begin(), "running here:");
    return Failed(kExitNothing, absl::StrCat("no run ", run_id, " is running here"), others);
  }
  return Failed(kExitNothing, "no run of yours is running on this machine",
                {"start one: flopsprof-run --paused -- COMMAND"});
}

}  // namespace

RunningRun FindRunningRun(const CtlOptions& options) {
  return options.folder.empty() ? OfId(options.run_id) : OfFolder(options.folder);
}

}  // namespace flopsprof::viewer
