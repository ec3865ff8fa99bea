// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// flopsprof detach: ends what a flopsprof attach has begun, wherever it was started.

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "collector/agent/control/control_server.h"
#include "collector/agent/control/run_control.h"
#include "viewer/cli/attach_options.h"
#include "viewer/cli/attached_processes.h"
#include "viewer/cli/exit_codes.h"
#include "viewer/cli/install.h"
#include "viewer/cli/messages.h"

namespace flopsprof::viewer {
namespace {

constexpr absl::Duration kDetachPatience = absl::Seconds(30);
constexpr absl::Duration kHeldPoll = absl::Milliseconds(50);

// The flopsprof attach that listens at a control socket; 0: it has ended.
pid_t ControllerAt(const std::string& socket) {
  if (socket.empty()) return 0;
  v1::ControlRequest request;
  request.set_version(agent::kControlVersion);
  request.set_verb(v1::ControlRequest::VERB_STATUS);
  const absl::StatusOr<v1::ControlReply> reply = agent::AskRun(socket, request);
  return reply.ok() ? reply->launcher_pid() : 0;
}

// As Ctrl-C does: the run folder is written.
void EndController(pid_t controller) {
  const int process = static_cast<int>(syscall(SYS_pidfd_open, controller, 0));
  if (process < 0) return;
  syscall(SYS_pidfd_send_signal, process, SIGINT, nullptr, 0);
  pollfd wait{process, POLLIN, 0};
  poll(&wait, 1, static_cast<int>(absl::ToInt64Milliseconds(kDetachPatience)));
  close(process);
}

int DetachOne(pid_t pid, const std::string& library) {
  const pid_t controller = ControllerAt(ControlSocketOfAttached(pid));
  if (controller == 0 && !IsHeld(pid, library)) {
    SayError(absl::StrCat("detach: pid ", pid, " is not attached"), {});
    return kExitNothing;
  }
  if (controller != 0) EndController(controller);
  // One that lost its controller gives everything back by itself.
  const absl::Time deadline = absl::Now() + kDetachPatience;
  while (IsHeld(pid, library) && absl::Now() < deadline) absl::SleepFor(kHeldPoll);
  if (IsHeld(pid, library)) {
    SayError(absl::StrCat("detach: pid ", pid, " has not given everything back yet"),
             {"it does so by itself; it runs on meanwhile"});
    return kExitNothing;
  }
  WriteAll(STDOUT_FILENO, absl::StrCat("detached from pid ", pid, "\n"));
  return kExitOk;
}

}  // namespace

int DetachVerb(const DetachOptions& options) {
  const std::string library = InjectorPath();
  int code = kExitOk;
  for (const int pid : options.pids) {
    if (const int one = DetachOne(pid, library); one != kExitOk) code = one;
  }
  return code;
}

}  // namespace flopsprof::viewer
