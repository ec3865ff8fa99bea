// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/live/block_reader.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstring>

namespace flopsprof::store {
namespace {

absl::Status Bad(const BlockTable& table, std::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat("RowBlock of table ", table.rows, " ", std::string(why)));
}

// Takes a varint of at most 32 bits off the bytes. False: there is none.
bool TakeShortVarint(std::string_view* bytes, uint64_t* value) {
  *value = 0;
  for (unsigned shift = 0; shift < 35 && !bytes->empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(bytes->front());
    bytes->remove_prefix(1);
    *value |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return *value <= UINT32_MAX;
  }
  return false;
}

// Calls take(first, count) for each run of numbers. False: these are none.
template <typename Take>
bool ForEachRun(std::string_view bytes, Take take) {
  uint64_t next = 0;
  while (!bytes.empty()) {
    uint64_t between = 0, count = 0;
    if (!TakeShortVarint(&bytes, &between) || !TakeShortVarint(&bytes, &count)) return false;
    // No number is above 2^32 - 1.
    if (count == 0 || next + between + count > uint64_t{1} << 32) return false;
    take(static_cast<uint32_t>(next + between), static_cast<uint32_t>(count));
    next += between + count;
  }
  return true;
}

// How many rows these are, each once, so that there is no overflow. False: these are no runs.
bool CountNumbers(std::string_view runs, size_t* count) {
  *count = 0;
  return ForEachRun(runs, [&](uint32_t, uint32_t more) { *count += more; });
}

// Values of kWidth bytes; returns their bits, all in one. The machine is little-endian.
template <size_t kWidth>
uint64_t Unpack(const char* from, size_t count, uint64_t* __restrict to) {
  constexpr size_t kAtOnce = 8;  // as many as the compiler has vectors for
  uint64_t bits = 0;
  size_t i = 0;
  // Each is read as eight bytes, of which those of the next are cut off: not behind the end.
  constexpr size_t kBeyond = 7 / kWidth;
  for (; i + kAtOnce + kBeyond <= count; i += kAtOnce) {
    for (size_t k = 0; k < kAtOnce; ++k) {
      uint64_t value = 0;
      if constexpr (kWidth == 1 || kWidth == 2 || kWidth == 4) {
        std::memcpy(&value, from + (i + k) * kWidth, kWidth);
      } else {
        std::memcpy(&value, from + (i + k) * kWidth, sizeof value);
        value &= ~uint64_t{0} >> (64 - 8 * kWidth);
      }
      to[i + k] = value;
      bits |= value;
    }
  }
  for (; i < count; ++i) {
    uint64_t value = 0;
    std::memcpy(&value, from + i * kWidth, kWidth);
    to[i] = value;
    bits |= value;
  }
  return bits;
}

uint64_t UnpackAny(size_t width, const char* from, size_t count, uint64_t* to) {
  switch (width) {
    case 1:
      return Unpack<1>(from, count, to);
    case 2:
      return Unpack<2>(from, count, to);
    case 3:
      return Unpack<3>(from, count, to);
    case 4:
      return Unpack<4>(from, count, to);
    case 5:
      return Unpack<5>(from, count, to);
    case 6:
      return Unpack<6>(from, count, to);
    case 7:
      return Unpack<7>(from, count, to);
    default:
      return Unpack<8>(from, count, to);
  }
}

// False: one is larger than it may be.
bool ReadValues(std::string_view bytes, size_t width, uint64_t largest, Wide* most,
                UnsetVector<uint64_t>* values) {
  const uint64_t bits = UnpackAny(width, bytes.data(), values->size(), values->data());
  *most = bits;
  // All their bits together may be more than any of them.
  return bits <= largest || *std::max_element(values->begin(), values->end()) <= largest;
}

// Beyond 64 bits.
bool ReadWideCounts(std::string_view bytes, size_t width, size_t column, Increments* increments) {
  Wide seen = 0;
  increments->high.resize(increments->count);
  for (size_t i = 0; i < increments->count; ++i) {
    Wide value = 0;
    std::memcpy(&value, bytes.data() + i * width, width);
    increments->columns[column][i] = static_cast<uint64_t>(value);
    increments->high[i] = static_cast<uint64_t>(value >> 64);
    seen = std::max(seen, value);
  }
  increments->most[column] = seen;
  return seen <= kLargestCount;
}

size_t FindColumn(const BlockTable& table, uint32_t field) {
  size_t at = 0;
  while (at < table.columns.size() && table.columns[at].field != field) ++at;
  return field == 0 ? table.columns.size() : at;
}

// `count`: of its rows.
absl::Status CheckBlock(const BlockTable& table, const v1::RowBlock& block, size_t* count) {
  if (!CountNumbers(block.runs(), count)) return Bad(table, "has a bad number");
  // So no few bytes are many rows.
  if (*count > 0 && block.columns_size() == 0) return Bad(table, "has rows without a column");
  uint32_t seen = 0;
  for (const v1::MeasureColumn& column : block.columns()) {
    const size_t at = FindColumn(table, column.field());
    if (at == table.columns.size()) return Bad(table, "has a column that it has not");
    if ((seen >> at & 1) != 0) return Bad(table, "has a column twice");
    seen |= 1u << at;
    const bool is_count = table.columns[at].measure == Measure::kCountSum;
    const size_t most = is_count ? kMostCountBytes : kMostValueBytes;
    const size_t size = column.values().size();
    if (*count == 0 ? size > 0 : size % *count != 0 || size == 0) {
      return Bad(table, "has columns of unequal lengths");
    }
    if (*count > 0 && size / *count > most) return Bad(table, "has a value that is too large");
  }
  return absl::OkStatus();
}

}  // namespace

