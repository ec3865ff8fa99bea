// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "collector/base/unique_fd.h"

namespace flopsprof::base {

// Non-blocking SOCK_SEQPACKET listener at `path`; replaces a stale socket file of that name.
// The folder decides who may connect: keep it 0700.
absl::StatusOr<UniqueFd> ListenUnix(const std::string& path);

// Blocking connection to such a listener.
absl::StatusOr<UniqueFd> ConnectUnix(const std::string& path);

// A waiting connection, non-blocking; an invalid descriptor when there is none.
absl::StatusOr<UniqueFd> AcceptUnix(int listener);

struct PeerCredentials {
  pid_t pid = -1;  // in our namespace; 0 = outside of it
  uid_t uid = static_cast<uid_t>(-1);
};
absl::StatusOr<PeerCredentials> GetPeerCredentials(int socket);

// One packet, with a descriptor when `fd` >= 0.
absl::Status SendPacket(int socket, const void* data, size_t bytes, int fd);

struct Packet {
  size_t bytes = 0;        // 0: the peer has closed
  bool truncated = false;  // the packet or its control data was longer than the room for it
  UniqueFd fd;             // the first descriptor that came with it
};
absl::StatusOr<Packet> ReceivePacket(int socket, void* data, size_t capacity);

}  // namespace flopsprof::base
