// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "collector/store/live/block_reader.h"
#include "collector/store/live/key_table.h"

namespace flopsprof::store {

// The rows of one table of one process: a column for each measure, and which rows are not stored as
// they are. A row keeps its place. One thread.
class LiveTable {
 public:
  explicit LiveTable(const BlockTable& layout) : layout_(&layout) {}

  uint32_t size() const { return static_cast<uint32_t>(keys_.size()); }
  std::optional<uint32_t> Find(KeyId key);
  // A new row; the key has none.
  void Add(KeyId key);
  KeyId key(uint32_t row) const { return keys_[row]; }

  // Some sum would not fit into what is stored. Rows from size() on are new.
  bool WouldOverflow(const Increments& more);
  // Its rows are there, and nothing overflows.
  void Merge(const Increments& more);

  Wide value(uint32_t row, size_t column) const;
  // Of a row as it is stored.
  void SetStored(uint32_t row, size_t column, Wide value);

  // Rows below it are stored, all others are not.
  uint32_t stored_size() const { return stored_size_; }
  // Those that are not stored as they are, in order.
  std::vector<uint32_t> Changed() const;
  bool is_changed() const { return changed_; }
  // All are stored as they are.
  // `is_read`: another thread reads keys and values, which stay where they are.
  void SetStored(bool is_read = false);

  size_t bytes() const;

 private:
  void MergeColumn(const Increments& more, size_t column);
  void MergeCounts(const Increments& more, size_t column);
  void MergeFirst(const Increments& more, size_t column);
  uint64_t* Column(size_t column);
  void MarkChanged(const std::vector<RowRun>& runs);
  bool WouldOverflowExactly(const Increments& more, size_t column) const;

  const BlockTable* layout_;
  std::vector<KeyId> keys_;
  // A value for each row; empty: all are 0.
  std::array<std::vector<uint64_t>, kMostBlockColumns> columns_;
  std::vector<uint64_t> high_;  // of the Count
  // No row has more.
  std::array<Wide, kMostBlockColumns> bounds_ = {};
  std::vector<uint64_t> changed_rows_;  // bits
  bool changed_ = false;
  uint32_t stored_size_ = 0;
  // Only while rows are looked up by their keys: made at the first, kept until none was between two
  // SetStored.
  absl::flat_hash_map<KeyId, uint32_t> rows_;
  bool looked_up_ = false;
};

}  // namespace flopsprof::store
