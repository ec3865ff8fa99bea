// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/live/numbering.h"

#include <algorithm>
#include <utility>

namespace flopsprof::store {
namespace {

void AppendVarint(uint64_t value, std::string* bytes) {
  for (; value >= 0x80; value >>= 7) bytes->push_back(static_cast<char>(value | 0x80));
  bytes->push_back(static_cast<char>(value));
}

bool TakeVarint(std::string_view* bytes, uint64_t* value) {
  *value = 0;
  for (unsigned shift = 0; shift < 63 && !bytes->empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(bytes->front());
    bytes->remove_prefix(1);
    *value |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

}  // namespace

bool Numbering::Define(uint32_t first, const std::vector<uint32_t>& rows) {
  if (rows.empty()) return true;
  const uint64_t end = uint64_t{first} + rows.size();
  if (end > UINT32_MAX) return false;
  if (spans_.empty() || first > spans_.back().end()) {
    spans_.push_back({first, rows});
    return true;
  }
  std::vector<uint32_t>& last = spans_.back().rows;
  if (first != spans_.back().end()) return false;
  last.insert(last.end(), rows.begin(), rows.end());
  return true;
}

bool Numbering::HasARowTwice() const {
  std::vector<bool> seen;
  for (const Span& span : spans_) {
    for (const uint32_t row : span.rows) {
      if (row >= seen.size()) seen.resize(std::max<size_t>(row + size_t{1}, 2 * seen.size()));
      if (seen[row]) return true;
      seen[row] = true;
    }
  }
  return false;
}

uint32_t Numbering::Resolve(uint32_t* numbers, size_t count) const {
  uint32_t unknown = 0;
  auto span = spans_.begin();
  for (size_t i = 0; i < count; ++i) {
    uint32_t& number = numbers[i];
    while (span != spans_.end() && number >= span->end()) ++span;
    if (span == spans_.end() || number < span->first) {
      number = kNoRow;
      ++unknown;
    } else {
      number = span->rows[number - span->first];
    }
  }
  return unknown;
}

size_t Numbering::bytes() const {
  size_t bytes = sizeof(*this);
  for (const Span& span : spans_) bytes += sizeof span + span.rows.capacity() * sizeof(uint32_t);
  return bytes;
}

// Runs: how many numbers lie between the run before and this one, how many rows follow each other,
// which is the first.
std::string Numbering::Encode() const {
  std::string bytes;
  uint32_t end = 0;
  for (const Span& span : spans_) {
    for (size_t i = 0; i < span.rows.size();) {
      size_t next = i + 1;
      while (next < span.rows.size() && span.rows[next] == span.rows[next - 1] + 1) ++next;
      AppendVarint(i == 0 ? span.first - end : 0, &bytes);
      AppendVarint(next - i, &bytes);
      AppendVarint(span.rows[i], &bytes);
      i = next;
    }
    end = span.end();
  }
  return bytes;
}

bool Numbering::Decode(std::string_view bytes, uint32_t row_count) {
  spans_.clear();
  uint64_t end = 0;
  while (!bytes.empty()) {
    uint64_t between = 0, count = 0, row = 0;
    if (!TakeVarint(&bytes, &between) || !TakeVarint(&bytes, &count) || !TakeVarint(&bytes, &row)) {
      return false;
    }
    if (between > UINT32_MAX || count > row_count || row > row_count - count ||
        end + between + count > UINT32_MAX) {
      return false;
    }
    std::vector<uint32_t> rows(count);
    for (uint32_t i = 0; i < count; ++i) rows[i] = static_cast<uint32_t>(row) + i;
    if (!Define(static_cast<uint32_t>(end + between), rows)) return false;
    end += between + count;
  }
  return true;
}

}  // namespace flopsprof::store
