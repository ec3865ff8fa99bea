// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "injector/session/away.h"

namespace flopsprof::injector {
namespace {

constexpr uint64_t kShortWaitNs = 20000000u;  // an agent that is there answers within it
constexpr uint64_t kAnswerPatienceNs = 5000000000u;
constexpr uint64_t kAfterRefusalNs =
    2000000000u;  // it would refuse again, but another one may come

}  // namespace

void Away::Begin(uint64_t now_ns, uint64_t patience_ns) {
  since_ns_ = now_ns;
  until_ns_ = now_ns + patience_ns;
  next_try_ns_ = 0;
  give_up_ns_ = 0;
}

void Away::TryAgainAfter(AgentLink* link, uint64_t ns) {
  link->Close();
  give_up_ns_ = 0;
  next_try_ns_ = ns;
}

Away::Look Away::Try(AgentLink* link, const char* socket_path, const AgentLink::Session& session,
                     uint64_t now_ns) {
  if (now_ns >= until_ns_) {
    link->Close();
    return Look::kOver;
  }
  if (give_up_ns_ == 0) {
    if (now_ns < next_try_ns_ || !link->Connect(socket_path, session)) return Look::kNotYet;
    give_up_ns_ = now_ns + kAnswerPatienceNs;
  } else if (link->WasClosedByProgram()) {
    TryAgainAfter(link, 0);
    return Look::kNotYet;
  }
  switch (link->AwaitSegment(kShortWaitNs)) {
    case AgentLink::Result::kReady:
      give_up_ns_ = 0;
      return Look::kReady;
    case AgentLink::Result::kRefused:
      TryAgainAfter(link, now_ns + kAfterRefusalNs);
      break;
    case AgentLink::Result::kGone:
      TryAgainAfter(link, 0);
      break;
    case AgentLink::Result::kNotYet:
      if (now_ns >= give_up_ns_) TryAgainAfter(link, 0);
      break;
  }
  return Look::kNotYet;
}

}  // namespace flopsprof::injector
