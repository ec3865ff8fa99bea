// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/statusor.h>
#include <grpcpp/server.h>

#include <memory>
#include <string>
#include <thread>

#include "collector/base/unique_fd.h"

namespace flopsprof::server {

// Takes connections to a Unix socket for a gRPC server. gRPC's own listener does not tell who has
// connected: here each connection has its descriptor in the text of its peer, and the kernel knows
// whose it is. One thread, which accepts.
class UnixListener {
 public:
  // The socket has mode 0600. What is there and is a socket is replaced. `server` outlives it.
  static absl::StatusOr<std::unique_ptr<UnixListener>> Create(const std::string& path,
                                                              grpc::Server* server);
  // Takes no more; the connections stay the server's. The file stays.
  ~UnixListener();

 private:
  UnixListener(base::UniqueFd listener, base::UniqueFd stop, grpc::Server* server);
  void AcceptUntilStopped();

  base::UniqueFd listener_;
  base::UniqueFd stop_;  // an eventfd
  grpc::Server* const server_;
  std::thread thread_;  // last: it uses the others
};

// Who is behind gRPC's text of a peer: "uid:1000", "ipv4:10.0.0.1"; "" = it cannot be told.
std::string PeerName(const std::string& grpc_peer);

}  // namespace flopsprof::server
