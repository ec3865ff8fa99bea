// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace flopsprof::agent {

// Length of the union of time intervals that come roughly, not strictly, in order. Exact as long as
// no interval comes both kLeastKept gaps and kKeptNs late, or kMostKept gaps; such a one is
// counted, not added. CUPTI delivers the kernels of one thread after those of another: what begins
// before the newest interval is gathered and merged in one pass, where each alone would move all
// behind it. One thread at a time, for reading too.
class IntervalUnion {
 public:
  // Needs begin <= end. Intervals that only touch are joined.
  void Add(uint64_t begin_ns, uint64_t end_ns) {
    if (!AddBehind(begin_ns, end_ns)) AddSlowly(begin_ns, end_ns);
  }
  // The same of an interval that is behind all that are kept, where nothing has to be made for it.
  // False: it is another, and was not added.
  bool AddBehind(uint64_t begin_ns, uint64_t end_ns) {
    if (intervals_.size() == intervals_.capacity() || intervals_.size() >= room_) return false;
    // What is folded lies before what is kept.
    if (intervals_.empty() || begin_ns <= intervals_.back().end_ns) return false;
    intervals_.push_back({begin_ns, end_ns});
    total_ns_ += end_ns - begin_ns;
    return true;
  }

  // How much of it lies in [begin_ns, end_ns). What is before frontier_ns() is not known.
  uint64_t CoveredNs(uint64_t begin_ns, uint64_t end_ns) const;
  uint64_t frontier_ns() const { return frontier_ns_; }

  uint64_t total_ns() const {
    Merge();
    return total_ns_;
  }
  uint64_t late_count() const { return late_count_; }

  // Adds all of it to another one, which must have begun before.
  void AddTo(IntervalUnion* other) const;

  // Keeps the total and frees the intervals: whatever comes now before the last end is late.
  void Fold();

 private:
  struct Interval {
    uint64_t begin_ns;
    uint64_t end_ns;
  };
  static constexpr size_t kLeastKept = 1 << 15;
  static constexpr size_t kMostKept = 1 << 19;
  static constexpr uint64_t kKeptNs = 4'000'000'000;
  static constexpr size_t kFirstRoom = 16;

  static constexpr size_t kMaxDisordered = 1024;

  void AddSlowly(uint64_t begin_ns, uint64_t end_ns);
  void Merge() const;  // all that is disordered
  void Settle();       // and bounds what is kept
  size_t RecentCount() const;
  void FoldOldest(size_t count);

  mutable std::vector<Interval> intervals_;   // disjoint, in order
  mutable std::vector<Interval> disordered_;  // begin before the last of intervals_
  mutable uint64_t total_ns_ = 0;
  uint64_t frontier_ns_ = 0;  // everything before is folded into the total
  uint64_t late_count_ = 0;
  size_t room_ = 2 * kLeastKept;  // intervals, before the oldest are folded
};

}  // namespace flopsprof::agent
