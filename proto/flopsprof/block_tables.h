// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace flopsprof {

// The tables whose rows come in blocks (RowBlock in v1/profile.proto), and what becomes of a
// measure of a row when more of it comes. The other fields of a row are its key.

enum class Measure : uint8_t {
  kSum,       // added up
  kCountSum,  // the same of a Count
  kLeast,     // the smaller one, 0 = none
  kGreatest,  // the larger one
  kFirst,     // the smaller one of those whose first measure is not 0
};

// No machine counts further. So a sum of two stays below 2^64.
inline constexpr uint64_t kLargestMeasure = uint64_t{1} << 62;
inline constexpr uint64_t kLargestStep = 0xffffffff;
// Bytes of a value in a column (MeasureColumn), of a Count.
inline constexpr size_t kMostValueBytes = 8;
inline constexpr size_t kMostCountBytes = 16;

struct BlockColumn {
  uint32_t field = 0;  // of the row's message; 0: there is no such column
  Measure measure = Measure::kSum;
  uint64_t largest = kLargestMeasure;
};

inline constexpr size_t kMostBlockColumns = 7;

struct BlockTable {
  uint32_t rows = 0;  // field of ProcessProfile
  std::array<BlockColumn, kMostBlockColumns> columns;
  uint32_t within_agent = 0;  // a field that is never sent; 0: none is
  constexpr size_t column_count() const {
    size_t count = 0;
    while (count < columns.size() && columns[count].field != 0) ++count;
    return count;
  }
};

inline constexpr std::array<BlockTable, 9> kBlockTables = {{
    // calls: calls, flops, bytes, kernels, gpu_time_ns, min_gpu_time_ns, max_gpu_time_ns
    {7,
     {{{16},
       {17, Measure::kCountSum},
       {19},
       {20},
       {21},
       {22, Measure::kLeast},
       {23, Measure::kGreatest}}},
     25},
    // times: activities, gpu_time_ns
    {8, {{{5}, {6}}}, 7},
    // kernels: count, gpu_time_ns, min_ns, max_ns
    {9, {{{4}, {5}, {6, Measure::kLeast}, {7, Measure::kGreatest}}}},
    // scope_calls: calls
    {10, {{{3}}}},
    // stack_rows: samples, launches, gpu_time_ns
    {17, {{{7}, {8}, {9}}}},
    // collectives: calls, matched_calls, matched_time_ns, wait_ns
    {18, {{{16}, {17}, {18}, {19}}}},
    // kernel_owners: in_call
    {20, {{{4}}}},
    // communications: compared_ns, hidden_ns
    {22, {{{16}, {17}}}},
    // scope_kernels: count, gpu_time_ns, first_step, last_step
    {27,
     {{{16}, {17}, {18, Measure::kFirst, kLargestStep}, {19, Measure::kGreatest, kLargestStep}}}},
}};

// Its place in kBlockTables; their number: rows of this field come as rows alone.
constexpr size_t FindBlockTable(uint32_t rows) {
  size_t at = 0;
  while (at < kBlockTables.size() && kBlockTables[at].rows != rows) ++at;
  return at;
}

}  // namespace flopsprof
