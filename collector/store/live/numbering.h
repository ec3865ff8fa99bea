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
  // Upwards: false where one of the numbers, or one behind them, is defined; nothing is changed.
  bool Define(uint32_t first, const std::vector<uint32_t>& rows);
  // Puts a row in place of each number; kNoRow where there is none. Returns how many those are.
  // The numbers ascend.
  template <typename Vector>
  uint32_t Resolve(Vector* numbers) const {
    return Resolve(numbers->data(), numbers->size());
  }
  bool empty() const { return spans_.empty(); }
  // Two numbers mean one row.
  bool HasARowTwice() const;
  size_t bytes() const;

  // All of it: mostly the rows of a span follow each other, as their numbers do.
  std::string Encode() const;
  // False: these are no such bytes, or mean rows from `row_count` on.
  bool Decode(std::string_view bytes, uint32_t row_count);

 private:
  uint32_t Resolve(uint32_t* numbers, size_t count) const;

  struct Span {
    uint32_t first;
    std::vector<uint32_t> rows;
    uint32_t end() const { return first + static_cast<uint32_t>(rows.size()); }
  };
  std::vector<Span> spans_;  // in order, none touches the next
};

}  // namespace flopsprof::store
