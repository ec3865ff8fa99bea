// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/live/live_table.h"

#include <algorithm>
#include <utility>

namespace flopsprof::store {
namespace {

// What SQLite's integers hold; a Count is stored as two of them, of 10^18 each (DecimalCount).
constexpr Wide kMostStored = INT64_MAX;
constexpr Wide kMostCount = Wide{INT64_MAX} * 1'000'000'000'000'000'000 + 999'999'999'999'999'999;

bool IsSum(Measure measure) { return measure == Measure::kSum || measure == Measure::kCountSum; }

Wide LimitOf(Measure measure) { return measure == Measure::kCountSum ? kMostCount : kMostStored; }

uint64_t Larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

// 0 is none.
uint64_t Least(uint64_t a, uint64_t b) {
  // 0 becomes the largest, and the other way round.
  return (a - 1 < b - 1 ? a - 1 : b - 1) + 1;
}

template <typename Op>
void MergeRuns(const std::vector<RowRun>& runs, const uint64_t* values, uint64_t* rows, Op op) {
  constexpr uint32_t kAtOnce = 8;  // as many as the compiler has vectors for
  for (const RowRun& run : runs) {
    const uint64_t* __restrict const from = values + run.at;
    uint64_t* __restrict const to = rows + run.first;
    uint32_t i = 0;
    for (; i + kAtOnce <= run.count; i += kAtOnce) {
      for (uint32_t k = 0; k < kAtOnce; ++k) to[i + k] = op(to[i + k], from[i + k]);
    }
    for (; i < run.count; ++i) to[i] = op(to[i], from[i]);
  }
}

}  // namespace

std::optional<uint32_t> LiveTable::Find(KeyId key) {
  looked_up_ = true;
  if (rows_.size() != keys_.size()) {
    rows_.clear();
    rows_.reserve(keys_.size());
    for (uint32_t row = 0; row < size(); ++row) rows_.emplace(keys_[row], row);
  }
  const auto found = rows_.find(key);
  if (found == rows_.end()) return std::nullopt;
  return found->second;
}

void LiveTable::Add(KeyId key) {
  if (rows_.size() == keys_.size()) rows_.emplace(key, size());
  keys_.push_back(key);
  for (std::vector<uint64_t>& column : columns_) {
    if (!column.empty()) column.push_back(0);
  }
  if (!high_.empty()) high_.push_back(0);
  changed_rows_.resize((keys_.size() + 63) / 64);
  changed_rows_[(size() - 1) / 64] |= uint64_t{1} << ((size() - 1) % 64);
  changed_ = true;
}

bool LiveTable::WouldOverflow(const Increments& more) {
  for (size_t i = 0; i < layout_->column_count(); ++i) {
    const Measure measure = layout_->columns[i].measure;
    if (!IsSum(measure)) continue;
    const Wide limit = LimitOf(measure);
    if (more.most[i] <= limit && bounds_[i] + more.most[i] <= limit) continue;
    bounds_[i] = 0;
    for (uint32_t row = 0; row < size(); ++row) bounds_[i] = std::max(bounds_[i], value(row, i));
    if (bounds_[i] + more.most[i] > limit && WouldOverflowExactly(more, i)) return true;
  }
  return false;
}

bool LiveTable::WouldOverflowExactly(const Increments& more, size_t column) const {
  absl::flat_hash_map<uint32_t, Wide> sums;  // a row may come twice
  const Wide limit = LimitOf(layout_->columns[column].measure);
  const bool is_count = layout_->columns[column].measure == Measure::kCountSum;
  for (const RowRun& run : more.runs) {
    for (uint32_t i = 0; i < run.count; ++i) {
      const uint32_t row = run.first + i;
      const size_t at = run.at + i;
      Wide added = more.columns[column].empty() ? 0 : more.columns[column][at];
      if (is_count && !more.high.empty()) added |= Wide{more.high[at]} << 64;
      Wide& sum = sums.try_emplace(row, row < size() ? value(row, column) : 0).first->second;
      sum += added;  // both are far below 2^127
      if (sum > limit) return true;
    }
  }
  return false;
}

void LiveTable::Merge(const Increments& more) {
  for (size_t i = 0; i < layout_->column_count(); ++i) {
    const Measure measure = layout_->columns[i].measure;
    if (measure == Measure::kCountSum) {
      MergeCounts(more, i);
    } else if (!more.columns[i].empty() || measure == Measure::kFirst) {
      MergeColumn(more, i);
    }
    // An upper bound that is too large costs WouldOverflow a look at the rows.
    bounds_[i] = std::min(bounds_[i] + more.most[i], LimitOf(measure));
  }
  MarkChanged(more.runs);
}

uint64_t* LiveTable::Column(size_t column) {
  if (columns_[column].empty()) columns_[column].resize(keys_.size());
  return columns_[column].data();
}

void LiveTable::MergeColumn(const Increments& more, size_t column) {
  const uint64_t* const added = more.columns[column].data();
  switch (layout_->columns[column].measure) {
    case Measure::kSum:
    case Measure::kCountSum:
      MergeRuns(more.runs, added, Column(column), [](uint64_t a, uint64_t b) { return a + b; });
      break;
    case Measure::kLeast:
      MergeRuns(more.runs, added, Column(column),
                [](uint64_t a, uint64_t b) { return Least(a, b); });
      break;
    case Measure::kGreatest:
      MergeRuns(more.runs, added, Column(column),
                [](uint64_t a, uint64_t b) { return Larger(a, b); });
      break;
    case Measure::kFirst:
      MergeFirst(more, column);
  }
}

void LiveTable::MergeFirst(const Increments& more, size_t column) {
  const UnsetVector<uint64_t>& added = more.columns[column];
  // The first measure has been merged: where it is what has just come, there was nothing.
  if (more.columns[0].empty()) return;
  if (added.empty() && columns_[column].empty()) return;
  uint64_t* const first = Column(column);
  for (const RowRun& run : more.runs) {
    const uint64_t* const counted = more.columns[0].data() + run.at;
    const uint64_t* const all = columns_[0].data() + run.first;
    for (uint32_t i = 0; i < run.count; ++i) {
      if (counted[i] == 0) continue;
      const uint64_t value = added.empty() ? 0 : added[run.at + i];
      uint64_t& stored = first[run.first + i];
      stored = all[i] == counted[i] ? value : std::min(stored, value);
    }
  }
}

void LiveTable::MergeCounts(const Increments& more, size_t column) {
  if (more.columns[column].empty()) return;
  uint64_t* const low = Column(column);
  if (!more.high.empty() && high_.empty()) high_.resize(keys_.size());
  for (const RowRun& run : more.runs) {
    const uint64_t* const added = more.columns[column].data() + run.at;
    for (uint32_t i = 0; i < run.count; ++i) {
      const bool carry = __builtin_add_overflow(low[run.first + i], added[i], &low[run.first + i]);
      if (!carry) continue;
      if (high_.empty()) high_.resize(keys_.size());
      ++high_[run.first + i];
    }
    if (more.high.empty()) continue;
    for (uint32_t i = 0; i < run.count; ++i) high_[run.first + i] += more.high[run.at + i];
  }
}

void LiveTable::MarkChanged(const std::vector<RowRun>& runs) {
  for (const RowRun& run : runs) {
    uint32_t row = run.first;
    for (const uint32_t end = run.first + run.count; row < end;) {
      const uint32_t in_word = std::min(64 - row % 64, end - row);
      changed_rows_[row / 64] |= ~uint64_t{0} >> (64 - in_word) << row % 64;
      row += in_word;
    }
  }
  changed_ = changed_ || !runs.empty();
}

Wide LiveTable::value(uint32_t row, size_t column) const {
  Wide value = columns_[column].empty() ? 0 : columns_[column][row];
  if (layout_->columns[column].measure == Measure::kCountSum && !high_.empty()) {
    value |= Wide{high_[row]} << 64;
  }
  return value;
}

void LiveTable::SetStored(uint32_t row, size_t column, Wide value) {
  if (value == 0) return;
  Column(column)[row] = static_cast<uint64_t>(value);
  const auto high = static_cast<uint64_t>(value >> 64);
  if (high != 0) {
    if (high_.empty()) high_.resize(keys_.size());
    high_[row] = high;
  }
  bounds_[column] = std::max(bounds_[column], value);
}

std::vector<uint32_t> LiveTable::Changed() const {
  std::vector<uint32_t> changed;
  for (size_t word = 0; word < changed_rows_.size(); ++word) {
    for (uint64_t bits = changed_rows_[word]; bits != 0; bits &= bits - 1) {
      changed.push_back(static_cast<uint32_t>(word * 64) +
                        static_cast<uint32_t>(__builtin_ctzll(bits)));
    }
  }
  return changed;
}

void LiveTable::SetStored(bool is_read) {
  if (changed_) std::fill(changed_rows_.begin(), changed_rows_.end(), 0);
  changed_ = false;
  // One that grows goes on to: what is cut to size would be copied at the next row.
  const bool has_grown = stored_size_ != size();
  stored_size_ = size();
  if (!std::exchange(looked_up_, false)) rows_ = {};
  if (has_grown || is_read) return;
  keys_.shrink_to_fit();
  for (std::vector<uint64_t>& column : columns_) column.shrink_to_fit();
  high_.shrink_to_fit();
}

size_t LiveTable::bytes() const {
  size_t bytes = sizeof(*this) + keys_.capacity() * sizeof(KeyId) + changed_rows_.capacity() * 8 +
                 high_.capacity() * 8 + rows_.capacity() * 9;
  for (const std::vector<uint64_t>& column : columns_) bytes += column.capacity() * 8;
  return bytes;
}

}  // namespace flopsprof::store
