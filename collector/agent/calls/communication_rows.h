// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "collector/agent/calls/call_rows.h"
#include "collector/agent/tables/interval_union.h"
#include "collector/agent/tables/row_set.h"
#include "collector/agent/tables/work.h"
#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::agent {

// How much of each communication ran beside other work of its device, of one process. Activity
// comes in any order: a kernel of communication is compared with the other work that came before
// it, and later work with the kernels that came before that. Exact while neither comes later than
// kMaxKept kernels or the gaps that IntervalUnion keeps; what comes later is counted or not
// compared. Communication beside other communication is not hidden by it. One thread.
class CommunicationRows {
 public:
  // For each activity with valid times, before it is added to `other`: all but communication that
  // the same device did.
  void Add(const JoinedActivity& activity, bool communication, const IntervalUnion& other) {
    if (communication || !devices_.empty()) AddToDevice(activity, communication, other);
  }

  // Appends at most `max` changed rows; returns how many. `calls`: that the activities name.
  size_t Emit(const CallRows& calls, size_t max, v1::ProcessProfile* profile);

  // Other work that came when communication beside it was no longer kept.
  uint64_t late_count() const { return late_count_; }
  uint64_t refused_count() const { return rows_.refused_count(); }

  static constexpr size_t kMaxKept = 1 << 14;

 private:
  static constexpr size_t kMaxRows = 1 << 18;

  struct Row {
    uint64_t compared_ns = 0;
    uint64_t hidden_ns = 0;
  };
  struct Key {
    uint32_t scope = 0;
    uint32_t call = kNoRow;  // of the call rows; kNoRow: of no call
    shm::Phase phase = shm::Phase::kOther;
    bool in_step = false;

    friend bool operator==(const Key&, const Key&) = default;
    template <typename Hash>
    friend Hash AbslHashValue(Hash hash, const Key& key) {
      return Hash::combine(std::move(hash), key.scope, key.call, key.phase, key.in_step);
    }
  };
  struct Kernel {
    uint64_t begin_ns = 0;
    uint64_t end_ns = 0;
    uint64_t last_end_ns = 0;  // of this one and all before it
    uint32_t row = kNoRow;
  };
  struct Device {
    std::vector<Kernel> kernels;  // by begin
    uint64_t forgotten_until_ns = 0;
  };

  void AddToDevice(const JoinedActivity& activity, bool communication, const IntervalUnion& other);
  void Compare(const JoinedActivity& activity, const IntervalUnion& other, Device* device);
  void Hide(uint64_t begin_ns, uint64_t end_ns, const IntervalUnion& other, Device* device);
  static void Keep(const Kernel& kernel, Device* device);

  absl::flat_hash_map<uint32_t, Device> devices_;
  RowSet<Key, Row> rows_{kMaxRows};
  uint64_t late_count_ = 0;
};

}  // namespace flopsprof::agent
