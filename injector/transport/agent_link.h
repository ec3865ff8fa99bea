// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The connection to the node agent: a Unix socket over which identity goes out and a sealed
// memfd comes back (proto/shm/handshake.h). After its end another one may be made. Used by one
// thread at a time.

#include <stdint.h>

#include "injector/transport/old_segments.h"
#include "proto/shm/handshake.h"
#include "proto/shm/ring_layout.h"

namespace flopsprof::injector {

class AgentLink {
 public:
  enum class Result { kReady, kNotYet, kRefused, kGone };

  // Which process and session it is of.
  struct Session {
    uint64_t image;     // shm::Hello
    uint32_t number;    // 1 ...
    uint64_t begun_ns;  // when the first one began
  };

  constexpr AgentLink() = default;

  // Connects to the socket and sends Hello. False: no agent there.
  bool Connect(const char* socket_path, const Session& session);

  // Waits for Welcome, at most so long, and maps the segment. kRefused: the agent, or what it gave,
  // is not for us. kGone: it has ended before it answered.
  Result AwaitSegment(uint64_t timeout_ns);

  // True once the agent has closed its side, or the program our socket. Does not wait.
  bool AgentHasGone();

  // The program has closed our socket, and may have used its number for another file.
  bool WasClosedByProgram() const { return socket_ >= 0 && !SocketIsOurs(); }

  void Close();

  shm::SegmentHeader* segment() const { return segment_; }
  uint64_t segment_bytes() const { return segment_bytes_; }
  const SlotPlaces& slots() const { return slots_; }
  uint32_t options() const { return options_; }  // shm::WelcomeOption bits
  uint32_t stacks_per_second() const { return stacks_per_second_; }

 private:
  Result MapSegment(int memfd, uint64_t bytes);
  bool SocketIsOurs() const;

  int socket_ = -1;
  uint64_t inode_ = 0;  // of the socket
  shm::SegmentHeader* segment_ = nullptr;
  uint64_t segment_bytes_ = 0;
  SlotPlaces slots_ = {};
  uint32_t options_ = 0;
  uint32_t stacks_per_second_ = shm::kNoStacks;
};

}  // namespace flopsprof::injector
