// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "collector/agent/rings/ring_reader.h"
#include "proto/shm/records.h"

namespace flopsprof::agent {

struct Blob {
  shm::BlobKind kind;
  uint32_t id;
  std::string bytes;
};

// Puts the pieces of texts and plans together again. Pieces of one blob follow each other in
// one ring; a blob of which a piece is missing is dropped and counted. Holds at most one
// unfinished blob of kMaxBlobBytes for each slot. One thread.
class BlobAssembler {
 public:
  // The blob, when this piece completes it.
  std::optional<Blob> Begin(RingId ring, const shm::BlobBegin& begin);
  std::optional<Blob> Add(RingId ring, const shm::BlobPart& part);

  uint64_t incomplete_count() const { return incomplete_count_; }
  uint64_t malformed_count() const { return malformed_count_; }

 private:
  struct Pending {
    bool active = false;
    uint32_t generation = 0;
    uint32_t total_bytes = 0;
    Blob blob;
  };
  Pending& PendingOf(RingId ring);
  void Drop(Pending* pending);

  std::vector<Pending> slots_;
  uint64_t incomplete_count_ = 0;
  uint64_t malformed_count_ = 0;
};

}  // namespace flopsprof::agent
