// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "collector/store/live/block_reader.h"

namespace flopsprof::store {

// Which rows the numbers of one table mean. Numbers that were never defined lie between spans. One
// thread.
class Numbering {
 public:
  // Numbers from `first` on and what they mean. Costs what `rows` are, whatever is defined.
  struct Definition {
    uint32_t first = 0;
    std::vector<uint32_t> rows;
    uint64_t end() const { return uint64_t{first} + rows.size(); }
  };
  // Upwards, and no row twice: false where one of the numbers, or one behind them, is defined, or
  // one of the rows has a number.
  bool CanDefine(const Definition& more) const;
  // False, and nothing is changed, where it cannot.
  bool Define(const Definition& more);
  // Adds the rows of these numbers, which ascend, to `rows`. Returns how many numbers have none:
  // their values are of no run there. `more`: as if these were defined, which they can be.
  uint64_t Resolve(const std::vector<RowRun>& numbers, const Definition& more,
                   std::vector<RowRun>* rows) const;
  bool empty() const { return spans_.empty(); }
  size_t bytes() const {
    // Of sizes, not of capacities: it is the same after it was stored and read.
    return sizeof(*this) + spans_.size() * sizeof(Span) + numbered_.size() * sizeof(uint64_t);
  }

  // All of it.
  std::string Encode() const;
  // False: these are no such bytes, or mean rows from `row_count` on.
  bool Decode(std::string_view bytes, uint32_t row_count);

 private:
  // Numbers that follow each other, as their rows do: nearly all of a numbering's.
  struct Span {
    uint32_t first = 0;
    uint32_t count = 0;
    uint32_t row = 0;
    uint64_t end() const { return uint64_t{first} + count; }
  };
  void Append(uint32_t number, uint32_t row);
  bool HasNumber(uint32_t row) const {
    return row / 64 < numbered_.size() && (numbered_[row / 64] >> row % 64 & 1) != 0;
  }

  std::vector<Span> spans_;         // in order
  std::vector<uint64_t> numbered_;  // bits by row
};

}  // namespace flopsprof::store
