// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/agent/tables/interval_union.h"

#include <algorithm>

namespace flopsprof::agent {

void IntervalUnion::AddSlowly(uint64_t begin_ns, uint64_t end_ns) {
  if (begin_ns < frontier_ns_) {
    late_count_++;
    return;
  }
  if (intervals_.empty() || begin_ns > intervals_.back().end_ns) {
    if (intervals_.capacity() == 0) intervals_.reserve(kFirstRoom);
    intervals_.push_back({begin_ns, end_ns});
    total_ns_ += end_ns - begin_ns;
    if (intervals_.size() > room_) Settle();
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
  disordered_.push_back({begin_ns, end_ns});
  if (disordered_.size() >= kMaxDisordered) Settle();
}

void IntervalUnion::Settle() {
  Merge();
  if (intervals_.size() <= room_) return;
  const size_t kept = std::clamp(RecentCount(), kLeastKept, kMostKept / 2);
  if (kept < intervals_.size()) FoldOldest(intervals_.size() - kept);
  room_ = 2 * kept;
}

size_t IntervalUnion::RecentCount() const {
  const uint64_t newest_ns = intervals_.back().end_ns;
  const auto first = std::lower_bound(intervals_.begin(), intervals_.end(), newest_ns,
                                      [](const Interval& interval, uint64_t newest_end_ns) {
                                        return interval.end_ns + kKeptNs < newest_end_ns;
                                      });
  return static_cast<size_t>(intervals_.end() - first);
}

void IntervalUnion::Merge() const {
  if (disordered_.empty()) return;
  const auto begins_before = [](const Interval& a, const Interval& b) {
    return a.begin_ns < b.begin_ns;
  };
  if (!std::is_sorted(disordered_.begin(), disordered_.end(), begins_before)) {
    std::sort(disordered_.begin(), disordered_.end(), begins_before);
  }
  // What ends before the first of them stays as it is.
  const auto first = std::lower_bound(
      intervals_.begin(), intervals_.end(), disordered_.front().begin_ns,
      [](const Interval& interval, uint64_t begin) { return interval.end_ns < begin; });
  const std::vector<Interval> tail(first, intervals_.end());
  intervals_.erase(first, intervals_.end());
  for (const Interval& interval : tail) total_ns_ -= interval.end_ns - interval.begin_ns;
  const auto append = [this](const Interval& interval) {
    if (intervals_.empty() || interval.begin_ns > intervals_.back().end_ns) {
      intervals_.push_back(interval);
      total_ns_ += interval.end_ns - interval.begin_ns;
    } else if (interval.end_ns > intervals_.back().end_ns) {
      total_ns_ += interval.end_ns - intervals_.back().end_ns;
      intervals_.back().end_ns = interval.end_ns;
    }
  };
  auto next = disordered_.begin();
  for (const Interval& interval : tail) {
    while (next != disordered_.end() && next->begin_ns < interval.begin_ns) append(*next++);
    append(interval);
  }
  std::for_each(next, disordered_.end(), append);
  disordered_.clear();
}

uint64_t IntervalUnion::CoveredNs(uint64_t begin_ns, uint64_t end_ns) const {
  Merge();
  auto interval =
      std::lower_bound(intervals_.begin(), intervals_.end(), begin_ns,
                       [](const Interval& known, uint64_t begin) { return known.end_ns <= begin; });
  uint64_t covered_ns = 0;
  for (; interval != intervals_.end() && interval->begin_ns < end_ns; ++interval) {
    covered_ns += std::min(end_ns, interval->end_ns) - std::max(begin_ns, interval->begin_ns);
  }
  return covered_ns;
}

void IntervalUnion::AddTo(IntervalUnion* other) const {
  Merge();
  for (const Interval& interval : intervals_) other->Add(interval.begin_ns, interval.end_ns);
}

void IntervalUnion::FoldOldest(size_t count) {
  frontier_ns_ = intervals_[count - 1].end_ns;
  intervals_.erase(intervals_.begin(), intervals_.begin() + static_cast<ptrdiff_t>(count));
}

void IntervalUnion::Fold() {
  Merge();
  if (intervals_.empty()) return;
  frontier_ns_ = intervals_.back().end_ns;
  std::vector<Interval>().swap(intervals_);
  std::vector<Interval>().swap(disordered_);
}

}  // namespace flopsprof::agent
