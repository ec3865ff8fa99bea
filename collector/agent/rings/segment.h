// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "collector/base/unique_fd.h"
#include "proto/shm/ring_layout.h"

namespace flopsprof::agent {

// Shape of a segment. Both are remembered here, never read back from the shared memory.
struct SegmentOptions {
  uint32_t slot_count = shm::kDefaultSlotCount;
  uint32_t ring_records = shm::kDefaultRingRecords;  // a power of two
  bool host_clock = false;                           // launches and scopes have the host's clock
};

// Owns one shared-memory segment (proto/shm/ring_layout.h): a memfd, sealed so that the other
// side can neither shrink nor grow it, and its mapping. Move-only; any thread.
class Segment {
 public:
  static absl::StatusOr<Segment> Create(const SegmentOptions& options);
  Segment(Segment&& other) noexcept;
  Segment& operator=(Segment&& other) noexcept;
  ~Segment();

  int fd() const { return fd_.get(); }
  size_t bytes() const { return bytes_; }
  uint32_t slot_count() const { return options_.slot_count; }
  uint32_t ring_records() const { return options_.ring_records; }
  bool host_clock() const { return options_.host_clock; }

  // Everything below is in the other side's hands too: copy, check, then use.
  shm::SegmentHeader& header() const;
  shm::SlotHeader& slot(uint32_t index) const;
  const std::byte* records(uint32_t slot_index) const;

 private:
  Segment() = default;

  SegmentOptions options_;
  base::UniqueFd fd_;
  std::byte* base_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace flopsprof::agent
