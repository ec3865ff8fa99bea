// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace flopsprof::viewer {

// A private folder (mode 0700) for the sockets of one run, below $XDG_RUNTIME_DIR or /tmp.
// Removed with what is in it when the object goes.
class RuntimeDir {
 public:
  static absl::StatusOr<std::unique_ptr<RuntimeDir>> Create();
  ~RuntimeDir();
  RuntimeDir(const RuntimeDir&) = delete;
  RuntimeDir& operator=(const RuntimeDir&) = delete;

  std::string agent_socket() const { return path_ + "/agent"; }
  std::string collector_socket() const { return path_ + "/collector"; }

 private:
  explicit RuntimeDir(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace flopsprof::viewer
