// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The connection to the node agent: a Unix socket over which identity goes out and a sealed
// memfd comes back (proto/shm/handshake.h). Used by one thread at a time.

#include <stdint.h>

#include "proto/shm/handshake.h"
#include "proto/shm/ring_layout.h"

namespace flopsprof::injector {

class AgentLink {
 public:
  enum class Result { kReady, kNotYet, kRefused };

  constexpr AgentLink() = default;

  // Connects to the socket and sends Hello. False: no agent there.
  bool Connect(const char* socket_path);

  // Waits for Welcome, at most so long, and maps the segment. kRefused: never ask again.
  Result AwaitSegment(uint64_t timeout_ns);

  // True once the agent has closed its side, or the program our socket. Does not wait.
  bool AgentHasGone();

  void Close();

  shm::SegmentHeader* segment() const { return segment_; }
  uint32_t options() const { return options_; }  // shm::WelcomeOption bits
  uint32_t stacks_per_second() const { return stacks_per_second_; }

 private:
  Result MapSegment(int memfd, uint64_t bytes);
  bool SocketIsOurs() const;

  int socket_ = -1;
  uint64_t inode_ = 0;  // of the socket
  shm::SegmentHeader* segment_ = nullptr;
  uint32_t options_ = 0;
  uint32_t stacks_per_second_ = shm::kNoStacks;
};

}  // namespace flopsprof::injector