void Increments::Clear() {
  runs.clear();
  count = 0;
  for (UnsetVector<uint64_t>& column : columns) column.clear();
  high.clear();
  most = {};
}

void Increments::Extend(uint32_t row, size_t at, std::vector<RowRun>* runs) {
  if (!runs->empty()) {
    RowRun& last = runs->back();
    if (uint64_t{last.first} + last.count == row && last.at + last.count == at) {
      ++last.count;
      return;
    }
  }
  runs->push_back({row, 1, at});
}

absl::Status ReadBlock(const BlockTable& table, const v1::RowBlock& block, Increments* increments) {
  increments->Clear();
  size_t count = 0;
  if (absl::Status status = CheckBlock(table, block, &count); !status.ok()) return status;
  ForEachRun(block.runs(), [&](uint32_t first, uint32_t more) {
    increments->runs.push_back({first, more, increments->count});
    increments->count += more;
  });
  if (count == 0) return absl::OkStatus();
  for (const v1::MeasureColumn& column : block.columns()) {
    const size_t at = FindColumn(table, column.field());
    const BlockColumn& layout = table.columns[at];
    const size_t width = column.values().size() / count;
    increments->columns[at].resize(count);
    const uint64_t largest = layout.measure == Measure::kCountSum ? UINT64_MAX : layout.largest;
    const bool good = width > sizeof(uint64_t)
                          ? ReadWideCounts(column.values(), width, at, increments)
                          : ReadValues(column.values(), width, largest, &increments->most[at],
                                       &increments->columns[at]);
    if (!good) return Bad(table, "has a value that is too large");
  }
  return absl::OkStatus();
}

uint64_t CountRows(const v1::ProcessProfile& part) {
  uint64_t count = 0;
  for (const BlockTable& table : kBlockTables) {
    const auto* rows = part.GetDescriptor()->FindFieldByNumber(static_cast<int>(table.rows));
    count += static_cast<uint64_t>(part.GetReflection()->FieldSize(part, rows));
  }
  for (const v1::RowBlock& block : part.blocks()) {
    size_t more = 0;
    if (CountNumbers(block.runs(), &more)) count += more;
  }
  return count;
}

absl::Status CheckBlocks(const v1::ProcessProfile& part) {
  uint32_t seen = 0;
  if ((part.blocks_size() > 0 || part.has_defined()) && part.numbering() == 0) {
    return absl::InvalidArgumentError("ProcessProfile.numbering is missing");
  }
  if (part.defined().blocks_size() > 0 || part.defined().has_defined()) {
    return absl::InvalidArgumentError("ProcessProfile.defined has rows of its own");
  }
  for (const v1::RowBlock& block : part.blocks()) {
    const size_t at = FindBlockTable(block.table());
    if (at == kBlockTables.size()) {
      return absl::InvalidArgumentError("RowBlock.table has no rows in blocks");
    }
    if ((seen >> at & 1) != 0) return Bad(kBlockTables[at], "comes twice");
    seen |= 1u << at;
    size_t count = 0;
    absl::Status status = CheckBlock(kBlockTables[at], block, &count);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace flopsprof::store
