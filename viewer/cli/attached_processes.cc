// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "viewer/cli/attached_processes.h"

#include <algorithm>
#include <fstream>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "viewer/attach/injection.h"
#include "viewer/cli/attach_options.h"
#include "viewer/cli/runtime_dir.h"

namespace flopsprof::viewer {
namespace {

std::string ListBeside(const std::string& control_socket) { return control_socket + ".attached"; }

}  // namespace

std::vector<std::string> WhatWillBeMissing(const attach::ProcessFacts& facts) {
  std::vector<std::string> lines;
  if (facts.has_torch) {
    lines.push_back("counted: whole steps from the next one on, by module, forward and backward");
  } else {
    lines.push_back(
        "counted: library calls and kernels from now on; it has no PyTorch, so there are no "
        "modules");
  }
  lines.push_back("not counted: what ran before");
  lines.push_back(
      "unknown: replays of CUDA graphs that were captured before, and calls of functions whose "
      "addresses the program keeps (JAX, Triton)");
  lines.push_back("not seen after an attach: ranges (NVTX, flopsprof.h), import flopsprof");
  if (!facts.uses_cuda) lines.push_back("it has not used CUDA yet: it is waited for");
  return lines;
}

double ParseDuration(const std::string& text) {
  double value = 0;
  const size_t unit_at = text.find_first_not_of("0123456789.");
  if (unit_at == std::string::npos || !absl::SimpleAtod(text.substr(0, unit_at), &value)) return 0;
  const std::string unit = text.substr(unit_at);
  if (unit == "ms") return value / 1000;
  if (unit == "s") return value;
  if (unit == "m") return value * 60;
  return unit == "h" ? value * 3600 : 0;
}

std::string SettingsFor(const attach::ProcessFacts& facts, const std::string& agent_socket,
                        const std::string& step_at) {
  std::string settings = facts.environment;
  const auto add = [&settings](const std::string& entry) {
    settings.append(entry).push_back('\0');
  };
  add("FLOPSPROF_SOCKET=" + agent_socket);
  add("FLOPSPROF_RECONNECT_S=0");  // when the agent goes all is given back
  add("FLOPSPROF_CONNECT_TIMEOUT_MS=3000");
  if (!step_at.empty()) add("FLOPSPROF_STEP_AT=" + step_at);
  return settings;
}

bool IsHeld(pid_t pid, const std::string& library) {
  const attach::OldLibrary old = attach::FindOldLibrary(attach::Target(pid), library);
  return old.same_build && old.status.state == static_cast<uint32_t>(shm::AttachState::kActive);
}

bool WriteAttachedProcesses(const std::string& control_socket, const std::vector<pid_t>& pids) {
  std::ofstream file(ListBeside(control_socket));
  for (const pid_t pid : pids) file << pid << "\n";
  return file.flush().good();
}

std::string ControlSocketOfAttached(pid_t pid) {
  for (const std::string& socket : ControlSockets()) {
    std::ifstream file(ListBeside(socket));
    for (pid_t attached = 0; file >> attached;) {
      if (attached == pid) return socket;
    }
  }
  return "";
}

}  // namespace flopsprof::viewer
