// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace flopsprof::viewer {

// Beside the control socket, where the launcher hosts the collector.
inline constexpr char kCollectorSocket[] = "collector";

// A private folder (mode 0700) for the sockets of one run, below $XDG_RUNTIME_DIR or /tmp. The
// folder and its content are removed when the object is destroyed.
class RuntimeDir {
 public:
  static absl::StatusOr<std::unique_ptr<RuntimeDir>> Create();
  ~RuntimeDir();
  RuntimeDir(const RuntimeDir&) = delete;
  RuntimeDir& operator=(const RuntimeDir&) = delete;

  std::string agent_socket() const { return path_ + "/agent"; }
  std::string collector_socket() const { return path_ + "/" + kCollectorSocket; }
  std::string control_socket() const { return path_ + "/control"; }

 private:
  explicit RuntimeDir(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// In the run folder while the run lasts: a link to its control socket.
inline constexpr char kControlLink[] = "control.sock";

// Control sockets of this user's runs on this machine. The launcher of a socket may have ended.
std::vector<std::string> ControlSockets();

}  // namespace flopsprof::viewer
