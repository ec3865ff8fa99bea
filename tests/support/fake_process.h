// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <memory>
#include <optional>
#include <string>

#include "collector/base/unique_fd.h"
#include "collector/base/unix_socket.h"
#include "proto/shm/handshake.h"
#include "tests/support/fake_injector.h"

namespace flopsprof::testing {

inline shm::Hello ValidHello(int32_t rank = 0) {
  shm::Hello hello = {};
  hello.magic = shm::kHelloMagic;
  hello.version = shm::kHandshakeVersion;
  hello.record_bytes = shm::kRecordBytes;
  hello.rank = rank;
  hello.local_rank = rank;
  hello.world_size = 2;
  return hello;
}

// The side of the handshake that a profiled process has.
class FakeProcess {
 public:
  // False: no agent there.
  bool Connect(const std::string& socket_path) {
    absl::StatusOr<base::UniqueFd> socket = base::ConnectUnix(socket_path);
    if (!socket.ok()) return false;
    socket_ = std::move(*socket);
    return true;
  }
  bool Send(const void* data, size_t bytes) {
    return base::SendPacket(socket_.get(), data, bytes, -1).ok();
  }
  bool SayHello(const shm::Hello& hello) { return Send(&hello, sizeof hello); }
  // Waits for the answer; `injector` is there when the agent has accepted.
  std::optional<shm::Welcome> ReceiveWelcome() {
    shm::Welcome welcome = {};
    absl::StatusOr<base::Packet> packet =
        base::ReceivePacket(socket_.get(), &welcome, sizeof welcome);
    if (!packet.ok() || packet->bytes != sizeof welcome) return std::nullopt;
    if (packet->fd.valid()) {
      injector = std::make_unique<FakeInjector>(packet->fd.get(), welcome.segment_bytes);
      memfd = std::move(packet->fd);
    }
    return welcome;
  }
  void Disconnect() { socket_.Reset(); }

  std::unique_ptr<FakeInjector> injector;
  base::UniqueFd memfd;

 private:
  base::UniqueFd socket_;
};

}  // namespace flopsprof::testing
