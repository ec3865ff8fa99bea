// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/rings/blob_assembler.h"

#include <algorithm>

namespace flopsprof::agent {

BlobAssembler::Pending& BlobAssembler::PendingOf(RingId ring) {
  if (ring.slot >= slots_.size()) slots_.resize(ring.slot + 1);
  Pending& pending = slots_[ring.slot];
  if (pending.active && pending.generation != ring.generation) Drop(&pending);
  return pending;
}

void BlobAssembler::Drop(Pending* pending) {
  incomplete_count_++;
  *pending = Pending();
}

std::optional<Blob> BlobAssembler::Begin(RingId ring, const shm::BlobBegin& begin) {
  Pending& pending = PendingOf(ring);
  if (pending.active) Drop(&pending);
  const bool known_kind = begin.kind == static_cast<uint16_t>(shm::BlobKind::kString) ||
                          begin.kind == static_cast<uint16_t>(shm::BlobKind::kCudnnPlan) ||
                          begin.kind == static_cast<uint16_t>(shm::BlobKind::kStack);
  if (!known_kind || begin.id == 0 || begin.total_bytes > shm::kMaxBlobBytes ||
      begin.inline_bytes > sizeof begin.data || begin.inline_bytes > begin.total_bytes) {
    malformed_count_++;
    return std::nullopt;
  }
  Blob blob = {static_cast<shm::BlobKind>(begin.kind), begin.id,
               std::string(begin.data, begin.inline_bytes)};
  if (begin.inline_bytes == begin.total_bytes) return blob;
  pending.active = true;
  pending.generation = ring.generation;
  pending.total_bytes = begin.total_bytes;
  pending.blob = std::move(blob);
  return std::nullopt;
}

std::optional<Blob> BlobAssembler::Add(RingId ring, const shm::BlobPart& part) {
  Pending& pending = PendingOf(ring);
  if (!pending.active) {
    // Its beginning was dropped, and counted there or by the writer.
    malformed_count_++;
    return std::nullopt;
  }
  if (part.id != pending.blob.id || part.offset != pending.blob.bytes.size()) {
    Drop(&pending);
    return std::nullopt;
  }
  const size_t bytes = std::min<size_t>(sizeof part.data, pending.total_bytes - part.offset);
  pending.blob.bytes.append(part.data, bytes);
  if (pending.blob.bytes.size() < pending.total_bytes) return std::nullopt;
  Blob blob = std::move(pending.blob);
  pending = Pending();
  return blob;
}

}  // namespace flopsprof::agent
