// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "collector/agent/work.h"

namespace flopsprof::agent {

// Keyed rows that remember which of them have changed since they were last sent. One thread.
template <class Key, class Row>
class RowSet {
 public:
  explicit RowSet(size_t max_rows) : max_rows_(max_rows) {}

  // Index of the row, made when new, or kNoRow when there are max_rows of them (counted).
  uint32_t FindOrAdd(const Key& key) {
    const auto found = index_.find(key);
    if (found != index_.end()) return found->second;
    if (rows_.size() >= max_rows_) {
      refused_count_++;
      return kNoRow;
    }
    const auto index = static_cast<uint32_t>(rows_.size());
    rows_.push_back({key, Row(), false});
    index_.emplace(key, index);
    return index;
  }

  // Index of the row, or kNoRow.
  uint32_t Find(const Key& key) const {
    const auto found = index_.find(key);
    return found == index_.end() ? kNoRow : found->second;
  }

  // The row, for a change that need not be sent.
  Row& Hold(uint32_t index) { return rows_[index].row; }

  const Row& Held(uint32_t index) const { return rows_[index].row; }

  // The row, to be changed.
  Row& Change(uint32_t index) {
    Entry& entry = rows_[index];
    if (!entry.changed) {
      entry.changed = true;
      changed_.push_back(index);
    }
    return entry.row;
  }

  const Key& key(uint32_t index) const { return rows_[index].key; }

  // Calls emit(key, row) for changed rows until it has returned true `max` times; false = not
  // now, ask again. Returns how often it returned true.
  template <class Emit>
  size_t EmitChanged(size_t max, Emit&& emit) {
    std::vector<uint32_t> todo = std::move(changed_);
    changed_.clear();
    size_t emitted = 0;
    for (size_t i = 0; i < todo.size(); i++) {
      Entry& entry = rows_[todo[i]];
      if (emitted < max) {
        entry.changed = false;  // before emit, which may change rows of this set
        if (emit(entry.key, entry.row)) {
          emitted++;
          continue;
        }
        if (entry.changed) continue;
        entry.changed = true;
      }
      changed_.push_back(todo[i]);
    }
    return emitted;
  }

  size_t size() const { return rows_.size(); }
  uint64_t refused_count() const { return refused_count_; }

 private:
  struct Entry {
    Key key;
    Row row;
    bool changed;
  };
  const size_t max_rows_;
  absl::flat_hash_map<Key, uint32_t> index_;
  std::deque<Entry> rows_;
  std::vector<uint32_t> changed_;
  uint64_t refused_count_ = 0;
};

}  // namespace flopsprof::agent
