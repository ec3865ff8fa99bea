// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <absl/status/status.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "flopsprof/v1/profile.pb.h"
#include "proto/flopsprof/block_tables.h"

namespace flopsprof::store {

__extension__ using Wide = unsigned __int128;

// Of a Count that comes; a sum of a few fits.
inline constexpr Wide kLargestCount = (Wide{1} << 122) + UINT64_MAX;

// A vector whose resize leaves new elements as the memory was: they are written next.
template <typename T>
struct Unset : std::allocator<T> {
  template <typename U>
  struct rebind {
    using other = Unset<U>;
  };
  template <typename U>
  void construct(U*) {}
  template <typename U, typename... Args>
  void construct(U* at, Args&&... args) {
    ::new (static_cast<void*>(at)) U(std::forward<Args>(args)...);
  }
};
template <typename T>
using UnsetVector = std::vector<T, Unset<T>>;

// Rows, or numbers, that follow each other.
struct RowRun {
  uint32_t first = 0;
  uint32_t count = 0;
  size_t at = 0;  // of the first one's values
};

// What is added to the rows of one table. Memory is kept from one use to the next.
struct Increments {
  // Which rows the values are of. Those of no run are of none.
  std::vector<RowRun> runs;
  size_t count = 0;  // of values in a column
  // By the columns of the table; empty: all are 0.
  std::array<UnsetVector<uint64_t>, kMostBlockColumns> columns;
  UnsetVector<uint64_t> high;  // of the Count, as columns
  // By the columns: no row gets more.
  std::array<Wide, kMostBlockColumns> most = {};

  void Clear();
  // The next value is of this row.
  void AddRow(uint32_t row) { Extend(row, count++, &runs); }
  // Adds one to the last run, or begins another.
  static void Extend(uint32_t row, size_t at, std::vector<RowRun>* runs);
};

// Sets `increments` to those of the block, with the numbers of its rows in `runs`. InvalidArgument:
// it is no block of this table. Costs what its bytes do, whatever they say.
absl::Status ReadBlock(const BlockTable& table, const v1::RowBlock& block, Increments* increments);

// Rows of kBlockTables in the part, which CheckBlocks has found good: alone and in blocks.
uint64_t CountRows(const v1::ProcessProfile& part);

// What can be told without reading the values: whether all columns are as long as the rows are
// many, and fields and table are those that there are.
absl::Status CheckBlocks(const v1::ProcessProfile& part);

}  // namespace flopsprof::store
