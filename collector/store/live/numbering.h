// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace flopsprof::store {

inline constexpr uint32_t kNoRow = UINT32_MAX;

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
  // Puts a row in place of each number; kNoRow where there is none. Returns how many those are.
  // The numbers ascend. `more`: as if these were defined, which they can be.
  template <typename Vector>
  uint32_t Resolve(Vector* numbers, const Definition& more = {}) const {
    return Resolve(numbers->data(), numbers->size(), more);
  }
  bool empty() const { return spans_.empty(); }
  size_t bytes() const {
    // Of sizes, not of capacities: it is the same after it was stored and read.
    return sizeof(*this) + spans_.size() * sizeof(Definition) + row_bytes_ +
           numbered_.size() * sizeof(uint64_t);
  }

  // All of it: mostly the rows of a span follow each other, as their numbers do.
  std::string Encode() const;
  // False: these are no such bytes, or mean rows from `row_count` on.
  bool Decode(std::string_view bytes, uint32_t row_count);

 private:
  uint32_t Resolve(uint32_t* numbers, size_t count, const Definition& more) const;
  // That ends behind the number; nullptr: none does.
  const Definition* FindSpan(uint32_t number) const;
  bool HasNumber(uint32_t row) const {
    return row / 64 < numbered_.size() && (numbered_[row / 64] >> row % 64 & 1) != 0;
  }

  std::vector<Definition> spans_;   // in order, none touches the next
  size_t row_bytes_ = 0;            // of their rows
  std::vector<uint64_t> numbered_;  // bits by row
};

}  // namespace flopsprof::store
