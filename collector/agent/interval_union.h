// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace flopsprof::agent {

// Length of the union of time intervals that come roughly, not strictly, in order. Exact as
// long as no interval comes more than kMaxIntervals gaps late; such a one is counted, not added.
class IntervalUnion {
 public:
  // Needs begin <= end. Intervals that only touch are joined.
  void Add(uint64_t begin_ns, uint64_t end_ns);

  // How much of it lies in [begin_ns, end_ns). What is before frontier_ns() is not known.
  uint64_t CoveredNs(uint64_t begin_ns, uint64_t end_ns) const;
  uint64_t frontier_ns() const { return frontier_ns_; }

  uint64_t total_ns() const { return total_ns_; }
  uint64_t late_count() const { return late_count_; }

  // Adds all of it to another one, which must have begun before.
  void AddTo(IntervalUnion* other) const {
    for (const Interval& interval : intervals_) other->Add(interval.begin_ns, interval.end_ns);
  }

  // Keeps the total and frees the intervals: whatever comes now before the last end is late.
  void Fold();

 private:
  struct Interval {
    uint64_t begin_ns;
    uint64_t end_ns;
  };
  static constexpr size_t kMaxIntervals = 1 << 16;

  void InsertBeforeLast(uint64_t begin_ns, uint64_t end_ns);
  void FoldOldest(size_t count);

  std::vector<Interval> intervals_;  // disjoint, in order
  uint64_t total_ns_ = 0;
  uint64_t frontier_ns_ = 0;  // everything before is folded into the total
  uint64_t late_count_ = 0;
};

}  // namespace flopsprof::agent
