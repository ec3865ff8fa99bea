// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/live/block_reader.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <cstring>

namespace flopsprof::store {
namespace {

constexpr size_t kMostBytes = 10;      // of a varint of 64 bits
constexpr size_t kMostWideBytes = 19;  // of 128

absl::Status Bad(const BlockTable& table, std::string_view why) {
  return absl::InvalidArgumentError(
      absl::StrCat("RowBlock of table ", table.rows, " ", std::string(why)));
}

// How many varints the bytes are, if the last one is whole: each has one byte below 0x80.
size_t CountVarints(std::string_view bytes) {
  size_t further = 0;  // bytes from 0x80 on
  size_t at = 0;
  for (; at + sizeof(uint64_t) <= bytes.size(); at += sizeof(uint64_t)) {
    uint64_t word;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    // The sum of the eight highest bits, without an instruction that not every processor has.
    further += ((word & 0x8080808080808080u) >> 7) * 0x0101010101010101u >> 56;
  }
  for (; at < bytes.size(); ++at) further += static_cast<signed char>(bytes[at]) < 0 ? 1 : 0;
  return bytes.size() - further;
}

bool EndsWhole(std::string_view bytes) {
  return bytes.empty() || static_cast<signed char>(bytes.back()) >= 0;
}

// The rest of a varint of at most kMost bytes that has begun; nullptr: it is longer.
template <typename Value, size_t kMost>
const uint8_t* FinishVarint(const uint8_t* at, const uint8_t* end, Value* value) {
  *value = 0;
  for (unsigned i = 0; i < kMost && at != end; ++i) {
    const uint8_t byte = *at++;
    *value |= Value{byte & 0x7fu} << (7 * i);
    if (byte < 0x80) return at;
  }
  return nullptr;
}

// Calls take(value) for each varint; false: one is too long, or `take` wants no more.
template <typename Value, size_t kMost, typename Take>
bool ForEachVarint(std::string_view bytes, Take take) {
  const auto* at = reinterpret_cast<const uint8_t*>(bytes.data());
  const uint8_t* const end = at + bytes.size();
  while (at != end) {
    uint64_t word = 0;
    uint64_t last = 0;  // the highest bit of the byte that ends it
    if (end - at >= static_cast<ptrdiff_t>(sizeof word)) {
      std::memcpy(&word, at, sizeof word);
      last = ~word & 0x8080808080808080u;
      last &= -last;
    }
    if (last == 0) {  // beyond 56 bits, or near the end
      Value value = 0;
      at = FinishVarint<Value, kMost>(at, end, &value);
      if (at == nullptr || !take(value)) return false;
      continue;
    }
    at += (__builtin_ctzll(last) >> 3) + 1;
    // Pushes the groups of 7 bits together, two, four and eight at a time: without a branch, which
    // would be guessed wrong where lengths differ.
    word &= last - 1;
    word = (word & 0x007f007f007f007f) | (word & 0x7f007f007f007f00) >> 1;
    word = (word & 0x00003fff00003fff) | (word & 0x3fff00003fff0000) >> 2;
    word = (word & 0x000000000fffffff) | (word & 0x0fffffff00000000) >> 4;
    if (!take(Value{word})) return false;
  }
  return true;
}

bool ReadValues(std::string_view bytes, uint64_t largest, UnsetVector<uint64_t>* values,
                Wide* most) {
  uint64_t* to = values->data();
  uint64_t seen = 0;
  const bool whole = ForEachVarint<uint64_t, kMostBytes>(bytes, [&](uint64_t value) {
    *to++ = value;
    seen = std::max(seen, value);
    return true;
  });
  *most = seen;
  return whole && seen <= largest;
}

bool ReadCounts(std::string_view bytes, Increments* increments, size_t column) {
  uint64_t* low = increments->columns[column].data();
  uint64_t* high = increments->high.data();
  Wide seen = 0;
  const bool whole = ForEachVarint<Wide, kMostWideBytes>(bytes, [&](Wide value) {
    *low++ = static_cast<uint64_t>(value);
    *high++ = static_cast<uint64_t>(value >> 64);
    seen = std::max(seen, value);
    return true;
  });
  increments->most[column] = seen;
  if (seen >> 64 == 0) increments->high.clear();
  return whole && seen <= kLargestCount;
}

bool ReadNumbers(std::string_view bytes, UnsetVector<uint32_t>* numbers) {
  uint32_t* to = numbers->data();
  uint64_t next = 0;
  return ForEachVarint<uint64_t, kMostBytes>(bytes, [&](uint64_t between) {
    if (between > UINT32_MAX || next + between > UINT32_MAX) return false;
    *to++ = static_cast<uint32_t>(next + between);
    next += between + 1;
    return true;
  });
}

size_t FindColumn(const BlockTable& table, uint32_t field) {
  size_t at = 0;
  while (at < table.columns.size() && table.columns[at].field != field) ++at;
  return field == 0 ? table.columns.size() : at;
}

absl::Status CheckBlock(const BlockTable& table, const v1::RowBlock& block) {
  const size_t count = CountVarints(block.numbers());
  if (!EndsWhole(block.numbers())) return Bad(table, "ends within a number");
  uint32_t seen = 0;
  for (const v1::MeasureColumn& column : block.columns()) {
    const size_t at = FindColumn(table, column.field());
    if (at == table.columns.size()) return Bad(table, "has a column that it has not");
    if ((seen >> at & 1) != 0) return Bad(table, "has a column twice");
    seen |= 1u << at;
    if (!EndsWhole(column.values()) || CountVarints(column.values()) != count) {
      return Bad(table, "has columns of unequal lengths");
    }
  }
  return absl::OkStatus();
}

}  // namespace

void Increments::Clear() {
  rows.clear();
  for (UnsetVector<uint64_t>& column : columns) column.clear();
  high.clear();
  most = {};
}

absl::Status ReadBlock(const BlockTable& table, const v1::RowBlock& block, Increments* increments) {
  increments->Clear();
  if (absl::Status status = CheckBlock(table, block); !status.ok()) return status;
  const size_t count = CountVarints(block.numbers());
  increments->rows.resize(count);
  if (!ReadNumbers(block.numbers(), &increments->rows)) return Bad(table, "has a bad number");
  for (const v1::MeasureColumn& column : block.columns()) {
    const size_t at = FindColumn(table, column.field());
    const BlockColumn& layout = table.columns[at];
    increments->columns[at].resize(count);
    bool good = false;
    if (layout.measure == Measure::kCountSum) {
      increments->high.resize(count);
      good = ReadCounts(column.values(), increments, at);
    } else {
      good = ReadValues(column.values(), layout.largest, &increments->columns[at],
                        &increments->most[at]);
    }
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
  for (const v1::RowBlock& block : part.blocks()) count += CountVarints(block.numbers());
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
    if (absl::Status status = CheckBlock(kBlockTables[at], block); !status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace flopsprof::store
