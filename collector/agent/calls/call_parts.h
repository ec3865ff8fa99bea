// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "collector/agent/rings/ring_reader.h"
#include "proto/shm/records.h"

namespace flopsprof::agent {

// A record of type kGemmCall or kLibraryCall.
using CallPart = std::array<char, shm::kRecordBytes>;

template <class Record>
Record PartAs(const CallPart& part) {
  static_assert(sizeof(Record) == sizeof(CallPart));
  Record record;
  std::memcpy(&record, part.data(), sizeof record);
  return record;
}

// A call that was written in several records.
struct PartedCall {
  uint32_t call = shm::kNoCall;
  std::vector<CallPart> parts;  // at least one
  bool complete = false;        // false: a part is missing, the work is not known
};

// Gathers the parts of calls (kFlagMore), ring by ring. Bounded: a ring holds one open call, of
// at most kMaxParts parts. One thread.
class CallParts {
 public:
  static constexpr size_t kMaxParts = 1 << 16;

  // Whether the record belongs to a call of several parts: then it goes to Add, else straight on.
  bool IsPart(RingId ring, const shm::RecordHeader& header) const {
    return (header.flags & shm::kFlagMore) != 0 || (!open_.empty() && open_.contains(Key(ring)));
  }

  // False: IsPart is.
  bool MayBePart(const shm::RecordHeader& header) const {
    return (header.flags & shm::kFlagMore) != 0 || !open_.empty();
  }

  // What a record of this call number interrupts: an open call of another number, or any open
  // call when the record is no part. Ask before Add, and at each other record that ends a call.
  std::optional<PartedCall> TakeInterrupted(RingId ring, uint32_t call, bool part);

  // The whole call when this was its last part.
  template <class Record>
  std::optional<PartedCall> Add(RingId ring, const Record& record) {
    CallPart part;
    static_assert(sizeof record == sizeof part);
    std::memcpy(part.data(), &record, sizeof part);
    return AddPart(ring, record.call, (record.header.flags & shm::kFlagMore) != 0, part);
  }

  // Calls that are still open, at the end.
  std::vector<std::pair<RingId, PartedCall>> TakeAll();

 private:
  static uint64_t Key(RingId ring) { return uint64_t{ring.generation} << 32 | ring.slot; }
  std::optional<PartedCall> AddPart(RingId ring, uint32_t call, bool more, const CallPart& part);

  absl::flat_hash_map<uint64_t, PartedCall> open_;
};

}  // namespace flopsprof::agent
