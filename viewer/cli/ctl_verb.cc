// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
// flopsprof ctl: asks a running job's agent to start, stop, mark, flush, or tell its state.

#include <unistd.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "collector/agent/control/control_server.h"
#include "collector/agent/control/run_control.h"
#include "collector/agent/tables/name_table.h"
#include "viewer/cli/ctl_status.h"
#include "viewer/cli/exit_codes.h"
#include "viewer/cli/messages.h"
#include "viewer/cli/running_run.h"
#include "viewer/cli/verb_functions.h"

namespace flopsprof::viewer {
namespace {

using v1::ControlReply;
using v1::ControlRequest;

constexpr absl::Duration kPoll = absl::Milliseconds(50);
constexpr absl::Duration kPatience = absl::Seconds(15);
constexpr absl::Duration kNoStepPatience = absl::Seconds(3);

bool IsPaused(const ControlReply& reply) { return reply.state() == v1::RECORDING_STATE_PAUSED; }

bool HasStep(const ControlReply& reply) {
  return std::any_of(reply.processes().begin(), reply.processes().end(),
                     [](const v1::ControlProcess& process) { return process.has_step(); });
}

// One call of the verb.
class Ctl {
 public:
  explicit Ctl(const CtlOptions& options) : options_(options) {}

  int Do() {
    const RunningRun run = FindRunningRun(options_);
    if (run.socket.empty()) {
      SayError("ctl: " + run.error, run.next);
      return run.exit_code;
    }
    socket_ = run.socket;
    if (options_.verb == "start") return Start();
    if (options_.verb == "stop") return Stop();
    if (options_.verb == "mark") return Mark();
    if (options_.verb == "flush") return Flush();
    const Terminal terminal = DetectTerminal(STDOUT_FILENO, options_.colour, options_.ascii);
    return Answer(run.status, StatusText(run.status, terminal));
  }

 private:
  // Absent: it was said why.
  std::optional<ControlReply> Ask(ControlRequest request) {
    request.set_version(agent::kControlVersion);
    absl::StatusOr<ControlReply> reply = agent::AskRun(socket_, request);
    if (!reply.ok()) {
      SayError(absl::IsNotFound(reply.status()) ? std::string("ctl: the run has ended")
                                                : absl::StrCat("ctl: ", reply.status().message()),
               {});
      return std::nullopt;
    }
    if (!reply->error().empty()) {
      SayError("ctl: " + reply->error(), {reply->next()});
      return std::nullopt;
    }
    return *reply;
  }

  std::optional<ControlReply> AskVerb(ControlRequest::Verb verb) {
    ControlRequest request;
    request.set_verb(verb);
    return Ask(request);
  }

  // Asks for the status until `done`. Absent: the run has ended, or `patience` (and `what` is
  // said).
  std::optional<ControlReply> WaitUntil(const std::function<bool(const ControlReply&)>& done,
                                        absl::Duration patience, const std::string& what) {
    const absl::Time deadline = absl::Now() + patience;
    while (true) {
      std::optional<ControlReply> status = AskVerb(ControlRequest::VERB_STATUS);
      if (!status.has_value() || done(*status)) return status;
      if (absl::Now() > deadline) {
        SayError("ctl: " + what, {"it goes on; see: flopsprof ctl status"});
        return std::nullopt;
      }
      absl::SleepFor(kPoll);
    }
  }

  int Answer(const std::optional<ControlReply>& reply, const std::string& text) const {
    if (!reply.has_value()) return kExitNothing;
    WriteAll(STDOUT_FILENO, options_.json ? StatusJson(*reply) : text);
    return kExitOk;
  }

  int Start() {
    ControlRequest request;
    request.set_verb(ControlRequest::VERB_START);
    request.set_steps(options_.steps);
    if (!Ask(request).has_value()) return kExitNothing;
    const auto planned = [](const ControlReply& reply) {
      return reply.state() != v1::RECORDING_STATE_STARTING;
    };
    std::optional<ControlReply> reply =
        WaitUntil(planned, kPatience, "the processes are not ready yet");
    if (!reply.has_value()) return kExitNothing;
    const std::string window = WindowText(*reply);
    if (!options_.wait) {
      return Answer(reply,
                    absl::StrCat("recording ", window.empty() ? "from now on" : window, "\n"));
    }
    reply = WaitUntil(
        [this, said = false, from = absl::Now()](const ControlReply& status) mutable {
          if (!said && absl::Now() - from > kNoStepPatience && !IsPaused(status)) {
            said = true;
            if (!HasStep(status)) SayNoStep();
          }
          return IsPaused(status);
        },
        absl::InfiniteDuration(), "");
    if (reply.has_value()) MakeReportable();
    return Answer(reply, absl::StrCat("recorded ", window.empty() ? "the steps" : window, "\n"));
  }

  // A job whose steps nobody sees would be waited for in silence.
  void SayNoStep() const {
    if (options_.steps == 0) return;
    Say("ctl: no step of the job has been seen yet: it waits; where no optimizer steps, "
        "flopsprof-run --step-at NAME or flopsprof.step() says where a step begins");
  }

  int Stop() {
    ControlRequest request;
    request.set_verb(ControlRequest::VERB_STOP);
    request.set_now(options_.now);
    if (!Ask(request).has_value()) return kExitNothing;
    const std::optional<ControlReply> reply = WaitUntil(
        IsPaused, kPatience, "the step that is being recorded has not ended; stop --now cuts it");
    if (reply.has_value()) MakeReportable();
    return Answer(reply, "stopped\n");
  }

  // What has been waited for is in the report of those who ask for it next. A collector that is
  // slow or gone is said, and nothing else changes.
  void MakeReportable() {
    ControlRequest request;
    request.set_verb(ControlRequest::VERB_FLUSH);
    const std::optional<ControlReply> asked = Ask(request);
    if (!asked.has_value()) return;
    const uint32_t number = asked->flush();
    WaitUntil([number](const ControlReply& reply) { return reply.flushed() >= number; }, kPatience,
              "the collector has not acknowledged everything yet");
  }

  int Mark() {
    constexpr size_t kMostBytes = 1024;
    ControlRequest request;
    request.set_verb(ControlRequest::VERB_MARK);
    request.set_name(agent::BoundedUtf8(options_.name, kMostBytes));
    return Answer(Ask(request), "marked\n");
  }

  int Flush() {
    const std::optional<ControlReply> asked = AskVerb(ControlRequest::VERB_FLUSH);
    if (!asked.has_value()) return kExitNothing;
    const uint32_t number = asked->flush();
    const auto done = [number](const ControlReply& reply) { return reply.flushed() >= number; };
    const std::string& folder = asked->folder();
    return Answer(WaitUntil(done, kPatience, "the collector has not acknowledged everything yet"),
                  folder.empty() ? "flushed\n" : "flushed; now: flopsprof report " + folder + "\n");
  }

  const CtlOptions& options_;
  std::string socket_;
};

}  // namespace

int CtlVerb(const CtlOptions& options) { return Ctl(options).Do(); }

}  // namespace flopsprof::viewer
