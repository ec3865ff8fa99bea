// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/cli/ctl_status.h"

#include "absl/strings/str_cat.h"
#include "collector/model/json_writer.h"
#include "viewer/report/table.h"

namespace flopsprof::viewer {
namespace {

std::string StateText(v1::RecordingState state) {
  switch (state) {
    case v1::RECORDING_STATE_PAUSED:
      return "paused";
    case v1::RECORDING_STATE_STARTING:
      return "starting";
    case v1::RECORDING_STATE_WAITING:
      return "waiting";
    case v1::RECORDING_STATE_RECORDING:
      return "recording";
    case v1::RECORDING_STATE_STOPPING:
      return "stopping";
    case v1::RECORDING_STATE_ENDED:
      return "ended";
    default:
      return "unknown";
  }
}

}  // namespace

std::string WindowText(const v1::ControlReply& reply) {
  if (!reply.has_window()) return "";
  if (reply.end_step() == 0) return absl::StrCat("from step ", reply.first_step(), " on");
  const uint32_t last = reply.end_step() - 1;
  return last == reply.first_step() ? absl::StrCat("step ", last)
                                    : absl::StrCat("steps ", reply.first_step(), " to ", last);
}

std::string StatusText(const v1::ControlReply& reply, const Terminal& terminal) {
  std::string text =
      absl::StrCat("run     ", terminal.Clean(reply.run_id()), "\njob     ",
                   terminal.Clean(reply.job()), ", launcher pid ", reply.launcher_pid(), "\n");
  if (!reply.folder().empty()) {
    absl::StrAppend(&text, "folder  ", terminal.Clean(reply.folder()), "\n");
  }
  const std::string window = WindowText(reply);
  absl::StrAppend(&text, "state   ", StateText(reply.state()), window.empty() ? "" : ", ", window,
                  "\n");
  if (reply.process_count() == 0) {
    return text + "no process of the job has begun to use the GPU\n";
  }
  Table table({{.header = "rank"},
               {.header = "pid"},
               {.header = "state", .right = false},
               {.header = "step"},
               {.header = "recorded steps"},
               {.header = "windows"},
               {.header = "records"},
               {.header = "losses"}});
  for (const v1::ControlProcess& process : reply.processes()) {
    table.AddRow({{process.rank() < 0 ? "-" : absl::StrCat(process.rank())},
                  {absl::StrCat(process.pid())},
                  {StateText(process.state())},
                  {process.has_step() ? absl::StrCat(process.step()) : "-"},
                  {absl::StrCat(process.recorded_steps())},
                  {absl::StrCat(process.windows())},
                  {absl::StrCat(process.records())},
                  {absl::StrCat(process.losses())}});
  }
  text += table.Render(terminal, 2);
  const auto shown = static_cast<uint32_t>(reply.processes_size());
  if (shown < reply.process_count()) {
    absl::StrAppend(&text, "  and ", reply.process_count() - shown, " more\n");
  }
  return text;
}

std::string StatusJson(const v1::ControlReply& reply) {
  model::JsonWriter json;
  const auto text = [&](const char* key, const std::string& value) {
    json.Key(key);
    json.String(value);
  };
  const auto number = [&](const char* key, uint64_t value) {
    json.Key(key);
    json.Uint(value);
  };
  // What is not there is null.
  const auto maybe = [&](const char* key, bool there, int64_t value) {
    json.Key(key);
    there ? json.Int(value) : json.Null();
  };
  json.BeginObject();
  text("run_id", reply.run_id());
  text("job", reply.job());
  text("folder", reply.folder());
  number("launcher_pid", static_cast<uint64_t>(reply.launcher_pid()));
  text("state", StateText(reply.state()));
  maybe("first_step", reply.has_window(), reply.first_step());
  maybe("end_step", reply.has_window() && reply.end_step() != 0, reply.end_step());
  number("process_count", reply.process_count());
  json.Key("processes");
  json.BeginArray();
  for (const v1::ControlProcess& process : reply.processes()) {
    json.BeginObject();
    number("pid", static_cast<uint64_t>(process.pid()));
    maybe("rank", process.rank() >= 0, process.rank());
    text("node", process.node());
    text("state", StateText(process.state()));
    maybe("step", process.has_step(), process.step());
    number("recorded_steps", process.recorded_steps());
    number("windows", process.windows());
    number("records", process.records());
    number("losses", process.losses());
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return json.text() + "\n";
}

}  // namespace flopsprof::viewer
