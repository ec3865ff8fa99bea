// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// The time without an agent, after one has gone: another one is looked for at the same socket,
// which may be gone too and come back. Nothing here waits longer than a few times ten milliseconds,
// nor on any thread but the helper's, which owns this.

#include <stdint.h>

#include "injector/transport/agent_link.h"

namespace flopsprof::injector {

class Away {
 public:
  enum class Look { kNotYet, kReady, kOver };

  constexpr Away() = default;

  // From now on for `patience_ns`.
  void Begin(uint64_t now_ns, uint64_t patience_ns);

  // One look, four times a second: connects, or asks whether the answer has come. kReady: `link`
  // has a new segment. kOver: the time is up.
  Look Try(AgentLink* link, const char* socket_path, const AgentLink::Session& session,
           uint64_t now_ns);

  uint64_t since_ns() const { return since_ns_; }

 private:
  void TryAgainAfter(AgentLink* link, uint64_t ns);

  uint64_t since_ns_ = 0;
  uint64_t until_ns_ = 0;
  uint64_t next_try_ns_ = 0;
  uint64_t give_up_ns_ = 0;  // waiting for this agent's answer; 0: not connected
};

}  // namespace flopsprof::injector
