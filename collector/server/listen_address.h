// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>

#include <string>

namespace flopsprof::server {

// Where the collector listens: "unix:/path", "127.0.0.1:0", "[::1]:4000", "host:port".
struct ListenAddress {
  std::string text;  // as gRPC takes it
  bool is_unix = false;
  bool is_loopback = false;  // reachable from this machine only
  std::string unix_path;
};

absl::StatusOr<ListenAddress> ParseListenAddress(const std::string& text);

}  // namespace flopsprof::server
