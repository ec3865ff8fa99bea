// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/rings/segment.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <new>
#include <utility>

#include "collector/base/status.h"

namespace flopsprof::agent {

absl::StatusOr<Segment> Segment::Create(const SegmentOptions& options) {
  constexpr uint32_t kMaxSlots = 4096;
  constexpr uint32_t kMaxRingRecords = 1u << 22;
  if (options.slot_count == 0 || options.slot_count > kMaxSlots ||
      !std::has_single_bit(options.ring_records) || options.ring_records > kMaxRingRecords) {
    return absl::InvalidArgumentError("ring sizes: 1 to 4096 slots of 2^n records, n <= 22");
  }
  Segment segment;
  segment.options_ = options;
  segment.bytes_ = shm::SegmentBytes(options.slot_count, options.ring_records);
  segment.fd_.Reset(::memfd_create("flopsprof", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!segment.fd_.valid()) return base::ErrnoStatus("memfd_create");
  if (::ftruncate(segment.fd(), static_cast<off_t>(segment.bytes_)) != 0) {
    return base::ErrnoStatus("ftruncate of the shared memory");
  }
  if (::fcntl(segment.fd(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    return base::ErrnoStatus("sealing of the shared memory");
  }
  void* base = ::mmap(nullptr, segment.bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, segment.fd(), 0);
  if (base == MAP_FAILED) return base::ErrnoStatus("mmap of the shared memory");
  segment.base_ = static_cast<std::byte*>(base);

  auto* header = new (segment.base_) shm::SegmentHeader{};
  header->magic = shm::kSegmentMagic;
  header->version = shm::kSegmentVersion;
  header->record_bytes = shm::kRecordBytes;
  header->slot_count = options.slot_count;
  header->ring_records = options.ring_records;
  header->slot_stride = shm::SlotStride(options.ring_records);
  header->first_slot = shm::kSegmentHeaderBytes;
  header->host_clock = options.host_clock ? 1 : 0;
  header->recording.store(static_cast<uint32_t>(shm::RecordingOfWork(*header)),
                          std::memory_order_relaxed);
  // Slots are all zero: free, generation 0. Fresh memfd pages are zero, and not touching them
  // keeps a slot that no thread claims free of physical memory.
  return segment;
}

Segment::Segment(Segment&& other) noexcept
    : options_(other.options_),
      fd_(std::move(other.fd_)),
      base_(std::exchange(other.base_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)) {}

Segment& Segment::operator=(Segment&& other) noexcept {
  if (this == &other) return *this;
  if (base_ != nullptr) ::munmap(base_, bytes_);
  options_ = other.options_;
  fd_ = std::move(other.fd_);
  base_ = std::exchange(other.base_, nullptr);
  bytes_ = std::exchange(other.bytes_, 0);
  return *this;
}

Segment::~Segment() {
  if (base_ != nullptr) ::munmap(base_, bytes_);
}

shm::SegmentHeader& Segment::header() const {
  return *std::launder(reinterpret_cast<shm::SegmentHeader*>(base_));
}

shm::SlotHeader& Segment::slot(uint32_t index) const {
  std::byte* at = base_ + shm::kSegmentHeaderBytes + index * shm::SlotStride(ring_records());
  return *std::launder(reinterpret_cast<shm::SlotHeader*>(at));
}

const std::byte* Segment::records(uint32_t slot_index) const {
  return base_ + shm::kSegmentHeaderBytes + slot_index * shm::SlotStride(ring_records()) +
         shm::kSlotHeaderBytes;
}

}  // namespace flopsprof::agent
