// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/calls/call_parts.h"

#include <utility>

namespace flopsprof::agent {

std::optional<PartedCall> CallParts::TakeInterrupted(RingId ring, uint32_t call, bool part) {
  if (open_.empty()) return std::nullopt;
  const auto found = open_.find(Key(ring));
  if (found == open_.end() || (part && found->second.call == call)) return std::nullopt;
  PartedCall interrupted = std::move(found->second);
  open_.erase(found);
  interrupted.complete = false;
  return interrupted;
}

std::optional<PartedCall> CallParts::AddPart(RingId ring, uint32_t call, bool more,
                                             const CallPart& part) {
  PartedCall& open = open_[Key(ring)];
  open.call = call;
  if (open.parts.empty()) open.complete = true;
  if (open.parts.size() < kMaxParts) {
    open.parts.push_back(part);
  } else {
    open.complete = false;
  }
  if (more) return std::nullopt;
  PartedCall whole = std::move(open);
  open_.erase(Key(ring));
  return whole;
}

std::vector<std::pair<RingId, PartedCall>> CallParts::TakeAll() {
  std::vector<std::pair<RingId, PartedCall>> all;
  for (auto& [key, call] : open_) {
    call.complete = false;
    RingId ring = {};
    ring.slot = static_cast<decltype(ring.slot)>(key);
    ring.generation = static_cast<decltype(ring.generation)>(key >> 32);
    all.emplace_back(ring, std::move(call));
  }
  open_.clear();
  return all;
}

}  // namespace flopsprof::agent
