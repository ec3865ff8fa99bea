// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <string>

#include "flopsprof/v1/profile.pb.h"

namespace flopsprof::store {

__extension__ using Wide128 = unsigned __int128;

inline std::string Varints(std::initializer_list<Wide128> values) {
  std::string bytes;
  for (Wide128 value : values) {
    for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<char>(value | 0x80));
    bytes.push_back(static_cast<char>(value));
  }
  return bytes;
}

// Runs of numbers: how many lie between, how many there are.
inline std::string Runs(std::initializer_list<Wide128> pairs) { return Varints(pairs); }

// Values of `width` bytes each.
inline std::string Values(size_t width, std::initializer_list<Wide128> values) {
  std::string bytes;
  for (Wide128 value : values) {
    for (size_t i = 0; i < width; ++i, value >>= 8) bytes.push_back(static_cast<char>(value));
  }
  return bytes;
}

// Values of `width` bytes; 0: of as many as the largest needs.
inline v1::MeasureColumn* AddColumn(uint32_t field, std::initializer_list<Wide128> values,
                                    v1::RowBlock* block, size_t width = 0) {
  size_t needed = 1;
  for (Wide128 value : values) {
    while (needed < 16 && value >> (8 * needed) != 0) ++needed;
  }
  v1::MeasureColumn* column = block->add_columns();
  column->set_field(field);
  column->set_values(Values(width == 0 ? needed : width, values));
  return column;
}

constexpr uint32_t kTimes = v1::ProcessProfile::kTimesFieldNumber;
constexpr uint32_t kCalls = v1::ProcessProfile::kCallsFieldNumber;
constexpr uint32_t kActivities = v1::TimeRow::kActivitiesFieldNumber;
constexpr uint32_t kTimeNs = v1::TimeRow::kGpuTimeNsFieldNumber;

// A part that defines times of `count` scopes, from scope 1 on, with numbers from `first` on, and
// adds nothing.
inline v1::ProcessProfile DefineTimes(uint32_t first, uint32_t count) {
  v1::ProcessProfile part;
  part.set_numbering(1);
  for (uint32_t i = 0; i < count; ++i) {
    part.mutable_defined()->add_times()->set_scope(first + i + 1);
  }
  v1::RowBlock& block = *part.add_blocks();
  block.set_table(kTimes);
  block.set_first_defined(first);
  return part;
}

}  // namespace flopsprof::store
