// SPDX-FileCopyrightText: 2026 The flopsprof authors
// SPDX-License-Identifier: Apache-2.0
#include "collector/store/live/numbering.h"

#include <algorithm>
#include <numeric>

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

bool Numbering::CanDefine(const Definition& more) const {
  if (more.rows.empty()) return true;
  if (more.end() > UINT32_MAX) return false;
  if (!spans_.empty() && more.first < spans_.back().end()) return false;
  if (std::any_of(more.rows.begin(), more.rows.end(),
                  [this](uint32_t row) { return HasNumber(row); })) {
    return false;
  }
  const auto descends = [](uint32_t a, uint32_t b) { return a >= b; };
  const auto twice = std::adjacent_find(more.rows.begin(), more.rows.end(), descends);
  if (twice == more.rows.end()) return true;  // as new rows are
  std::vector<uint32_t> sorted = more.rows;
  std::sort(sorted.begin(), sorted.end());
  return std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
}

bool Numbering::Define(const Definition& more) {
  if (!CanDefine(more)) return false;
  if (more.rows.empty()) return true;
  if (spans_.empty() || more.first > spans_.back().end()) spans_.push_back({more.first, {}});
  std::vector<uint32_t>& last = spans_.back().rows;
  last.insert(last.end(), more.rows.begin(), more.rows.end());
  row_bytes_ += more.rows.size() * sizeof(uint32_t);
  const uint32_t largest = *std::max_element(more.rows.begin(), more.rows.end());
  if (largest / 64 >= numbered_.size()) numbered_.resize(largest / 64 + 1);
  for (const uint32_t row : more.rows) numbered_[row / 64] |= uint64_t{1} << row % 64;
  return true;
}

const Numbering::Definition* Numbering::FindSpan(uint32_t number) const {
  const auto found =
      std::upper_bound(spans_.begin(), spans_.end(), number,
                       [](uint32_t n, const Definition& span) { return n < span.end(); });
  return found == spans_.end() ? nullptr : &*found;
}

uint32_t Numbering::Resolve(uint32_t* numbers, size_t count, const Definition& more) const {
  uint32_t unknown = 0;
  for (size_t i = 0; i < count;) {
    const Definition* span = &more;
    if (more.rows.empty() || numbers[i] < more.first) span = FindSpan(numbers[i]);
    if (span == nullptr || numbers[i] < span->first || numbers[i] >= span->end()) {
      numbers[i++] = kNoRow;
      ++unknown;
      continue;
    }
    const uint32_t* const rows = span->rows.data();
    const uint32_t first = span->first;
    const auto end = static_cast<uint32_t>(span->end());
    do {
      numbers[i] = rows[numbers[i] - first];
    } while (++i < count && numbers[i] < end);
  }
  return unknown;
}

// Runs: how many numbers lie between the run before and this one, how many rows follow each other,
// which is the first.
std::string Numbering::Encode() const {
  std::string bytes;
  uint32_t end = 0;
  for (const Definition& span : spans_) {
    for (size_t i = 0; i < span.rows.size();) {
      size_t next = i + 1;
      while (next < span.rows.size() && span.rows[next] == span.rows[next - 1] + 1) ++next;
      AppendVarint(i == 0 ? span.first - end : 0, &bytes);
      AppendVarint(next - i, &bytes);
      AppendVarint(span.rows[i], &bytes);
      i = next;
    }
    end = static_cast<uint32_t>(span.end());
  }
  return bytes;
}

bool Numbering::Decode(std::string_view bytes, uint32_t row_count) {
  *this = Numbering();
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
    Definition more{static_cast<uint32_t>(end + between), std::vector<uint32_t>(count)};
    std::iota(more.rows.begin(), more.rows.end(), static_cast<uint32_t>(row));
    if (!Define(more)) return false;
    end += between + count;
  }
  return true;
}

}  // namespace flopsprof::store
