// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/interval_union.h"

#include <algorithm>

namespace flopsprof::agent {

void IntervalUnion::Add(uint64_t begin_ns, uint64_t end_ns) {
  if (begin_ns < frontier_ns_) {
    late_count_++;
    return;
  }
  if (intervals_.empty() || begin_ns > intervals_.back().end_ns) {  // the common case
    intervals_.push_back({begin_ns, end_ns});
    total_ns_ += end_ns - begin_ns;
    if (intervals_.size() > kMaxIntervals) FoldOldest(kMaxIntervals / 2);
    return;
  }
  Interval& last = intervals_.back();
  if (begin_ns >= last.begin_ns) {
    if (end_ns > last.end_ns) {
      total_ns_ += end_ns - last.end_ns;
      last.end_ns = end_ns;
    }
    return;
  }
  InsertBeforeLast(begin_ns, end_ns);
}

void IntervalUnion::InsertBeforeLast(uint64_t begin_ns, uint64_t end_ns) {
  // [first, last): the intervals that touch the new one.
  const auto first = std::lower_bound(
      intervals_.begin(), intervals_.end(), begin_ns,
      [](const Interval& interval, uint64_t begin) { return interval.end_ns < begin; });
  auto last = first;
  Interval merged = {begin_ns, end_ns};
  while (last != intervals_.end() && last->begin_ns <= end_ns) {
    merged.begin_ns = std::min(merged.begin_ns, last->begin_ns);
    merged.end_ns = std::max(merged.end_ns, last->end_ns);
    total_ns_ -= last->end_ns - last->begin_ns;
    ++last;
  }
  total_ns_ += merged.end_ns - merged.begin_ns;
  if (first == last) {
    intervals_.insert(first, merged);
    if (intervals_.size() > kMaxIntervals) FoldOldest(kMaxIntervals / 2);
  } else {
    *first = merged;
    intervals_.erase(first + 1, last);
  }
}

uint64_t IntervalUnion::CoveredNs(uint64_t begin_ns, uint64_t end_ns) const {
  auto interval =
      std::lower_bound(intervals_.begin(), intervals_.end(), begin_ns,
                       [](const Interval& known, uint64_t begin) { return known.end_ns <= begin; });
  uint64_t covered_ns = 0;
  for (; interval != intervals_.end() && interval->begin_ns < end_ns; ++interval) {
    covered_ns += std::min(end_ns, interval->end_ns) - std::max(begin_ns, interval->begin_ns);
  }
  return covered_ns;
}

void IntervalUnion::FoldOldest(size_t count) {
  frontier_ns_ = intervals_[count - 1].end_ns;
  intervals_.erase(intervals_.begin(), intervals_.begin() + static_cast<ptrdiff_t>(count));
}

void IntervalUnion::Fold() {
  if (intervals_.empty()) return;
  frontier_ns_ = intervals_.back().end_ns;
  std::vector<Interval>().swap(intervals_);
}

}  // namespace flopsprof::agent
